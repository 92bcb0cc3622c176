import { sql } from "kysely";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { testApi } from "../../../tests/support/api.ts";
import { accountRow } from "../../../tests/support/campaign-rows.ts";
import { testDatabase, testLog } from "../../../tests/support/database.ts";
import {
  smtpOf,
  TEST_ORIGIN,
  testMailServer,
  testSender,
  UNSUBSCRIBE_TEST_KEY,
} from "../../../tests/support/mail.ts";
import { openServices } from "../../../tests/support/open-services.ts";
import type { Notifications } from "../../contract/settings.ts";
import { systemClock } from "../base/clock.ts";
import { parseAnnouncement, readNews } from "../commands/announce.ts";
import { setServiceOpen } from "../db/operator-services.ts";
import { ownerOf } from "../db/owner.ts";
import { attemptLimit } from "../db/rate-limit.ts";
import { createApp } from "../http/app.ts";
import { deleteOldEmails, insertEmail } from "./mail-repo.ts";
import { openMailer } from "./mailer.ts";
import { writeEmail } from "./news.ts";
import { newsProgress, queueNews } from "./news-repo.ts";
import { mountNotifications } from "./routes.ts";
import { EmailSender } from "./sender.ts";
import { notificationService } from "./service.ts";
import { readUnsubscribeToken, unsubscribeToken, unsubscribing } from "./unsubscribe.ts";

const { db, database } = await testDatabase();
await openServices(db);
const server = await testMailServer();
const sender = testSender(db, systemClock, smtpOf(server));
const limitTests = attemptLimit(database, "test-mail", { attempts: 5, seconds: 3_600 });
const common = { clock: systemClock, publicUrl: TEST_ORIGIN, limitTests };
const links = unsubscribing(db, [UNSUBSCRIBE_TEST_KEY], systemClock.now);
const api = testApi(db, (app) =>
  mountNotifications(app, { service: notificationService({ ...common, sender }), unsubscribing: links }),
);
const without = testApi(db, (app) =>
  mountNotifications(app, {
    service: notificationService({ ...common, sender: null }),
    unsubscribing: links,
  }),
);

beforeEach(async () => {
  await sql`truncate account, rate_limit cascade`.execute(db);
  server.emails.length = 0;
  server.recover();
});

const sendAll = () => sender.sendDue(Number.POSITIVE_INFINITY);

const PATH = "/api/settings/notifications";
const DEFAULTS = {
  emailCampaignCompleted: true,
  emailDeliveryIssues: true,
  emailAccountUpdates: true,
  emailMarketing: false,
  emailProduct: false,
  browserCampaignStatus: true,
  browserNewMessage: true,
};

test("the boxes begin as the specification has them, and each is kept for itself @spec 2.58", async () => {
  const ana = api(await accountRow(db));
  const first = await ana<Notifications>("GET", PATH);
  expect(first.body).toEqual({ ...DEFAULTS, mail: { configured: true, closed: false, last: null } });
  for (const name of Object.keys(DEFAULTS) as (keyof typeof DEFAULTS)[]) {
    const before = (await ana<Notifications>("GET", PATH)).body;
    const saved = await ana<Notifications>("PATCH", PATH, { [name]: !before[name] });
    expect(saved.body).toEqual({ ...before, [name]: !before[name] });
  }
  expect((await ana<Notifications>("PATCH", PATH, {})).status).toBe(200);
});

test("27.6 e-mails that the operator opened to named accounts alone are closed to others, and no test is sent", async () => {
  await openServices(db, { mail: "named" });
  onTestFinished(() => openServices(db));
  const account = await accountRow(db);
  const ana = api(account);
  const closed = async () => (await ana<Notifications>("GET", PATH)).body.mail.closed;
  expect(await closed()).toBe(true);
  expect((await ana<{ code: string }>("POST", `${PATH}/test`)).body.code).toBe("service_closed");
  expect(server.emails).toHaveLength(0);
  await setServiceOpen(ownerOf(db, account), "mail", true);
  expect(await closed()).toBe(false);
});

test("the test e-mail arrives, and the screen says so", async () => {
  const ana = api(await accountRow(db));
  const sent = await ana<Notifications>("POST", `${PATH}/test`);
  expect(sent.body.mail).toEqual({
    configured: true,
    closed: false,
    last: { subject: "Mensagem de teste do Recado", at: expect.any(String), error: null },
  });
  expect(server.emails.map(({ headers }) => headers.get("subject"))).toEqual(["Mensagem de teste do Recado"]);
});

