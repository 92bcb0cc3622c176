import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, expect, onTestFinished, test } from "vitest";
import { makeMediaCertificates } from "../../simulators/whatsapp/certificates.ts";
import { type EmbeddedPostgres, startEmbeddedPostgres } from "../../src/server/postgres/embedded-postgres.ts";
import { clientOf } from "../support/client.ts";
import { testLog } from "../support/database.ts";
import { freePort } from "../support/ports.ts";
import { SIGN_UP } from "../support/processes.ts";
import { type ProductServer, startProduct } from "../support/server.ts";
import { createDatabase, onServer } from "../support/server-databases.ts";

const folder = fs.mkdtempSync(path.join(os.tmpdir(), "recado-away-"));
fs.chmodSync(folder, 0o755);
const start = () =>
  startEmbeddedPostgres({
    dataFolder: folder,
    runFolder: path.join(folder, "run"),
    log: testLog,
    settings: { fsync: "off" },
  });

// An external server: it can go away, and the product cannot restart it.
let postgres: EmbeddedPostgres = await start();
await createDatabase(postgres.url("postgres"), "recado", null);
const product: ProductServer = await startProduct({ databaseUrl: postgres.url("recado") });
afterAll(async () => {
  await product.close();
  await postgres.stop();
  fs.rmSync(folder, { recursive: true, force: true });
});

const cookie = { value: "" };
const login = () =>
  product.fetch("/api/login", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ email: "ninguem@exemplo.com.br", password: "seja o que for" }),
  });

test("F6 while the database is away the product says so, and works again by itself within 5 s", async () => {
  expect((await login()).status).toBe(401);
  const asked = performance.now();
  expect((await login()).status).toBe(401);
  const usual = performance.now() - asked;
  const call = clientOf(product.url, { cookie });
  await call("POST", "/api/signup", SIGN_UP);
  await postgres.stop();

  const health = await product.fetch("/api/health");
  expect([health.status, health.headers.get("retry-after")]).toEqual([503, "5"]);
  expect(await health.json()).toEqual({ status: "degraded" });
  const refused = await login();
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "5"]);
  expect(await refused.json()).toEqual({
    code: "unavailable",
    error: "O serviço está indisponível no momento. Tente novamente em instantes.",
  });
  const inside = await product.fetch("/api/me", { headers: { cookie: cookie.value } });
  expect([inside.status, inside.headers.get("retry-after")]).toEqual([503, "5"]);
  expect(product.output()).not.toMatch(/"level":50/);

  postgres = await start();
  const back = performance.now();
  await expect.poll(async () => (await login()).status, { interval: 100 }).toBe(401);
  expect(performance.now() - back).toBeLessThan(5_000 + 2 * usual);
});

test("with a read-only database, as on a full disk, the product answers 503 and starts with a reason", async () => {
  const admin = (statement: string) => onServer(postgres.url("postgres"), statement);
  const onlyRead = async (on: boolean) => {
    await admin(`alter database recado set default_transaction_read_only = ${on ? "on" : "off"}`);
    await admin("select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = 'recado'");
  };
  await onlyRead(true);
  await expect
    .poll(async () => {
      const refused = await login();
      return [refused.status, refused.headers.get("retry-after")];
    })
    .toEqual([503, "5"]);
  const starting = startProduct({ databaseUrl: postgres.url("recado"), dataFolder: product.dataFolder });
  await expect(starting).rejects.toThrow(
    /\nO banco de dados não atende: cannot execute INSERT in a read-only transaction\. .*inicie de novo\.\n$/,
  );
  await onlyRead(false);
  await expect.poll(async () => (await login()).status, { interval: 100 }).toBe(401);
});

test("a database that does not exist is refused in words, without the password", async () => {
  const url = postgres.url("nothing").replace("recado@", "recado:topsecret@");
  const refused = startProduct({ databaseUrl: url });
  await expect(refused).rejects.toThrow(
    /O banco de dados de DATABASE_URL .* não atende: esse banco de dados não existe \(database "nothing" does not exist\)/,
  );
  await expect(refused).rejects.not.toThrow(/topsecret/);
});

test("an unknown database certificate is refused with the missing setting, and accepted with it", async () => {
  const other = fs.mkdtempSync(path.join(os.tmpdir(), "recado-tls-"));
  fs.chmodSync(other, 0o755);
  const options = { dataFolder: other, runFolder: path.join(other, "run"), log: testLog };
  await (await startEmbeddedPostgres({ ...options, settings: { fsync: "off" } })).stop();
  const cluster = path.join(other, "postgres");
  const place = (name: string, text: string): string => {
    const file = path.join(cluster, name);
    fs.writeFileSync(file, text, { mode: 0o600 });
    fs.chownSync(file, fs.statSync(cluster).uid, fs.statSync(cluster).gid);
    return file;
  };
  const { authority, key, certificate } = await makeMediaCertificates();
  const port = String(await freePort());
  const secure = await startEmbeddedPostgres({
    ...options,
    settings: {
      fsync: "off",
      listen_addresses: "127.0.0.1",
      port,
      ssl: "on",
      ssl_cert_file: place("server.crt", certificate),
      ssl_key_file: place("server.key", key),
    },
  });
  onTestFinished(async () => {
    await secure.stop();
    fs.rmSync(other, { recursive: true, force: true });
  });
  const server = `postgres://recado@127.0.0.1:${port}`;
  await createDatabase(`${server}/postgres`, "recado", null);
  await expect(startProduct({ databaseUrl: `${server}/recado?sslmode=verify-full` })).rejects.toThrow(
    /não atende: este computador não conhece quem assinou o certificado dele \(.*\)\. .*sslrootcert=ARQUIVO/,
  );
  const trusted = encodeURIComponent(place("authority.crt", authority));
  const it = await startProduct({
    databaseUrl: `${server}/recado?sslmode=verify-full&sslrootcert=${trusted}`,
  });
  expect((await it.fetch("/api/health")).status).toBe(200);
  await it.close();
});
