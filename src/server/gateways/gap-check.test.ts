import { sql } from "kysely";
import { expect, test } from "vitest";
import { testDatabase, testLog } from "../../../tests/support/database.ts";
import { makeInstance } from "../../../tests/webhooks/lab.ts";
import { systemClock } from "../base/clock.ts";
import { LANE_CHANNEL } from "../sending/ledger/signals.ts";
import type { MessageSearch } from "../transports/gateway/evolution-requests.ts";
import { GAP_TIMES, GapCheck } from "./gap-check.ts";
import { findDue, noteChecked } from "./gap-repo.ts";

const { db, database } = await testDatabase();
const access = {
  baseUrl: "https://gateway.example",
  apiKey: "x",
  integration: "WHATSAPP-BAILEYS",
  number: null,
};

test("a gateway with endless pages does not delay the checks of others", async () => {
  const hostile = await makeInstance(db);
  const honest = await makeInstance(db);
  const asked = new Map<string, number>();
  const findMessages = async (name: string, { page = 1 }: MessageSearch) => {
    asked.set(name, (asked.get(name) ?? 0) + 1);
    const pages = name === hostile.name ? page + 1_000_000 : 1;
    return { total: pages, pages, messages: [] };
  };
  const names = new Map([hostile, honest].map(({ connectionId, name }) => [connectionId, name]));
  const check = new GapCheck({
    database,
    clock: systemClock,
    log: testLog,
    receiveMessages: async () => undefined,
    recordOutgoing: async () => undefined,
    settleReceipts: async () => undefined,
    access: async (connectionId) => ({ ...access, name: names.get(connectionId) ?? "" }),
    clientOf: () => ({ findMessages, findWebhook: async () => null }),
    mark: () => undefined,
    times: { ...GAP_TIMES, look: 20 },
  });
  const unchecked = async () =>
    (await sql`select connection_id from instance where checked_to is null`.execute(db)).rows.length;
  await expect.poll(unchecked).toBe(0);
  await check.close();
  expect(asked.get(hostile.name)).toBeLessThan(200);
});

test("an instance that was checked while our clock was a year ahead is asked again once it is right", async () => {
  const { connectionId } = await makeInstance(db);
  const isDue = async () =>
    (await findDue(db, GAP_TIMES.every)).some((one) => one.connectionId === connectionId);
  await noteChecked(db, connectionId, new Date(Date.now() + 365 * 24 * 3_600_000));
  expect(await isDue()).toBe(true);
  await noteChecked(db, connectionId, new Date());
  expect(await isDue()).toBe(false);
  await noteChecked(db, connectionId, new Date(Date.now() - 3_600_000));
  expect(await isDue()).toBe(false);
});

test("26.22 an instance that answers to a key that was called refused has its lane look at once", async () => {
  const { connectionId, name } = await makeInstance(db);
  const refuse = () =>
    sql`update connection set state = 'disconnected', state_reason = 'wrong_key' where id = ${connectionId}`.execute(
      db,
    );
  const payloads: string[] = [];
  const listener = await database.listen(LANE_CHANNEL, (payload) => void payloads.push(payload));
  const check = new GapCheck({
    database,
    clock: systemClock,
    log: testLog,
    receiveMessages: async () => undefined,
    recordOutgoing: async () => undefined,
    settleReceipts: async () => undefined,
    access: async () => ({ ...access, name }),
    clientOf: () => ({
      findMessages: async () => {
        await refuse();
        return { total: 0, pages: 1, messages: [] };
      },
      findWebhook: async () => null,
    }),
    mark: () => undefined,
    times: { ...GAP_TIMES, look: 20 },
  });
  await expect.poll(() => payloads).toContain(`poke:${connectionId}`);
  await check.close();
  await listener.close();
});
