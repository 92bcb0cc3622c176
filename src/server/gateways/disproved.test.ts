import { sql } from "kysely";
import { afterAll, expect, test } from "vitest";
import { callThere, madeThere } from "../../../tests/support/calls-there.ts";
import { testDatabase } from "../../../tests/support/database.ts";
import { gatewaysFeature } from "../../../tests/support/gateways-feature.ts";
import { LANE_CHANNEL } from "../sending/ledger/signals.ts";

const database = await testDatabase();
const { db } = database;
const { owner } = await gatewaysFeature(database);
const payloads: string[] = [];
const listener = await database.database.listen(LANE_CHANNEL, (payload) => void payloads.push(payload));
afterAll(() => listener.close());

const isSo = (id: number | null, state: string, cause: string | null) =>
  sql`update connection set state = ${state}, state_reason = ${cause} where id = ${id}`.execute(db);

test("what a server's list disproves is looked at at once: an instance that vanished there, and one that is there after all", async () => {
  const { id, server, create, instances } = await owner();
  const { connectionId } = (await create()).body;
  const looks = async () => {
    payloads.length = 0;
    expect((await instances(id)).status).toBe(200);
    await sql`select pg_notify(${LANE_CHANNEL}, 'last')`.execute(db);
    await expect.poll(() => payloads).toContain("last");
    return payloads.includes(`poke:${connectionId}`);
  };
  await isSo(connectionId, "connected", null);
  expect(await looks()).toBe(false);
  for (const cause of ["gone", "license_required", "unreachable"]) {
    await isSo(connectionId, "disconnected", cause);
    expect(await looks(), cause).toBe(true);
  }
  await isSo(connectionId, "disconnected", "logged_out");
  expect(await looks()).toBe(false);

  await callThere(server, "DELETE", "/instance/delete/loja");
  await isSo(connectionId, "connected", null);
  expect(await looks()).toBe(true);
  await isSo(connectionId, "disconnected", "gone");
  expect(await looks()).toBe(false);
  await madeThere(server, "loja");
  expect(await looks()).toBe(true);
});
