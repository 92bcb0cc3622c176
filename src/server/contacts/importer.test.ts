import { randomUUID } from "node:crypto";
import { once } from "node:events";
import fs from "node:fs";
import path from "node:path";
import { sql } from "kysely";
import { expect, onTestFinished, test } from "vitest";
import { accountRow } from "../../../tests/support/campaign-rows.ts";
import { contactsApp } from "../../../tests/support/contacts.ts";
import { testDatabase } from "../../../tests/support/database.ts";
import { manualClock } from "../../../tests/support/manual-clock.ts";
import { unhurried, untilWaiting } from "../../../tests/support/waiting.ts";
import type { ContactImport } from "../../contract/contacts.ts";
import { isDatabaseDown } from "../db/errors.ts";
import { ownerOf } from "../db/owner.ts";
import { pruneImports } from "./forget.ts";
import { markFilling } from "./import-leases.ts";

const database = await testDatabase();
const { db } = database;

const people = (count: number) =>
  `Nome;Telefone\n${Array.from({ length: count }, (_, at) => `Pessoa ${at};119${String(at).padStart(8, "0")}`).join("\n")}\n`;

async function uploaded(app: ReturnType<typeof contactsApp>, account: string, text: string): Promise<number> {
  const { body } = await app.as(account).upload<ContactImport>({ name: "Clientes" }, text);
  return body.id;
}
const stateOf = async (id: number) => {
  const { rows } = await sql<Record<string, unknown>>`
    select state, list_id, imported, fault, tries, worker, spool from contact_import where id = ${id}`.execute(
    db,
  );
  return rows[0];
};
const listsOf = async (account: string) => {
  const { rows } = await sql<{ contacts: number; n: number }>`
    select l.contacts, (select count(*)::int from membership m where m.list_id = l.id) as n
    from contact_list l where account_id = ${account}::uuid order by id`.execute(db);
  return rows;
};

test("C27 C28 at the limit all of it, one row beyond nothing @decision 24", async () => {
  const app = contactsApp(database, { maxRows: 20_000 });
  const account = await accountRow(db);
  const good = await uploaded(app, account, people(20_000));
  const bad = await uploaded(app, account, people(20_001));
  await app.importer.tick();
  expect(await stateOf(good)).toMatchObject({ state: "done", imported: 20_000 });
  await expect
    .poll(() => stateOf(bad))
    .toMatchObject({
      state: "failed",
      fault: "import_too_many_rows",
      list_id: null,
      imported: 0,
    });
  expect(await listsOf(account)).toEqual([{ contacts: 20_000, n: 20_000 }]);
  const rows =
    await sql`select reltuples::int as n from pg_class where relname in ('person', 'membership')`.execute(db);
  expect(rows.rows).toEqual([{ n: 20_000 }, { n: 20_000 }]);
});

test("completion is reported before the analyze, and stays when that fails", async () => {
  const topics = new Set<string>();
  const app = contactsApp(database, { mark: (_account, topic) => topics.add(topic) });
  const account = await accountRow(db);
  const id = await uploaded(app, account, people(1_000));
  let work: Promise<void> | undefined;
  await unhurried(db, async (tx) => {
    await sql`lock table person in share update exclusive mode`.execute(tx);
    work = app.importer.tick();
    await untilWaiting(db, 1, "analyze person, membership");
    expect(await stateOf(id)).toMatchObject({ state: "done", imported: 1_000 });
    expect([...topics]).toContain("contacts");
    expect(fs.readdirSync(path.join(app.dataFolder, "imports"))).toEqual(["folder-id"]);
    await sql`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and query = 'analyze person, membership'`.execute(db);
  });
  await work;
  expect(await stateOf(id)).toMatchObject({ state: "done", imported: 1_000, fault: null });
});

