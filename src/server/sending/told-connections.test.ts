import { sql } from "kysely";
import { expect, test, vi } from "vitest";
import { testDatabase } from "../../../tests/support/database.ts";
import { gatewayCampaigns } from "../../../tests/support/gateway-campaigns.ts";
import { makeCampaign, readLedger } from "../../../tests/support/sending.ts";

const { db, database } = await testDatabase();
const { arrange } = gatewayCampaigns({ db, database });

test("pages that say what a connection is doing are told when a campaign begins by its hour, and when it is over", async () => {
  let answer = () => {};
  const answered = new Promise<void>((resolve) => {
    answer = resolve;
  });
  const fate = () => answered.then(() => "accept" as const);
  const it = await arrange({ people: 1, slots: 1, fate });
  const { marked } = await it.run();
  const told = () => vi.waitFor(() => expect(marked).toContain(`connections ${it.accountId}`), 60_000);
  await it.states([0, 1, 0, 0, 0, 0, 0, 0, 0]);
  marked.length = 0;
  answer();
  await it.ends();
  await told();

  marked.length = 0;
  const later = await makeCampaign(db, it.accountId, {
    ...{ people: 1, firstPhone: 5_511_977_000_000, life: "scheduled", connectionId: it.connectionId },
  });
  await sql`update campaign set scheduled_at = now() where id = ${later}`.execute(db);
  await vi.waitFor(async () => expect((await readLedger(db, later)).life).not.toBe("scheduled"), 60_000);
  await told();
});
