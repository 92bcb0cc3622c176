import { randomUUID } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { sql } from "kysely";
import { afterAll, expect, test, vi } from "vitest";
import { readTables, type Table } from "../../src/server/backup/catalog.ts";
import { applyMigrations, migrate, readMigrations } from "../../src/server/db/migrate.ts";
import { ownerOf } from "../../src/server/db/owner.ts";
import { findOutgoing } from "../../src/server/files/repo.ts";
import { resumeCampaign } from "../../src/server/sending/campaigns/campaign-status.ts";
import { Lane } from "../../src/server/sending/lane/lane.ts";
import { loadMessageKey } from "../../src/server/sending/ledger/message-key.ts";
import { recount } from "../../src/server/sending/ledger/recount.ts";
import { LANE_TIMES } from "../../src/server/sending/ledger/timing.ts";
import { acquireConnection } from "../../src/server/sending/ownership/acquire.ts";
import { testDatabase, testLog } from "../support/database.ts";
import { manualClock } from "../support/manual-clock.ts";
import { scriptedTransport } from "../support/scripted-transport.ts";
import { readLedger } from "../support/sending.ts";

const BEFORE = "0004_campaigns.sql";
const ACCOUNT = "11111111-1111-4111-8111-111111111111";
const CAMPAIGN = 1;
const CONNECTION = 1;

const { db, database } = await testDatabase({ empty: true });
const closes: (() => Promise<unknown>)[] = [];
afterAll(async () => {
  for (const close of closes) await close();
});

const isGone = (table: string, column: string) => table === "connection" && column === "lease_until";

const RENAMED: Record<string, Record<string, string>> = {
  campaign: {
    life: "status",
    cause: "pause_reason",
    low: "lowest_in_flight_seq",
    interval_s: "interval_seconds",
    extra_s: "jitter_seconds",
    image_id: "attachment_id",
    scheduled_wall: "scheduled_local",
    ...Object.fromEntries(
      ["pending", "sending", "waiting", "skipped", "uncertain", "error", "sent", "delivered", "read"].map(
        (state) => [`n_${state}`, `${state}_count`],
      ),
    ),
  },
  connection: { cause: "state_reason", cause_until: "state_reason_until" },
  delivery: { attention: "needs_attention", generation: "resend_number" },
  chat_message: { image_id: "attachment_id" },
  outbox: { image_id: "attachment_id" },
};

const TABLES: Record<string, string> = { image: "attachment" };

const CONTACTS = sql`(select m.list_id, m.seq, p.phone, p.name from membership m join person p on p.id = m.person_id) as contact`;

async function rowsOf(tables: readonly Table[], today = false): Promise<Record<string, string[]>> {
  const found: Record<string, string[]> = {};
  for (const { name, columns } of tables) {
    const named = (column: string) => (today ? (RENAMED[name]?.[column] ?? column) : column);
    const old = sql.join(columns.map((column) => sql.ref(named(column))));
    const { rows } = await sql<{ row: string }>`
      select row(${old})::text as row from ${today && name === "contact" ? CONTACTS : sql.table(today ? (TABLES[name] ?? name) : name)} order by 1`.execute(
      db,
    );
    found[name] = rows.map(({ row }) => row);
  }
  return found;
}

/** `accepted` was inserted between error and sent (0022), so later states are one number higher. */
const renumbered = (row: string) =>
  row.replace(
    /^(\(1,\d+,\d+,(?:"[^"]*"|[^,]*),)([678]),/,
    (_, head: string, code: string) => `${head}${Number(code) + 1},`,
  );

test("an installation of the schema before keeps every row through today's migrations, and its paused campaign goes on where it stopped", async () => {
  const old = readMigrations().filter(({ name }) => name <= BEFORE);
  expect(old.at(-1)?.name).toBe(BEFORE);
  await db.transaction().execute((tx) => applyMigrations(tx, old));
  await database.query(fs.readFileSync(path.join(import.meta.dirname, "rows-0004.sql"), "utf8"));
  const tables = (await readTables(db)).tables
    .filter(({ name }) => name !== "schema_migration")
    .map((table) => ({ ...table, columns: table.columns.filter((column) => !isGone(table.name, column)) }));
  const before = await rowsOf(tables);
  expect(Object.entries(before).filter(([, rows]) => rows.length === 0)).toEqual([]);

  const applied = await migrate(database, testLog);
  expect(applied.length).toBe(readMigrations().length - old.length);
  const after = await rowsOf(tables, true);
  const isFirst = (row: string) => row.startsWith("(first_account,");
  expect(after.setting?.filter(isFirst)).toHaveLength(1);
  expect({ ...after, setting: after.setting?.filter((row) => !isFirst(row)) }).toEqual({
    ...before,
    delivery: (before.delivery ?? []).map(renumbered),
    outbox: (before.outbox ?? []).map((row) => row.replace(",6,0,f,", ",7,0,f,")),
  });
  const { rows: unconfirmed } = await sql`select id from account where email_confirmed_at is null`.execute(
    db,
  );
  expect(unconfirmed).toEqual([]);
  expect(await recount(db, 1)).toEqual([]);
  const stopped = await readLedger(db, CAMPAIGN);
  expect(stopped).toMatchObject({ status: "paused", cause: "user", total: 6, cursor: 4, sum: 6 });
  expect(stopped.counters).toEqual(stopped.rows);

  const phone = await goOn();
  await vi.waitFor(async () => expect(await readLedger(db, CAMPAIGN)).toMatchObject({ status: "ended" }), {
    timeout: 60_000,
  });
  const ended = await readLedger(db, CAMPAIGN);
  expect(ended.counters).toEqual(ended.rows);
  expect(ended.rows).toEqual([0, 0, 0, 0, 1, 1, 0, 2, 1, 1]);
  expect(phone.frames.map(({ text }) => text).toSorted()).toEqual(["Oi, Eva Lú!", "Oi, cliente!"]);
  expect(await recount(db, 1)).toEqual([]);
});

async function goOn() {
  await resumeCampaign(ownerOf(db, ACCOUNT), CAMPAIGN);
  const phone = scriptedTransport();
  const taken = await acquireConnection(db, CONNECTION, randomUUID(), "resend");
  const clock = manualClock();
  const lane = new Lane({
    readFile: findOutgoing,
    connectionId: CONNECTION,
    fence: taken?.fence ?? 0,
    db,
    clock,
    log: testLog,
    prepared: database.prepared,
    transport: phone.transport,
    times: LANE_TIMES,
    messageKey: await loadMessageKey(db),
    after: (ms, call) => clock.after(ms, call),
    random: () => 0.5,
    mayAct: () => true,
    resendsDoubts: true,
    changed: () => undefined,
    ended: () => undefined,
  });
  closes.push(() => lane.close(1_000));
  return phone;
}