test("one of an account at a time, in several processes", async () => {
  const app = contactsApp(database);
  const [a, b, c] = [await accountRow(db), await accountRow(db), await accountRow(db)];
  const ids = [];
  for (const account of [a, a, b, c]) ids.push(await uploaded(app, account, people(3_000)));
  let most = 0;
  const watch = async () => {
    const { rows } = await sql<{
      account_id: string;
    }>`select account_id from contact_import where state = 'running'`.execute(db);
    expect(new Set(rows.map((row) => row.account_id)).size).toBe(rows.length);
    most = Math.max(most, rows.length);
  };
  const other = app.anotherProcess();
  let over = false;
  const ticking = Promise.all(ids.flatMap(() => [app.importer.tick(), other.tick()])).then(() => {
    over = true;
  });
  while (!over) await watch();
  await ticking;
  const done = { state: "done", imported: 3_000, tries: 1 };
  for (const id of ids) await expect.poll(() => stateOf(id)).toMatchObject(done);
  expect(await listsOf(a)).toEqual([
    { contacts: 3_000, n: 3_000 },
    { contacts: 3_000, n: 3_000 },
  ]);
  expect(most).toBeGreaterThan(0);
});

test("27.1 three people do not wait for large files of other accounts, nor a large file for all of another account's", async () => {
  const app = contactsApp(database);
  const [a, b, honest] = [await accountRow(db), await accountRow(db), await accountRow(db)];
  const large = people(60_000);
  const theirs: number[] = [];
  for (const account of [a, b, a, b, a]) theirs.push(await uploaded(app, account, large));
  const hers = await uploaded(app, honest, large);
  const few = await uploaded(app, await accountRow(db), people(3));
  await app.importer.tick();
  const { rows } = await sql<{ id: number }>`
    select id from contact_import where id >= ${theirs[0]} and state = 'done' order by finished_at`.execute(
    db,
  );
  const order = rows.map(({ id }) => id);
  expect(order).toHaveLength(7);
  expect(order[0]).toBe(few);
  expect(order.indexOf(hers)).toBeLessThanOrEqual(4);
  expect(order.slice(-2).filter((id) => theirs.slice(2).includes(id))).toHaveLength(2);
});

test("F34 a process that dies while it imports: nothing of it, then all of it, once", async () => {
  const app = contactsApp(database);
  const account = await accountRow(db);
  const id = await uploaded(app, account, people(5_000));
  // As kill -9 leaves it.
  await sql`update contact_import set state = 'running', worker = gen_random_uuid(), tries = 1, bytes_read = 10,
    lease_until = now() + interval '30 s' where id = ${id}`.execute(db);
  const neighbour = app.anotherProcess();
  await neighbour.tick();
  expect(await stateOf(id)).toMatchObject({ state: "running", tries: 1 });
  const next = app.anotherProcess({ alone: true });
  await next.start();
  await next.tick();
  await expect
    .poll(() => stateOf(id))
    .toMatchObject({ state: "done", imported: 5_000, tries: 2, spool: null });
  await next.stop();
  expect(await listsOf(account)).toEqual([{ contacts: 5_000, n: 5_000 }]);
});

async function whileRunning(
  app: ReturnType<typeof contactsApp>,
  id: number,
  act: () => void = () => undefined,
): Promise<{ work: Promise<void> }> {
  return unhurried(db, async (tx) => {
    await sql`lock table person in share mode`.execute(tx);
    const work = app.importer.tick();
    await expect.poll(async () => (await stateOf(id))?.state).toBe("running");
    act();
    return { work };
  });
}

test("what a killed process left of an upload goes while others work on, and nothing that is waited for", async () => {
  const app = contactsApp(database);
  const folder = path.join(app.dataFolder, "imports");
  await uploaded(app, await accountRow(db), people(3));
  const waits = fs.readdirSync(folder);
  const [left, young] = [randomUUID(), randomUUID()];
  for (const name of [left, young]) fs.writeFileSync(path.join(folder, name), people(3));
  const longAgo = new Date(Date.now() - 11 * 60_000);
  for (const name of [left, ...waits]) fs.utimesSync(path.join(folder, name), longAgo, longAgo);
  await sql`update contact_import set state = 'running', worker = gen_random_uuid(), lease_until = now() + interval '1 minute'
    where state = 'waiting'`.execute(db);
  const clock = manualClock(new Date());
  const neighbour = app.anotherProcess({ clock });
  await neighbour.tick();
  expect(fs.readdirSync(folder)).toContain(left);
  clock.advance(10 * 60_000);
  await neighbour.tick();
  expect(fs.readdirSync(folder).toSorted()).toEqual([...waits, young].toSorted());
});