test("the test e-mail arrives once, also where e-mails that are due are sent at that very moment", async () => {
  const mailer = openMailer(smtpOf(server), { name: "Recado", address: "avisos@exemplo.com.br" });
  onTestFinished(mailer.close);
  const sendOnce = async (id: number) => {
    const send: typeof mailer.send = async (email) => {
      const sent = await mailer.send(email);
      await sender.sendOnce(id);
      return sent;
    };
    const key = UNSUBSCRIBE_TEST_KEY;
    const write = writeEmail({ publicUrl: null, key, resetKey: key, confirmKey: key });
    const other = new EmailSender({
      db,
      clock: systemClock,
      log: testLog,
      write,
      mailer: { ...mailer, send },
    });
    await other.sendDue(Number.POSITIVE_INFINITY);
    await sender.sendOnce(id);
  };
  const service = notificationService({ ...common, sender: { sendOnce } });
  const busy = testApi(db, (app) => mountNotifications(app, { service, unsubscribing: links }));
  await busy(await accountRow(db))("POST", `${PATH}/test`);
  expect(server.emails).toHaveLength(1);
});

test("a test e-mail that fails says why, in the account's language, and is not sent later by itself", async () => {
  const account = await accountRow(db);
  const ana = api(account);
  server.fail({ at: "to", answer: "450 4.2.1 canário do servidor" });
  const failed = await ana<Notifications>("POST", `${PATH}/test`);
  expect(failed.body.mail.last?.error).toBe("O servidor de e-mail pediu para tentar mais tarde. (450)");
  await sql`update account set language = 'en'`.execute(db);
  const english = await ana<Notifications>("GET", PATH);
  expect(english.body.mail.last?.error).toBe("The mail server asked to try again later. (450)");
  const { rows } = await sql<{ given_up_at: Date | null }>`select given_up_at from mail`.execute(db);
  expect(rows[0]?.given_up_at).not.toBeNull();
});

test("five test e-mails an hour, and the sixth waits", async () => {
  const ana = api(await accountRow(db));
  for (let n = 0; n < 5; n++) expect((await ana("POST", `${PATH}/test`)).status).toBe(200);
  expect((await ana("POST", `${PATH}/test`)).status).toBe(429);
  expect(server.emails).toHaveLength(5);
});

test("without a mail server the screen says so, and a test e-mail is refused in words", async () => {
  const ana = without(await accountRow(db));
  expect((await ana<Notifications>("GET", PATH)).body.mail).toEqual({
    configured: false,
    closed: false,
    last: null,
  });
  const refused = await ana<{ code: string }>("POST", `${PATH}/test`);
  expect([refused.status, refused.body.code]).toEqual([409, "mail_not_configured"]);
});

const NEWS = "# Novidades de novembro\n\nAgora há **dois** idiomas.\n";

async function subscriber(kind: "product" | "marketing"): Promise<string> {
  const account = await accountRow(db);
  await api(account)("PATCH", PATH, kind === "product" ? { emailProduct: true } : { emailMarketing: true });
  return account;
}

const announce = async (kind: "product" | "marketing", text = NEWS) => {
  const news = readNews(kind, Buffer.from(text));
  const fresh = await queueNews(db, news, new Date());
  return { news, fresh };
};

test("news reach those who asked for them, each once, however often the command runs", async () => {
  await subscriber("product");
  await subscriber("marketing");
  await accountRow(db);
  const { news, fresh } = await announce("product");
  expect(fresh).toBe(1);
  await sendAll();
  expect((await announce("product")).fresh).toBe(0);
  await sendAll();
  expect(server.emails).toHaveLength(1);
  expect(server.emails[0]?.headers.get("subject")).toBe("Novidades de novembro");
  expect(server.emails[0]?.text).toContain("Agora há **dois** idiomas.");
  expect(await newsProgress(db, news)).toEqual({ total: 1, sent: 1, failed: 0, waiting: 0 });
  // A later subscriber gets them at the next run.
  await subscriber("product");
  expect((await announce("product")).fresh).toBe(1);
});

test("after an interruption the next run sends the rest, to no one twice", async () => {
  for (let n = 0; n < 7; n++) await subscriber("marketing");
  await announce("marketing");
  server.fail({ at: "from", answer: "cut" });
  await sendAll();
  server.recover();
  await sql`update mail set next_at = now()`.execute(db);
  const half = testSender(db, systemClock, smtpOf(server));
  await half.sendDue(performance.now() + 1);
  await announce("marketing");
  await sendAll();
  const receivers = server.emails.flatMap(({ to }) => to);
  expect(receivers).toHaveLength(7);
  expect(new Set(receivers).size).toBe(7);
});

