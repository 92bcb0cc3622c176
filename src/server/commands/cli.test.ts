import { spawn } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, expect, test } from "vitest";
import {
  confirmEmailOf,
  cookieOf,
  signUpForm,
  testAccounts,
  visitor,
  withCookie,
} from "../../../tests/support/accounts.ts";
import { allRows } from "../../../tests/support/backup.ts";
import { testDatabase, testLog } from "../../../tests/support/database.ts";
import { COMPILED } from "../../../tests/support/server.ts";
import { readConfig } from "../base/config.ts";
import { openStorage } from "../postgres/storage.ts";
import { statusLines } from "./status.ts";

const { database, url } = await testDatabase();
const folder = fs.mkdtempSync(path.join(os.tmpdir(), "recado-cli-"));
fs.chmodSync(folder, 0o755);
afterAll(() => fs.rmSync(folder, { recursive: true }));

async function account(
  args: string[],
  input = "",
  settings: Record<string, string> = { DATABASE_URL: url },
): Promise<{ code: number | null; out: string; err: string }> {
  const env = { PATH: process.env.PATH, RECADO_DATA: folder, ...COMPILED, ...settings };
  const child = spawn(process.execPath, [path.join(import.meta.dirname, "cli.ts"), ...args], { env });
  child.stdin.end(input);
  let out = "";
  let err = "";
  child.stdout.on("data", (chunk) => {
    out += chunk;
  });
  child.stderr.on("data", (chunk) => {
    err += chunk;
  });
  const code = await new Promise<number | null>((resolve) => child.on("close", resolve));
  return { code, out, err };
}

test("a password from a pipe is set beside a running server, ends sessions and notifies the owner", async () => {
  const accounts = testAccounts(database);
  const email = "ana@exemplo.com";
  const { me, setCookie } = await accounts.signUp(signUpForm({ email }), visitor());
  await confirmEmailOf(database.db, me.id);

  const emails = {
    DATABASE_URL: url,
    RECADO_SMTP_URL: "smtp://127.0.0.1:1",
    RECADO_MAIL_FROM: "avisos@exemplo.com.br",
  };
  const reset = await account(["reset-password", "--email", email], "lagoa azul 77\n", emails);
  expect(reset).toEqual({
    code: 0,
    out: "A senha de ana@exemplo.com foi trocada. Sessões encerradas: 1.\n",
    err: "",
  });
  expect(await accounts.authenticate(withCookie(cookieOf(setCookie)))).toBeNull();
  await accounts.login({ email, password: "lagoa azul 77" }, visitor());
  const key = await account(["create-key", "--email", email, "--name", "Loja"], "", emails);
  expect(key).toMatchObject({ code: 0, err: "" });
  const sentMail = await database.query<{ subject: string }>("select subject from mail order by id");
  expect(sentMail.rows.map(({ subject }) => subject)).toEqual([
    "A senha da sua conta foi trocada",
    "Uma chave de API foi criada",
  ]);

  const refused = await account(["reset-password", "--email", email], "senha123\n");
  expect(refused).toMatchObject({ code: 1, out: "" });
  expect(refused.err).toBe("A senha não foi trocada. Esta senha é fácil de adivinhar. Escolha outra.\n");
});

test("the embedded database is joined when it runs on the data folder, and started otherwise", async () => {
  const config = readConfig({ RECADO_DATA: folder });
  const running = await openStorage(config, testLog);
  const visits = await Promise.all([account(["list"], "", {}), account(["list"], "", {})]);
  expect(visits).toEqual(Array(2).fill({ code: 0, out: "0 contas\n", err: "" }));
  expect((await running.database.query("select 1 as one")).rows).toEqual([{ one: 1 }]);
  await running.close();
  expect(await account(["list"], "", {})).toEqual({ code: 0, out: "0 contas\n", err: "" });
});

