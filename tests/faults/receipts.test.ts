import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { quietSignal } from "../../simulators/whatsapp/quiet-signal.ts";
import { type DeliveryState, deliveryState } from "../../src/domain/delivery.ts";
import type { Failpoint } from "../../src/server/base/failpoint.ts";
import { testDatabase } from "../support/database.ts";
import { createCampaign } from "./campaign.ts";
import { check } from "./check.ts";
import { makeList, until } from "./installation.ts";
import { DEVICE, openWorld, PHONES, type World } from "./world.ts";

const PEOPLE = 30;
const AS_THE_PHONES_SAY = { delivered: PEOPLE / 3, read: (PEOPLE * 2) / 3 };

const { url } = await testDatabase();
let world: World;
beforeAll(async () => {
  quietSignal();
  world = await openWorld({ databaseUrl: url });
});
afterAll(() => world?.close(), 60_000);

async function states(campaignId: number): Promise<Partial<Record<DeliveryState, number>>> {
  const { rows } = await sql<{ status: number; people: number }>`select status, count(*)::int as people
    from delivery where campaign_id = ${campaignId} group by status`.execute(world.database.db);
  return Object.fromEntries(rows.map(({ status, people }) => [deliveryState(status), people]));
}

type Case = { index: number; name: string; step: Failpoint; nth: number; whenAllSent?: boolean };

const CASES: Case[] = [
  { index: 901, name: "read, not yet stored, amid the sending", step: "receipt_read", nth: 2 },
  { index: 902, name: "stored, not yet acknowledged", step: "receipt_stored", nth: 2 },
  { index: 903, name: "read, all sent", step: "receipt_read", nth: 1, whenAllSent: true },
];

test.each(CASES)(
  "F1 F30 kill -9 with receipts $name: every row ends as its phone says",
  {
    timeout: 240_000,
  },
  async ({ index, step, nth, whenAllSent = false }) => {
    const { control } = world;
    await control.reset({ keepDevices: true });
    const { listId, phones } = await makeList(world, { index, people: PEOPLE, base: PHONES });
    await control.people({ settings: { deliversAfterMs: 5, readsAfterMs: 20 } });
    const unread = phones.filter((_, i) => i % 3 === 0);
    await control.people({ phones: unread, settings: { deliversAfterMs: 5, readsAfterMs: null } });
    await control.clock({ hold: whenAllSent });
    await world.arm({ step, nth });
    const id = await createCampaign(world, {
      name: `Recibos ${index}`,
      text: "Oi, {nome}!",
      listId,
      connectionId: null,
      intervalS: 0,
    });
    if (whenAllSent) {
      await until("all sent", async () => (await states(id)).sent === PEOPLE);
      await control.clock({ hold: false });
    }
    await until("the kill", async () => world.ended());
    const { delivered = 0, read = 0 } = await states(id);
    expect(delivered + read).toBeLessThan(PEOPLE);
    await world.restart(null);
    await expect.poll(() => states(id), { timeout: 90_000 }).toEqual(AS_THE_PHONES_SAY);
    const verdict = await check(world.database.db, control, id, DEVICE);
    expect(verdict).toMatchObject({ duplicated: 0, lost: 0, withoutState: 0, wronged: 0 });
  },
);
