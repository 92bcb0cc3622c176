import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import path from "node:path";
import { sql } from "kysely";
import { afterAll, expect, test } from "vitest";
import { testDatabase } from "../support/database.ts";
import { freePort } from "../support/ports.ts";
import { type ProductServer, startProduct } from "../support/server.ts";

const { db, url: databaseUrl } = await testDatabase();
const product = await startProduct({ databaseUrl });
afterAll(() => product.close());
const same = { databaseUrl, dataFolder: product.dataFolder };

test("a port that is taken is said in words", async () => {
  const { port } = new URL(product.url);
  await expect(startProduct({ ...same, env: { PORT: port } })).rejects.toThrow(
    new RegExp(`Não foi possível abrir http://127.0.0.1:${port}: outro programa já usa esta porta`),
  );
});

test("an address that this machine does not have is said in words", async () => {
  // In the documentation block (RFC 5737), which no machine has.
  await expect(startProduct({ ...same, env: { HOST: "192.0.2.1" } })).rejects.toThrow(
    /Não foi possível abrir http:\/\/192\.0\.2\.1:\d+: este computador não tem esse endereço \(.*\)\. Defina PORT ou HOST\./,
  );
});

test("an invalid configuration ends the start before anything is touched, with all errors in words", async () => {
  const refused = startProduct({ ...same, env: { LOG_LEVEL: "loud", RECADO_URL: "exemplo" } });
  await expect(refused).rejects.toThrow(
    /A configuração tem 2 problemas:\n {2}RECADO_URL: .*\n {2}LOG_LEVEL: /,
  );
});

test("an option, which there are none of, ends the start in words, for it would be served elsewhere than was meant", () => {
  const { status, stdout, stderr } = spawnSync(process.execPath, ["dist/server/main.js", "--port", "4000"], {
    encoding: "utf8",
    env: { PATH: process.env.PATH, RECADO_DATA: "/dev/null" },
  });
  expect({ status, stdout, stderr }).toEqual({
    status: 1,
    stdout: "",
    stderr: expect.stringMatching(
      /^npm start não recebe opções, e foi dado: --port 4000\. .*PORT=4000 npm start.*\n$/,
    ),
  });
});

test("a full disk at the setup of the database is reported as that, with the remedy", async () => {
  const full = await testDatabase({ empty: true });
  await sql
    .raw(`create function no_room() returns event_trigger language plpgsql as
    $$begin raise exception 'could not extend file' using errcode = '53100'; end$$`)
    .execute(full.db);
  await sql`create event trigger full_disk on ddl_command_end execute function no_room()`.execute(full.db);
  await expect(startProduct({ databaseUrl: full.url })).rejects.toThrow(
    /Não há espaço no disco do banco de dados\. Libere espaço e inicie de novo\./,
  );
  await sql`drop event trigger full_disk`.execute(full.db);
});

test("Ctrl-C while it waits for a database that is not there ends it at once, in order", async () => {
  const child = spawn(process.execPath, ["dist/server/main.js"], {
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      PATH: process.env.PATH,
      LOG_LEVEL: "warn",
      RECADO_DATA: product.dataFolder,
      DATABASE_URL: `postgres://recado@127.0.0.1:${await freePort()}/recado`,
    },
  });
  let printed = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => {
      printed += text;
    });
  await expect.poll(() => printed, { timeout: 60_000 }).toContain("waiting for the database");
  const asked = performance.now();
  child.kill("SIGINT");
  const [code] = await once(child, "exit");
  expect(code).toBe(0);
  expect(printed).toMatch(/Encerrando…\n/);
  expect(printed).not.toContain("não atende");
  // Otherwise it would wait for half a minute.
  expect(performance.now() - asked).toBeLessThan(15_000);
});