test("of an empty database a command makes none: a copy can still be restored into it", async () => {
  const empty = await testDatabase({ empty: true });
  const place = path.join(folder, "vazia");
  const { code, out, err } = await account(["list"], "", { DATABASE_URL: empty.url, RECADO_DATA: place });
  expect([code, out]).toEqual([1, ""]);
  expect(err).toMatch(/^Não há um Recado neste banco de dados, e nada foi feito\. .*npm run restore\.\n$/);
  expect([...(await allRows(empty.db)).keys()]).toEqual([]);
  expect(fs.existsSync(path.join(place, "secret.key"))).toBe(false);
});

test("without an installation none is created, and the message names RECADO_DATA", async () => {
  const nowhere = path.join(folder, "nada");
  const { code, out, err } = await account(["status"], "", { RECADO_DATA: nowhere });
  expect([code, out]).toEqual([1, ""]);
  expect(err).toBe(
    `Não há um Recado aqui: a pasta de dados ${nowhere} não existe. Defina RECADO_DATA como no servidor.\n`,
  );
  expect(fs.existsSync(nowhere)).toBe(false);
});

test("a database that does not answer is reported in words, at once and without its password", async () => {
  const away = await account(["list"], "", { DATABASE_URL: "postgres://recado:topsecret@127.0.0.1:1/none" });
  expect([away.code, away.out]).toEqual([1, ""]);
  expect(away.err).toMatch(/^O banco de dados de DATABASE_URL \(127\.0\.0\.1:1\) não atende: .*\n$/);
  expect(away.err).not.toContain("topsecret");
});

test("a database that does not exist is reported in words", async () => {
  const none = url.replace(/\/[^/?]+(?=\?|$)/, "/recado_que_nao_ha");
  const { code, out, err } = await account(["list"], "", { DATABASE_URL: none });
  expect([code, out]).toEqual([1, ""]);
  expect(err).toMatch(/ não atende: esse banco de dados não existe \(.*recado_que_nao_ha.*\)\.\n$/);
});

test("a database of an older version is not migrated by a command, for a server of that version may run on it", async () => {
  const config = readConfig({ RECADO_DATA: folder, DATABASE_URL: url });
  const { rows } = await database.query<{ name: string; sha256: string }>(
    "delete from schema_migration where name = (select max(name) from schema_migration) returning name, sha256",
  );
  const [last] = rows;
  await expect(openStorage(config, testLog, { visit: true })).rejects.toThrow(
    `Este banco de dados ainda é de uma versão anterior do Recado (falta ${last?.name}). Nada foi feito. ` +
      "Encerre o Recado, inicie esta versão, que o atualiza, e repita o comando.",
  );
  const values = [last?.name, last?.sha256];
  await database.query(
    "insert into schema_migration (name, sha256) values ($1, $2), ('9999_x.sql', '')",
    values,
  );
  const newer = openStorage(config, testLog, { visit: true });
  await expect(newer).rejects.toThrow(/atualizado por uma versão mais nova do Recado \(9999_x\.sql\)/);
  await database.query("delete from schema_migration where name = '9999_x.sql'");
});

test("the status describes the installation and says that no process is working on it", async () => {
  const { code, out, err } = await account(["status"]);
  expect([code, err]).toEqual([0, ""]);
  const lines = Object.fromEntries(
    out
      .trim()
      .split("\n")
      .map((line) => {
        const at = line.indexOf(": ");
        return [line.slice(0, at).replace(/ em .*/, ""), line.slice(at + 2)];
      }),
  );
  expect(lines).toEqual({
    Versão: expect.stringMatching(/^Recado \d+\.\d+\.\d+, Node v24\.\S+, esquema \d{4}_\w+/),
    "Banco de dados": expect.stringMatching(/^externo, PostgreSQL \d+\S*.*, [\d,]+ MB$/),
    "Disco livre": expect.stringMatching(/^[\d.,]+ [GM]B$/),
    "Processos que trabalham": "0 (o Recado ainda não foi iniciado)",
    "Última cópia": "nenhuma feita daqui",
    Retida: "não",
  });
  await database.query("create schema pgboss create table queue ()");
  const figures = statusLines({ database, kind: "external", dataFolder: folder });
  await expect(figures, "an error is no installation before its start").rejects.toThrow(
    'column "name" does not exist',
  );
  await database.query("drop schema pgboss cascade");
});
