import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import { expect, test } from "vitest";
import { applyMigrations, readMigrations } from "../../src/server/db/migrate.ts";
import { findFree } from "../../src/server/sending/ownership/acquire.ts";
import { testDatabase } from "../support/database.ts";
import { makeAccount, makeConnection } from "../support/sending.ts";

const { db } = await testDatabase({ empty: true });

test("F8 of the version before, owners keep their connections for as long as their leases last", async () => {
  const old = readMigrations().filter(({ name }) => name < "0075");
  await db.transaction().execute((tx) => applyMigrations(tx, old));
  const account = await makeAccount(db);
  const [living, leaving, ended] = [randomUUID(), randomUUID(), randomUUID()];
  await sql`insert into worker (id, kinds, lease_until) values (${living}::uuid, '{device}', now() + interval '1 minute'),
    (${leaving}::uuid, '{device}', now() - interval '1 second'), (${ended}::uuid, '{device}', now() - interval '1 hour')`.execute(
    db,
  );
  const lease = async (owner: string | null, seconds: number) => {
    const id = await makeConnection(db, account);
    await sql`update connection set owner = ${owner}::uuid, fence = 3, lease_until = now() + ${seconds} * interval '1 second'
      where id = ${id}`.execute(db);
    return id;
  };
  // A lane seized for deletion has an owner that is no process.
  const kept = [await lease(living, 60), await lease(leaving, 60), await lease(randomUUID(), 60)];
  const free = [await lease(ended, -3_600), await lease(null, -1), await lease(randomUUID(), -1)];
  const rest = readMigrations().filter(({ name }) => name >= "0075");
  await db.transaction().execute((tx) => applyMigrations(tx, rest));
  expect(await findFree(db, "device", 10)).toEqual(free);
  const { rows } = await sql<{ id: number; fence: number; owned: boolean }>`
    select id, fence, owner is not null as owned from connection order by id`.execute(db);
  expect(rows).toEqual([...kept, ...free].map((id) => ({ id, fence: 3, owned: id !== free[1] })));
});