const signUp = (server: ProductServer, origin: string) =>
  server.fetch("/api/signup", {
    method: "POST",
    headers: { origin, "content-type": "application/json" },
    body: JSON.stringify({
      name: "Ana",
      email: "ana@exemplo.com.br",
      password: "girassol no quintal",
      confirmPassword: "girassol no quintal",
      acceptTerms: true,
    }),
  });

test("RECADO_URL and RECADO_TERMS_FILE set the cookie's host and Secure, allow sign-up behind a proxy, and replace the terms", async () => {
  const terms = path.join(product.dataFolder, "termos.md");
  fs.writeFileSync(terms, "# Termos da Ótica Horizonte\n\nSó com consentimento.");
  const server = await startProduct({
    ...same,
    env: { RECADO_URL: "https://recado.example", RECADO_TERMS_FILE: terms },
  });
  const shown = (await (await server.fetch("/api/terms")).json()) as { version: string; text: string };
  expect(shown.text).toBe("# Termos da Ótica Horizonte\n\nSó com consentimento.");

  expect((await signUp(server, "http://recado.example")).status).toBe(403);
  const before = Date.now();
  const made = await signUp(server, "https://recado.example");
  expect(made.status).toBe(201);
  expect(made.headers.getSetCookie()).toEqual([
    expect.stringMatching(
      /^__Host-recado\.session_token=[^;]+; Max-Age=2592000; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
    ),
    expect.stringMatching(
      /^__Host-recado\.browser=[^;]+; Max-Age=34560000; Path=\/; HttpOnly; SameSite=Lax; Secure$/,
    ),
  ]);
  const cookie = made.headers.getSetCookie()[0]?.split(";")[0] ?? "";
  expect((await server.fetch("/api/me", { headers: { cookie } })).status).toBe(200);
  expect(await (await server.fetch("/api/openapi.json")).json()).toMatchObject({
    components: { securitySchemes: { session: { name: "__Host-recado.session_token" } } },
  });
  const { rows } = await sql<{ version: string; at: Date }>`
    select terms_version as version, terms_accepted_at as at from account`.execute(db);
  expect(rows).toMatchObject([{ version: shown.version }]);
  expect(Number(rows[0]?.at)).toBeGreaterThanOrEqual(before - 1_000);
  await server.close();
});

test("serving others over plain http is warned of; on this machine alone, or over https, it is not", async () => {
  const warning = /Atenção: O Recado atende fora desta máquina por http/;
  expect(product.output()).not.toMatch(warning);
  const open = await startProduct({ ...same, env: { HOST: "0.0.0.0" } });
  await expect.poll(() => open.output()).toMatch(warning);
  expect(product.output()).toContain("Cadastro: aberto a quem alcançar este endereço");
  await expect.poll(() => open.output()).toContain("Cadastro: só por convite (npm run account -- invite)");
  await open.close();
  const behindProxy = await startProduct({
    ...same,
    env: { HOST: "0.0.0.0", RECADO_URL: "https://recado.example", RECADO_TRUST_PROXY: "1" },
  });
  await expect.poll(() => behindProxy.output()).toContain("Recado em https://recado.example");
  expect(behindProxy.output()).not.toMatch(/Atenção/);
  expect((await behindProxy.fetch("/api/health")).headers.get("strict-transport-security")).toBe(
    "max-age=31536000",
  );
  await behindProxy.close();
});

test("an https address implies a proxy: without the setting the start explains the effect", async () => {
  const env = { RECADO_URL: "https://recado.example" };
  const unsaid = await startProduct({ ...same, env });
  await expect
    .poll(() => unsaid.output())
    .toMatch(/Atenção: Há um proxy à frente .* defina RECADO_TRUST_PROXY=1\./);
  await unsaid.close();
  const none = await startProduct({ ...same, env: { ...env, RECADO_TRUST_PROXY: "0" } });
  await expect.poll(() => none.output()).toContain("Recado em https://recado.example");
  expect(none.output()).not.toMatch(/Atenção/);
  await none.close();
});
