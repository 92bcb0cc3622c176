import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { testDatabase } from "../support/database.ts";
import { DOORS } from "./hostile/doors.ts";
import { type HostileWorld, makeListOf, openHostileWorld } from "./hostile/world.ts";
import { until } from "./installation.ts";

/**
 * A bounded part of `npm run faults -- --kinds hostile`. Order is checked instead of time: the stranger's
 * earlier requests must still wait when the honest account is served.
 */
const { url } = await testDatabase();
let world: HostileWorld;
beforeAll(async () => {
  world = await openHostileWorld(url);
}, 240_000);
afterAll(() => world?.close(), 60_000);

const STRANGERS = 5_521_900_000_000;
const FLOOD = 400;

test("F1: a word of leaving is read while a stranger's hundreds still wait", {
  timeout: 240_000,
}, async () => {
  const { honest, stranger, database } = world;
  const flood = Array.from({ length: FLOOD }, (_, nth) =>
    stranger.hook.message(String(STRANGERS + nth), "SAIR"),
  );
  await Promise.all(flood);
  expect(await honest.hook.message("5511980000001", "SAIR")).toBe(200);
  const { before } = await until("the opt-out", async () => {
    const { rows } = await sql<{ recorded: boolean; before: number }>`select
      exists (select from opt_out where account_id = ${honest.accountId}::uuid) as recorded,
      (select count(*)::int from opt_out where account_id = ${stranger.accountId}::uuid) as before`.execute(
      database.db,
    );
    return rows[0]?.recorded ? rows[0] : null;
  });
  expect(before).toBeLessThan(FLOOD / 2);
});

test("F4a: a campaign for now begins while a stranger's still wait", { timeout: 240_000 }, async () => {
  const { honest, stranger, database } = world;
  await world.forgetFlood();
  const longList = await makeListOf(database, stranger.accountId, 20_000, STRANGERS);
  const shortList = await makeListOf(database, honest.accountId, 1, 5_511_970_000_000);
  const create = (of: typeof honest, name: string, listId: number) =>
    of.caller.call<{ id: number }>("POST", "/api/campaigns", {
      name,
      text: "Oi",
      listId,
      connectionId: null,
      intervalS: 60,
      intent: "create",
    });
  await Promise.all(Array.from({ length: 8 }, (_, nth) => create(stranger, `Enchente ${nth}`, longList)));
  const { id } = await create(honest, "Uma pessoa", shortList);
  const { waiting } = await until("the honest campaign", async () => {
    const { rows } = await sql<{ status: string; waiting: number }>`select status,
      (select count(*)::int from campaign where account_id = ${stranger.accountId}::uuid and status = 'starting') as waiting
      from campaign where id = ${id}`.execute(database.db);
    return rows[0] && rows[0].status !== "starting" ? rows[0] : null;
  });
  expect(waiting).toBeGreaterThan(0);
  await world.forgetFlood();
});

for (const [name, attack] of Object.entries(DOORS).filter(([name]) => !/^F(8|10) /.test(name)))
  test(`${name}: nothing for a stranger`, { timeout: 240_000 }, async () => {
    const prey = [await attack(world)].flat();
    expect(prey.filter(({ got, most }) => got > most)).toEqual([]);
  });
