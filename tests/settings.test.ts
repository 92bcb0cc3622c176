import { sql } from "kysely";
import { expect, test } from "vitest";
import { startMailServer } from "../simulators/mail/smtp-server.ts";
import type { Notifications } from "../src/contract/settings.ts";
import { composedApp } from "./support/composed-app.ts";
import { testDatabase } from "./support/database.ts";
import { allTables, fillAccount } from "./support/full-account.ts";
import { testMailServer } from "./support/mail.ts";

const PASSWORD = "girassol no quintal";
const SMTP_PASSWORD = "canário:da@senha/do correio";
const login = { user: "recado", pass: SMTP_PASSWORD };
const mail = await testMailServer({ login });
const database = await testDatabase();
const { db } = database;
const { app, signUp } = await composedApp(database, {
  RECADO_URL: "https://recado.exemplo.com.br",
  RECADO_SMTP_URL: `smtp://recado:${encodeURIComponent(SMTP_PASSWORD)}@127.0.0.1:${mail.port}`,
  RECADO_MAIL_FROM: "Recado <avisos@exemplo.com.br>",
  RECADO_MAIL_FOR: "all",
});

async function confirmed(name: string) {
  const person = await signUp(name);
  await sql`update account set email_confirmed_at = now()`.execute(db);
  return person;
}

async function call<T>(cookie: string, method: string, path: string, body?: unknown) {
  const headers = { cookie, ...(body === undefined ? {} : { "content-type": "application/json" }) };
  const init = body === undefined ? { method, headers } : { method, headers, body: JSON.stringify(body) };
  const answer = await app.hono.request(path, init);
  const text = await answer.text();
  const json = answer.headers.get("content-type")?.startsWith("application/json");
  return { status: answer.status, text, body: (json ? JSON.parse(text) : null) as T };
}

const subjects = (to: string) =>
  mail.emails
    .filter((one) => one.to.includes(to) && !one.text.includes("/confirmar-email#"))
    .map(({ headers }) => headers.get("subject"));

test("e-mails about the account go out by themselves, through the operator's server, with its password", async () => {
  const { cookie } = await confirmed("ana");
  const changed = await call(cookie, "POST", "/api/settings/password", {
    password: PASSWORD,
    newPassword: "o sabiá canta cedo",
    confirmPassword: "o sabiá canta cedo",
  });
  expect(changed.status).toBe(200);
  await call(cookie, "POST", "/api/settings/api-keys", { name: "Loja" });
  await expect
    .poll(() => subjects("ana@exemplo.com.br").toSorted())
    .toEqual(["A senha da sua conta foi trocada", "Uma chave de API foi criada"]);
  expect(mail.logins.every((pass) => pass === SMTP_PASSWORD)).toBe(true);
});

test("a campaign that ended is published without a request", async () => {
  const { id } = await confirmed("bia");
  const { rows } = await sql<{ id: number }>`
    insert into campaign (account_id, name, zone, nonce, status, total, sent_count, started_at, ended_at)
    values (${id}, 'Natal', 'America/Sao_Paulo', 77, 'ended', 3, 3, now(), now()) returning id`.execute(db);
  await expect.poll(() => subjects("bia@exemplo.com.br")).toEqual(["Campanha «Natal» concluída"]);
  const received = mail.emails.findLast((one) => one.to.includes("bia@exemplo.com.br"));
  expect(received?.text).toContain(`https://recado.exemplo.com.br/campaigns?detalhes=${rows[0]?.id}`);
});

test("neither key, password nor the mail server's password stands in any answer or row", async () => {
  const { cookie } = await confirmed("caio");
  const made = await call<{ key: string }>(cookie, "POST", "/api/settings/api-keys", { name: "x" });
  const secret = made.body.key.slice(-43);
  await call(cookie, "POST", "/api/settings/notifications/test");
  const answers: string[] = [];
  for (const path of ["api-keys", "sessions", "notifications", "usage", "export"])
    answers.push((await call(cookie, "GET", `/api/settings/${path}`)).text);
  const rows: string[] = [];
  for (const name of (await allTables(db)).keys())
    rows.push(JSON.stringify((await sql`select t::text from ${sql.table(name)} t`.execute(db)).rows));
  for (const text of [...answers, ...rows]) {
    expect(text).not.toContain(secret);
    expect(text).not.toContain(PASSWORD);
    expect(text).not.toContain("canário");
  }
});

test("the e-mail waits while the server is away, and the screen says what went wrong", async () => {
  const { cookie } = await confirmed("dora");
  await expect
    .poll(
      async () =>
        (await sql`select from mail where sent_at is null and given_up_at is null`.execute(db)).rows,
    )
    .toEqual([]);
  mail.fail({ at: "from", answer: "451 4.3.0 Try later", times: 1 });
  const failed = await call<Notifications>(cookie, "POST", "/api/settings/notifications/test");
  expect(failed.body.mail.last?.error).toBe("O servidor de e-mail pediu para tentar mais tarde. (451)");
});

test("a deleted account goes by itself, with everything, while others stay", async () => {
  const { id, cookie } = await confirmed("eva");
  await fillAccount(db, id);
  // No phone to inform here: as if the lane had done it.
  await sql`delete from connection where account_id = ${id} and kind = 'device'`.execute(db);
  const refused = await call<{ fields: object }>(cookie, "POST", "/api/settings/account/delete", {
    password: "errada 123",
  });
  expect(refused.body.fields).toEqual({ password: "Senha incorreta." });
  const gone = await call(cookie, "POST", "/api/settings/account/delete", { password: PASSWORD });
  expect(gone.status).toBe(204);
  expect((await call(cookie, "GET", "/api/me")).status).toBe(401);
  await expect
    .poll(async () => (await sql`select from account where id = ${id}`.execute(db)).rows.length)
    .toBe(0);
  expect((await sql`select from membership`.execute(db)).rows).toEqual([]);
  expect((await sql`select from person`.execute(db)).rows).toEqual([]);
  expect((await sql`select from account`.execute(db)).rows.length).toBeGreaterThan(2);
  await confirmed("eva");
});

test("without a mail server nothing is written that would all go out on the day on which there is one", async () => {
  const other = await testDatabase();
  const product = await composedApp(other);
  const { cookie } = await product.signUp("fabi");
  const headers = { cookie, "content-type": "application/json" };
  const init = { method: "POST", headers, body: JSON.stringify({ name: "x" }) };
  expect((await product.app.hono.request("/api/settings/api-keys", init)).status).toBe(201);
  expect((await sql`select from mail`.execute(other.db)).rows).toEqual([]);
});

test("the stand-in refuses who does not log in", async () => {
  const server = await startMailServer({ login });
  const net = await import("node:net");
  const socket = net.connect(server.port, "127.0.0.1").setEncoding("utf8");
  let heard = "";
  socket.on("data", (text) => {
    heard += text;
  });
  socket.write("EHLO x\r\nMAIL FROM:<a@b.c>\r\n");
  await expect.poll(() => heard).toContain("530 5.7.0");
  socket.destroy();
  await server.close();
});