test("an expired lease is taken over, and the former owner keeps nothing of what it did", async () => {
  const app = contactsApp(database);
  const account = await accountRow(db);
  const id = await uploaded(app, account, people(60_000));
  const { work: slow } = await whileRunning(app, id);
  const other = app.anotherProcess();
  const ticks: Promise<void>[] = [];
  const taken = async () => {
    await sql`update contact_import set lease_until = now() - interval '1 s' where id = ${id} and tries = 1`.execute(
      db,
    );
    ticks.push(other.tick());
    const now = await stateOf(id);
    return now?.state === "done" || now?.tries === 2;
  };
  await expect.poll(taken).toBe(true);
  await Promise.all([slow, ...ticks]);
  await expect.poll(() => stateOf(id)).toMatchObject({ state: "done", imported: 60_000 });
  expect(await listsOf(account)).toEqual([{ contacts: 60_000, n: 60_000 }]);
});

test("a process frozen in a COPY loses its import with its lease, also after a clock change", async () => {
  const app = contactsApp(database);
  const account = await accountRow(db);
  const id = await uploaded(app, account, `${people(10)}Sem número;x\n`);
  await sql`update contact_import set state = 'running', tries = 1, worker = gen_random_uuid(),
    lease_until = now() + interval '1 year' where id = ${id}`.execute(db);
  const freeze = async () => {
    const [begun, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const frozen = database.database.session((session) =>
      session.db.transaction().execute(async (tx) => {
        await markFilling(tx, id);
        await sql`insert into contact_import_row (import_id, row_number, kind, name, value, reason)
          values (${id}, 12, 'refused', '', 'x', 'phone_invalid')`.execute(tx);
        const copy = session.copyIn(
          "copy contact_import_row (import_id, row_number, kind, name, value, reason) from stdin",
        );
        copy.write("");
        begun.resolve();
        await Promise.race([once(copy, "close"), released.promise]);
        copy.destroy();
        throw new Error("the transaction was not ended");
      }),
    );
    onTestFinished(() => released.resolve());
    const ended = expect(frozen).rejects.toSatisfy(isDatabaseDown);
    await begun.promise;
    return { ended };
  };
  const over = (folder: string, ago: string) =>
    sql`update contact_import set spool_folder = ${folder}::uuid, lease_until = now() - ${ago}::interval where id = ${id}`.execute(
      db,
    );
  const first = await freeze();
  await app.importer.tick();
  const lease = sql`select state, lease_until <= now() + interval '1 minute' as short from contact_import where id = ${id}`;
  expect((await lease.execute(db)).rows).toEqual([{ state: "running", short: true }]);
  await over(randomUUID(), "1 s");
  await app.importer.tick();
  const copies = sql`select 1 from pg_stat_activity where datname = current_database() and query like 'copy contact_import_row (%'
    and state = 'active'`;
  expect((await copies.execute(db)).rows).toHaveLength(1);
  await over(randomUUID(), "6 minutes");
  await app.importer.tick();
  expect((await copies.execute(db)).rows).toEqual([]);
  await first.ended;
  const second = await freeze();
  await over(app.spool.folderId, "1 s");
  await app.importer.tick();
  expect(await stateOf(id)).toMatchObject({ state: "done", imported: 10, tries: 2 });
  await second.ended;
});

test("the imports of an account that is being deleted are stopped while one is at work", async () => {
  const app = contactsApp(database);
  const account = await accountRow(db);
  const id = await uploaded(app, account, people(10));
  await db.transaction().execute(async (filling) => {
    await sql`insert into contact_import_row (import_id, row_number, kind, name, value, reason)
      values (${id}, 12, 'refused', '', 'x', 'phone_invalid')`.execute(filling);
    await pruneImports(ownerOf(db, account), app.spool);
  });
  expect(await stateOf(id)).toMatchObject({ state: "failed", fault: "import_interrupted", spool: null });
});

test("a stop in the middle gives the import back; the next process does it", async () => {
  const app = contactsApp(database);
  const account = await accountRow(db);
  const id = await uploaded(app, account, people(60_000));
  let stopped: Promise<void> | undefined;
  const { work } = await whileRunning(app, id, () => {
    stopped = app.importer.stop();
  });
  await stopped;
  await work;
  expect(await stateOf(id)).toMatchObject({ state: "waiting", tries: 0, worker: null });
  expect(await listsOf(account)).toEqual([]);
  await app.anotherProcess().tick();
  expect(await stateOf(id)).toMatchObject({ state: "done", imported: 60_000 });
});

test("a file that is gone fails with its reason", async () => {
  const app = contactsApp(database);
  const account = await accountRow(db);
  const id = await uploaded(app, account, people(10));
  for (const name of fs.readdirSync(path.join(app.dataFolder, "imports"))) {
    if (name !== "folder-id") fs.rmSync(path.join(app.dataFolder, "imports", name));
  }
  await app.importer.tick();
  expect(await stateOf(id)).toMatchObject({ state: "failed", fault: "import_interrupted" });
  const { body } = await app.as(account).call<ContactImport>("GET", `/api/contact-imports/${id}`);
  expect(body.fault?.error).toContain("Envie o arquivo de novo");
});

test("an import that keeps taking its process down is given up", async () => {
  const app = contactsApp(database);
  const account = await accountRow(db);
  const id = await uploaded(app, account, people(10));
  await sql`update contact_import set state = 'running', tries = 3, worker = gen_random_uuid(), lease_until = now() - interval '1 s'
    where id = ${id}`.execute(db);
  await app.importer.tick();
  expect(await stateOf(id)).toMatchObject({ state: "failed", fault: "import_failed" });
});

test("the start removes files that no import waits for, and does what waits", async () => {
  const app = contactsApp(database);
  const id = await uploaded(app, await accountRow(db), people(10));
  const folder = path.join(app.dataFolder, "imports");
  fs.writeFileSync(path.join(folder, "00000000-0000-4000-8000-000000000000"), "half an upload");
  const next = app.anotherProcess({ alone: true });
  onTestFinished(() => next.stop());
  await next.start();
  await expect.poll(() => stateOf(id)).toMatchObject({ state: "done", imported: 10 });
  await expect.poll(() => fs.readdirSync(folder)).toEqual(["folder-id"]);
});

test("an import on a host that never came back fails after a day, with its reason", async () => {
  const app = contactsApp(database);
  const account = await accountRow(db);
  const { rows } = await sql<{ id: number }>`
    insert into contact_import (account_id, list_name, state, spool, spool_folder, created_at, lease_until, imported)
    values (${account}::uuid, 'Perdida', 'waiting', gen_random_uuid(), gen_random_uuid(), now() - interval '25 hours', null, 0),
      (${account}::uuid, 'Pela metade', 'running', gen_random_uuid(), gen_random_uuid(), now() - interval '26 hours',
        now() - interval '25 hours', 300),
      (${await accountRow(db)}::uuid, 'Ainda lenta', 'running', gen_random_uuid(), gen_random_uuid(), now() - interval '25 hours',
        now() - interval '1 hour', 300)
    returning id`.execute(db);
  await app.importer.tick();
  const [lost, half, slow] = await Promise.all(rows.map(({ id }) => stateOf(id)));
  for (const one of [lost, half])
    expect(one).toMatchObject({ state: "failed", fault: "import_interrupted", imported: 0 });
  expect(slow).toMatchObject({ state: "running", imported: 300 });
});

test("F33 an upload that stops in the middle is given up, with its reason", async () => {
  const app = contactsApp(database, { stallMs: 20 });
  const account = await accountRow(db);
  const response = await app.app.hono.request("/api/contact-imports?name=a", {
    method: "POST",
    headers: { "x-account": account, "content-type": "text/csv" },
    body: new ReadableStream({ start: (controller) => controller.enqueue(Buffer.from("Nome;Telefone\n")) }),
    duplex: "half",
  } as RequestInit);
  expect(response.status).toBe(408);
  expect(await response.json()).toMatchObject({ code: "upload_stalled" });
  expect(fs.readdirSync(path.join(app.dataFolder, "imports"))).toEqual(["folder-id"]);
});
