import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { quietSignal } from "../../simulators/whatsapp/quiet-signal.ts";
import type { Failpoint } from "../../src/server/base/failpoint.ts";
import { testDatabase } from "../support/database.ts";
import { until } from "./installation.ts";
import { DEVICE, openWorld, type World } from "./world.ts";

const PEOPLE = 8;
const EACH = 12;

const { url } = await testDatabase();
let world: World;
beforeAll(async () => {
  quietSignal();
  world = await openWorld({ databaseUrl: url });
});
afterAll(() => world?.close(), 60_000);

const CASES: { base: number; name: string; step: Failpoint; nth: number }[] = [
  { base: 5_511_930_000_000, name: "opened, not yet stored", step: "message_opened", nth: 1 },
  { base: 5_511_931_000_000, name: "stored, their keys not", step: "message_stored", nth: 1 },
  {
    base: 5_511_932_000_000,
    name: "stored with their keys, not yet acknowledged",
    step: "message_keys_stored",
    nth: 1,
  },
];

test.each(CASES)(
  "F1 kill -9 with messages $name: each of them stands in its chat, once, and who wants to leave has left",
  { timeout: 240_000 },
  async ({ base, step, nth }) => {
    const { control, database } = world;
    const people = Array.from({ length: PEOPLE }, (_, i) => String(base + i));
    const stored = async () =>
      (
        await sql<{
          line: string;
        }>`select c.phone || ' ' || m.text as line from chat_message m join chat c on c.id = m.chat_id
          where c.phone between ${base} and ${base + PEOPLE} order by m.id`.execute(database.db)
      ).rows.map(({ line }) => line);
    await control.reset({ keepDevices: true });
    await world.arm({ step, nth });
    const said: string[] = [];
    for (let n = 1; n <= EACH; n++) {
      for (const from of people) {
        const text = n === EACH ? "SAIR" : `mensagem ${n}`;
        said.push(`${from} ${text}`);
        await control.write({ from, to: DEVICE, text });
      }
    }
    await until("the kill", async () => world.ended());
    expect((await stored()).length).toBeLessThan(said.length);
    await world.restart(null);
    await expect.poll(async () => (await stored()).toSorted()).toEqual(said.toSorted());
    for (const from of people)
      expect((await stored()).filter((line) => line.startsWith(from))).toEqual(
        said.filter((line) => line.startsWith(from)),
      );
    const left = await sql<{ people: number; confirmed: number }>`select
        (select count(*)::int from opt_out where phone between ${base} and ${base + PEOPLE}) as people,
        (select count(*)::int from outbox where origin = 'opt_out' and phone between ${base} and ${base + PEOPLE}) as confirmed`.execute(
      database.db,
    );
    expect(left.rows[0]).toEqual({ people: PEOPLE, confirmed: PEOPLE });
  },
);
