import { sql } from "kysely";
import { expect, test } from "vitest";
import { applyMigrations, migrate, readMigrations } from "../../src/server/db/migrate.ts";
import { accountRow } from "../support/campaign-rows.ts";
import { testDatabase, testLog } from "../support/database.ts";

const FIRST = "0094_people.sql";

const { db, database } = await testDatabase({ empty: true });

type Old = [phone: number, name: string];

async function oldList(account: string, name: string, contacts: Old[], day: number): Promise<number> {
  const { rows } = await sql<{ id: number }>`insert into contact_list (account_id, name, contacts, created_at)
    values (${account}::uuid, ${name}, ${contacts.length}, ${`2026-11-0${day} 12:00Z`}::timestamptz) returning id`.execute(
    db,
  );
  const id = rows[0]?.id ?? 0;
  await sql`insert into contact (list_id, seq, phone, name)
    select ${id}::bigint, n - 1, phone, name
    from unnest(${contacts.map(([phone]) => phone)}::bigint[], ${contacts.map(([, one]) => one)}::text[])
      with ordinality t (phone, name, n)`.execute(db);
  return id;
}

const [ANA, BIA, CLEO, DAVI] = [5_531_900_000_001, 5_531_900_000_002, 5_531_900_000_003, 351_912_345_678];

test("contacts become one person per account and phone, under the newest name, in the same lists and order", async () => {
  const before = readMigrations().filter(({ name }) => name < FIRST);
  await db.transaction().execute((tx) => applyMigrations(tx, before));
  const [us, other, empty] = [await accountRow(db), await accountRow(db), await accountRow(db)];
  const file = await oldList(
    us,
    "Clientes",
    [
      [BIA, "Bia"],
      [ANA, "Ana"],
      [CLEO, ""],
    ],
    1,
  );
  const hand = await oldList(us, "Contato manual - Davi", [[DAVI, "Davi"]], 2);
  const newest = await oldList(
    us,
    "Feira",
    [
      [DAVI, ""],
      [ANA, "Ana Lúcia"],
      [BIA, ""],
    ],
    3,
  );
  const theirs = await oldList(other, "Vizinhos", [[ANA, "A vizinha"]], 1);
  const none = await oldList(empty, "Vazia", [], 1);
  await sql`insert into contact_import (id, account_id, list_id, list_name, state, imported) overriding system value
    values (7, ${us}::uuid, ${file}, 'Clientes', 'done', 2), (8, ${us}::uuid, null, 'Outra', 'failed', 0)`.execute(
    db,
  );

  await migrate(database, testLog);
  const imports = await sql`select id, erased from contact_import order by id`.execute(db);
  expect(imports.rows).toEqual([
    { id: 7, erased: 0 },
    { id: 8, erased: 0 },
  ]);
  expect((await sql`select 1 from erased_person`.execute(db)).rows).toEqual([]);

  const people =
    await sql`select account_id as account, phone, name, fields, origin, origin_import_id as import,
      origin_row as row, created_at::date::text as day from person order by id`.execute(db);
  const shared = { fields: {}, row: null, import: null };
  expect(new Set(people.rows)).toEqual(
    new Set([
      { ...shared, account: us, phone: BIA, name: "Bia", origin: "file", import: 7, day: "2026-11-01" },
      { ...shared, account: us, phone: ANA, name: "Ana Lúcia", origin: "file", import: 7, day: "2026-11-01" },
      { ...shared, account: us, phone: CLEO, name: "", origin: "migration", day: "2026-11-01" },
      { ...shared, account: us, phone: DAVI, name: "Davi", origin: "migration", day: "2026-11-02" },
      { ...shared, account: other, phone: ANA, name: "A vizinha", origin: "migration", day: "2026-11-01" },
    ]),
  );
  const places = await sql<{ list: number; phones: number[] }>`
    select m.list_id as list, array_agg(p.phone order by m.seq) as phones, array_agg(m.seq order by m.seq) as seqs
    from membership m join person p on p.id = m.person_id group by 1 order by 1`.execute(db);
  expect(places.rows).toEqual([
    { list: file, phones: [BIA, ANA, CLEO], seqs: [0, 1, 2] },
    { list: hand, phones: [DAVI], seqs: [0] },
    { list: newest, phones: [DAVI, ANA, BIA], seqs: [0, 1, 2] },
    { list: theirs, phones: [ANA], seqs: [0] },
  ]);
  const kept = await sql`select account_id as account, people from account_people order by people`.execute(
    db,
  );
  expect(kept.rows).toEqual([
    { account: other, people: 1 },
    { account: us, people: 4 },
  ]);
  const lists = await sql`select id, contacts from contact_list order by id`.execute(db);
  expect(lists.rows).toEqual(
    [
      [file, 3],
      [hand, 1],
      [newest, 3],
      [theirs, 1],
      [none, 0],
    ].map(([id, contacts]) => ({ id, contacts })),
  );
});
