import { createServer } from "node:http";
import { sql } from "kysely";
import { afterAll, expect, test } from "vitest";
import { testDatabase } from "../support/database.ts";
import { startProduct } from "../support/server.ts";

const { db, url: databaseUrl } = await testDatabase();
const closes: (() => Promise<unknown>)[] = [];
afterAll(async () => {
  for (const close of closes) await close();
});

const counts = async () =>
  (
    await sql`select (select count(*)::int from worker) as workers, (select count(*)::int from setting) as settings,
      (select count(*)::int from pg_stat_activity where datname = current_database() and application_name like 'recado%'
        and pid <> pg_backend_pid()) > 2 as connected`.execute(db)
  ).rows[0];

test("27.10 F12 with a taken port nothing has been touched when the start says so", async () => {
  const taken = createServer((_, answer) => answer.writeHead(404).end()).listen(0, "127.0.0.1");
  await new Promise((resolve) => taken.once("listening", resolve));
  const { port } = taken.address() as { port: number };
  const before = await counts();
  const options = { databaseUrl, port, env: { RECADO_URL: "http://recado.test" } };
  await expect(startProduct(options)).rejects.toThrow(/Não foi possível abrir http:\/\/127\.0\.0\.1:\d+/);
  expect(await counts()).toEqual(before);
  taken.closeAllConnections();
  await new Promise((resolve) => taken.close(resolve));
});

test("27.10 F11 an old process gives up its lanes and writes nothing once the schema is newer, and says so", async () => {
  const old = await startProduct({ databaseUrl });
  closes.push(old.close);
  const workers = async () =>
    (await sql`select from worker where lease_until > now()`.execute(db)).rows.length;
  await expect.poll(workers).toBe(1);
  const beside = await startProduct({ databaseUrl, dataFolder: old.dataFolder });
  await beside.stop();

  await sql`insert into schema_migration (name, sha256) values ('9999_newer.sql', '')`.execute(db);
  await expect.poll(workers, { timeout: 20_000 }).toBe(0);
  expect(old.output()).toContain("a newer version has changed the database");
  const login = await old.fetch("/api/login", { method: "POST", body: "{}" });
  expect([login.status, await login.json()]).toEqual([503, expect.objectContaining({ code: "outdated" })]);
  const hook = await old.fetch("/hooks/evolution/x", { method: "POST", body: "{}" });
  expect([hook.status, hook.headers.get("retry-after")]).toEqual([503, "2"]);
  expect((await old.fetch("/api/health/ready")).status).toBe(503);
  expect((await old.fetch("/api/health/live")).status).toBe(200);
  expect((await old.fetch("/login")).status).toBe(200);
});