test("e-mails that went out long ago are forgotten, but neither the news, or they would come again, nor what still waits", async () => {
  const account = await subscriber("product");
  await announce("product");
  await api(account)("POST", `${PATH}/test`);
  await sendAll();
  const email = { kind: "account_updates", key: "x", subject: "Ainda espera", body: "Olá.\n" } as const;
  const tomorrow = new Date(Date.now() + 86_400_000);
  await insertEmail(ownerOf(db, account), { ...email, notBefore: tomorrow }, new Date());
  await sql`update mail set created_at = now() - interval '91 days', sent_at = sent_at - interval '91 days'`.execute(
    db,
  );
  await deleteOldEmails(db, new Date(Date.now() - 90 * 86_400_000));
  const left = await sql<{ subject: string }>`select subject from mail order by id`.execute(db);
  expect(left.rows.map(({ subject }) => subject)).toEqual(["Novidades de novembro", "Ainda espera"]);
  expect((await announce("product")).fresh).toBe(0);
  await sendAll();
  expect(server.emails).toHaveLength(2);
});

test("the link at the foot and the header of mail programs end the news, without a session", async () => {
  const account = await subscriber("product");
  await announce("product");
  await sendAll();
  const [email] = server.emails;
  const token = /\/descadastrar\/([\w-]+)/.exec(email?.text ?? "")?.[1] ?? "";
  const url = /<(.+)>/.exec(email?.headers.get("list-unsubscribe") ?? "")?.[1] ?? "";
  expect(url).toBe(`${TEST_ORIGIN}/api/unsubscribe/${token}`);
  expect(email?.headers.get("list-unsubscribe-post")).toBe("List-Unsubscribe=One-Click");

  const app = createApp({
    db,
    log: testLog,
    publicOrigin: TEST_ORIGIN,
    trustedProxies: 0,
    authenticate: async () => null,
  });
  mountNotifications(app, { service: notificationService({ ...common, sender }), unsubscribing: links });
  const shown = await app.hono.request(`/api/unsubscribe/${token}`);
  expect(await shown.json()).toEqual({
    kind: "product",
    email: expect.stringMatching(/^c…@exemplo/),
    subscribed: true,
  });
  // RFC 8058: a form, without origin.
  const posted = await app.hono.request(`/api/unsubscribe/${token}`, {
    method: "POST",
    headers: { "content-type": "application/x-www-form-urlencoded", "content-length": "26" },
    body: "List-Unsubscribe=One-Click",
  });
  expect(await posted.json()).toMatchObject({ kind: "product", subscribed: false });
  expect((await api(account)<Notifications>("GET", PATH)).body.emailProduct).toBe(false);
  expect((await announce("product", `${NEWS}Mais.`)).fresh).toBe(0);
});

test("a returning subscriber gets nothing twice", async () => {
  const account = await subscriber("product");
  await announce("product");
  await sendAll();
  for (const emailProduct of [false, true]) await api(account)("PATCH", PATH, { emailProduct });
  expect((await announce("product")).fresh).toBe(0);
  await sendAll();
  expect(server.emails).toHaveLength(1);
});

test("unsubscribing drops waiting e-mails", async () => {
  const account = await subscriber("product");
  await announce("product");
  await links.confirm(unsubscribeToken(UNSUBSCRIBE_TEST_KEY, account, "product"));
  await sendAll();
  expect(server.emails).toEqual([]);
});

test("a token that we did not sign, or of an account that is gone, is not found", async () => {
  const account = await subscriber("product");
  const token = unsubscribeToken(UNSUBSCRIBE_TEST_KEY, account, "product");
  expect(readUnsubscribeToken([UNSUBSCRIBE_TEST_KEY], token)).toEqual({
    accountId: account,
    kind: "product",
  });
  const other = unsubscribeToken(Buffer.alloc(32, 6), account, "product");
  const flipped = `${token[0] === "A" ? "B" : "A"}${token.slice(1)}`;
  await sql`update account set removed_at = now()`.execute(db);
  for (const wrong of [other, flipped, `${token}A`, "", "x", token])
    await expect(links.confirm(wrong)).rejects.toMatchObject({ code: "not_found" });
});

test("a file without a subject, without a text or that is no text is refused in words", () => {
  for (const bytes of [
    Buffer.from(""),
    Buffer.from("Só o assunto"),
    Buffer.from([0xff, 0xfe, 0]),
    Buffer.from("a\n\0b"),
  ])
    expect(() => readNews("product", bytes)).toThrow(/arquivo/);
  for (const args of [[], ["a.md"], ["--kind", "spam", "a.md"], ["--kind", "product"], ["--x"]])
    expect(() => parseAnnouncement(args)).toThrow(/npm run announce/);
  expect(parseAnnouncement(["--kind", "product", "a.md"])).toEqual({ kind: "product", file: "a.md" });
});
