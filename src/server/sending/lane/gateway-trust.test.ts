import { expect, test, vi } from "vitest";
import { testDatabase } from "../../../../tests/support/database.ts";
import { laneProcesses } from "../../../../tests/support/lane-process.ts";
import { scriptedGateway } from "../../../../tests/support/scripted-gateway.ts";
import { makeAccount, makeCampaign, makeConnection, readLedger } from "../../../../tests/support/sending.ts";
import { DELIVERY } from "../../../domain/delivery.ts";
import type { LookupResult } from "../../transports/transport.ts";
import { outboxAddress } from "../addresses/addresses.ts";
import { startNext } from "../campaigns/audience.ts";

const { db, database } = await testDatabase();
const startProcess = laneProcesses({ database });
const QUICK = { look: 20, flush: 5, poll: 20, backoff: [50] };

async function campaign(kind: "device" | "instance" = "instance") {
  const accountId = await makeAccount(db);
  const connectionId = await makeConnection(db, accountId, kind);
  const campaignId = await makeCampaign(db, accountId, { people: 2, connectionId });
  await startNext(database);
  const inState = (state: "sent" | "accepted") =>
    vi.waitFor(async () => expect((await readLedger(db, campaignId)).rows[DELIVERY[state]]).toBe(2), 60_000);
  return { accountId, connectionId, campaignId, inState };
}

const honestly = async (phone: string): Promise<LookupResult> => ({
  kind: "found",
  address: { jid: `${phone}@s.whatsapp.net`, lid: null },
});

test.each([
  [
    "leads to another number",
    { kind: "found", address: { jid: "5511966660000@s.whatsapp.net", lid: "66@lid" } },
  ],
  ["denies a number", { kind: "absent" }],
] as [string, LookupResult][])("a gateway that %s does so for its own account", async (_, lie) => {
  const gateway = scriptedGateway({});
  const liar = await campaign();
  const it = await startProcess({
    instance: ({ accountId }) => ({
      ...gateway.transport,
      lookup: accountId === liar.accountId ? async () => lie : honestly,
    }),
    lookup: (phone) => ({ kind: "found", address: { jid: `${phone}@device`, lid: null } }),
    times: QUICK,
  });
  await vi.waitFor(
    async () => expect((await readLedger(db, liar.campaignId)).rows.slice(0, 3)).toEqual([0, 0, 0]),
    60_000,
  );
  gateway.held.length = 0;
  const honest = await campaign();
  await honest.inState("accepted");
  const phones = ["5511900000000", "5511900000001"];
  const byPhone = { phone: phones[0] ?? "", jid: null };
  expect(await outboxAddress(db, byPhone, true, honest.accountId)).toMatchObject({
    address: { jid: "5511900000000@s.whatsapp.net" },
  });
  expect(await outboxAddress(db, byPhone, true, await makeAccount(db))).toEqual({ kind: "unknown" });
  expect(gateway.held.map(({ to }) => to).toSorted()).toEqual(
    phones.map((phone) => `${phone}@s.whatsapp.net`),
  );
  const device = await campaign("device");
  await device.inState("sent");
  expect([...it.phone.held().keys()].toSorted()).toEqual(phones.map((phone) => `${phone}@device`));
});

test("an id that no database takes ends the lane of its own gateway, and no other", async () => {
  const gateway = scriptedGateway({});
  const broken = await campaign();
  await startProcess({
    instance: ({ accountId }) => ({
      ...gateway.transport,
      ...(accountId === broken.accountId
        ? { send: async () => ({ kind: "accepted" as const, providerId: "a\0b", at: Date.now() }) }
        : {}),
    }),
    times: QUICK,
  });
  await vi.waitFor(
    async () => expect((await readLedger(db, broken.campaignId)).rows[DELIVERY.pending]).toBe(0),
    60_000,
  );
  const other = await campaign();
  await other.inState("accepted");
});
