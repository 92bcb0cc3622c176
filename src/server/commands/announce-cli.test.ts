import { type ChildProcess, spawn } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { sql } from "kysely";
import { afterAll, expect, test } from "vitest";
import { testDatabase } from "../../../tests/support/database.ts";
import { testMailServer } from "../../../tests/support/mail.ts";
import { COMPILED } from "../../../tests/support/server.ts";
import { endRestoreLock, writeRestoreLock } from "../db/restore-lock.ts";
import { openDataFolder } from "../postgres/data-folder.ts";

const { db, url } = await testDatabase();
const server = await testMailServer();
const folder = fs.mkdtempSync(path.join(os.tmpdir(), "recado-announce-"));
afterAll(() => fs.rmSync(folder, { recursive: true }));
const file = path.join(folder, "novidades.md");
fs.writeFileSync(file, "# Novidades\n\nAgora em dois idiomas.\n");

const settings = {
  DATABASE_URL: url,
  RECADO_URL: "https://recado.exemplo.com.br",
  RECADO_SMTP_URL: `smtp://127.0.0.1:${server.port}`,
  RECADO_MAIL_FROM: "avisos@exemplo.com.br",
};

function announce(args: string[], env: Record<string, string> = settings): ChildProcess {
  const cli = path.join(import.meta.dirname, "announce-cli.ts");
  return spawn(process.execPath, [cli, ...args], {
    env: { PATH: process.env.PATH, RECADO_DATA: folder, ...COMPILED, ...env },
  });
}

async function ended(child: ChildProcess): Promise<{ code: number | null; out: string }> {
  let out = "";
  for (const stream of [child.stdout, child.stderr])
    stream?.on("data", (chunk) => {
      out += String(chunk);
    });
  const code = await new Promise<number | null>((resolve) => child.on("close", resolve));
  return { code, out };
}

const others = async () =>
  (
    await sql`select pid from pg_stat_activity
      where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid()`.execute(
      db,
    )
  ).rows;

const PEOPLE = 150;
const news = ["--kind", "product", file];

test("killed in the middle and run again, everybody has the news under one name", async () => {
  await sql`with made as (
      insert into account (name, email, terms_version, terms_accepted_at, email_confirmed_at)
      select 'Ana', 'ana' || n || '@exemplo.com.br', 'v1', now(), now() from generate_series(1, ${PEOPLE}) n returning id)
    insert into notification_preference (account_id, email_product) select id, true from made`.execute(db);
  const first = announce(news);
  await expect.poll(() => server.emails.length, { interval: 1 }).toBeGreaterThan(5);
  first.kill("SIGKILL");
  await ended(first);
  // The killed process's statements may still run.
  await expect.poll(others).toEqual([]);
  expect(server.emails.length).toBeLessThan(PEOPLE);

  // Its claims last five minutes.
  await sql`update mail set next_at = now() where sent_at is null`.execute(db);
  const { code, out } = await ended(announce(news));
  expect([code, out]).toEqual([
    0,
    `«Novidades»: 0 na fila.\nDe ${PEOPLE}: ${PEOPLE} enviadas, 0 não enviadas, 0 para tentar de novo mais tarde.\n`,
  ]);
  const names = new Map<string, Set<string>>();
  for (const { to, headers } of server.emails) {
    const known = names.get(String(to)) ?? new Set();
    names.set(String(to), known.add(headers.get("message-id") ?? ""));
  }
  expect(names.size).toBe(PEOPLE);
  expect([...names.values()].every((known) => known.size === 1)).toBe(true);
  // At most the e-mails in transit twice.
  expect(server.emails.length).toBeLessThanOrEqual(PEOPLE + 2);
});

test("one e-mail is reported in the singular", async () => {
  const marketing = ["--kind", "marketing", file];
  await sql`with ana as (
      insert into account (name, email, terms_version, terms_accepted_at, email_confirmed_at)
      values ('Ana', 'so.ana@exemplo.com.br', 'v1', now(), now()) returning id)
    insert into notification_preference (account_id, email_marketing) select id, true from ana`.execute(db);
  expect(await ended(announce(marketing))).toEqual({
    code: 0,
    out: "«Novidades»: 1 na fila.\nDe 1: 1 enviada, 0 não enviadas, 0 para tentar de novo mais tarde.\n",
  });
});

test("F26 in a restored copy that is held nothing is put out, and the command says why", async () => {
  await sql`update notification_preference set email_marketing = true`.execute(db);
  await writeRestoreLock(db, new Date().toISOString());
  const written = sql`select from mail`;
  const before = (await written.execute(db)).rows.length;
  const { code, out } = await ended(announce(["--kind", "marketing", file]));
  expect([code, out]).toEqual([1, expect.stringMatching(/^Nada é enviado daqui ainda: .*--release\n$/)]);
  expect((await written.execute(db)).rows).toHaveLength(before);
  await endRestoreLock(db);
});

test("beside a server whose database is not up yet it says so in words", async () => {
  const starting = path.join(folder, "iniciando");
  fs.mkdirSync(starting);
  fs.chmodSync(folder, 0o755);
  const { release } = await openDataFolder(starting);
  const { code, out } = await ended(announce(news, { ...settings, DATABASE_URL: "", RECADO_DATA: starting }));
  expect([code, out]).toEqual([1, expect.stringMatching(/^O banco de dados não respondeu: /)]);
  await release();
});

test.each([
  ["no mail server", news, { DATABASE_URL: url }, "RECADO_SMTP_URL"],
  ["no address of ours", news, { ...settings, RECADO_URL: "" }, "RECADO_URL"],
  ["no such file", ["--kind", "product", "/nada.md"], settings, "/nada.md não existe"],
  [
    "a folder for a file",
    ["--kind", "product", folder],
    settings,
    `${folder} não pode ser lido: é uma pasta`,
  ],
  [
    "a database that is away",
    news,
    { ...settings, DATABASE_URL: "postgres://recado@127.0.0.1:1/recado" },
    "não atende: ninguém atende nesse endereço e porta",
  ],
  ["no kind", [file], settings, "Uso: npm run announce"],
  ["two kinds", [...news, "--kind", "marketing"], settings, "--kind foi dada mais de uma vez"],
])("%s: refused in words", async (_name, args, env, words) => {
  const { code, out } = await ended(announce(args, env));
  expect(code).toBe(1);
  expect(out).toContain(words);
});
