import { randomUUID } from "node:crypto";
import { setImmediate } from "node:timers/promises";
import { sql } from "kysely";
import pino from "pino";
import { beforeEach, expect, test } from "vitest";
import { accountRow } from "../../../tests/support/campaign-rows.ts";
import { testDatabase, testLog } from "../../../tests/support/database.ts";
import { smtpOf, testMailServer, testSender } from "../../../tests/support/mail.ts";
import { manualClock } from "../../../tests/support/manual-clock.ts";
import { LIMITS } from "../../domain/limits.ts";
import { setLimit } from "../db/account-limits.ts";
import { ownerOf } from "../db/owner.ts";
import { claimEmail, insertEmail, RESET_EMAIL } from "./mail-repo.ts";
import { openMailer } from "./mailer.ts";
import { writeEmail } from "./news.ts";
import { EmailSender } from "./sender.ts";

const { db } = await testDatabase();
const clock = manualClock();
const MINUTE = 60_000;
const login = { user: "recado", pass: "s3nha do correio" };
const server = await testMailServer({ login });
const sender = testSender(db, clock, smtpOf(server, login));

beforeEach(async () => {
  await sql`truncate account cascade`.execute(db);
  server.emails.length = 0;
  server.recover();
});

const email = {
  kind: "account_updates",
  key: "1",
  subject: "Ação: já",
  body: "Olá, João.\n.\nfim\n",
} as const;

async function put(changes: Partial<Parameters<typeof insertEmail>[1]> = {}): Promise<string> {
  const account = await accountRow(db);
  await insertEmail(ownerOf(db, account), { ...email, ...changes }, clock.now());
  return account;
}

async function putReset({ forMs }: { forMs: number }): Promise<string> {
  const id = randomUUID();
  const account = await put({ key: `${RESET_EMAIL}${id}`, urgent: true });
  const [now, over] = [clock.now(), new Date(clock.now().getTime() + forMs)];
  await sql`insert into verification (id, identifier, value, expires_at, created_at, updated_at)
    values (${id}, ${`password-reset:${id}`}, ${account}, ${over}, ${now}, ${now})`.execute(db);
  return id;
}

const emailOf = async (account: string) =>
  (await sql<{ email: string }>`select email from account where id = ${account}`.execute(db)).rows[0]?.email;

async function states() {
  const { rows } = await sql<{ state: string; tries: number; error: string | null }>`
    select case when sent_at is not null then 'sent' when given_up_at is not null then 'given up' else 'waiting' end as state,
      tries, error from mail order by id`.execute(db);
  return rows;
}

const sendNow = () => sender.sendDue(clock.monotonic() + 1);

test("an e-mail arrives as it was written, once", async () => {
  const account = await put();
  await insertEmail(ownerOf(db, account), email, clock.now());
  expect(await sendNow()).toBe(1);
  expect(await sendNow()).toBe(0);
  expect(server.emails).toHaveLength(1);
  const [got] = server.emails;
  expect(got).toMatchObject({
    from: "avisos@exemplo.com.br",
    to: [await emailOf(account)],
    text: email.body,
  });
  expect(got?.headers.get("subject")).toBe("Ação: já");
  expect(got?.headers.get("from")).toBe("Recado <avisos@exemplo.com.br>");
  expect(await states()).toEqual([{ state: "sent", tries: 1, error: null }]);
});

test("e-mails whose link would lead nowhere wait for our address, and hold up no others", async () => {
  const mailer = openMailer(smtpOf(server, login), { name: "Recado", address: "avisos@exemplo.com.br" });
  const key = Buffer.alloc(32);
  const write = writeEmail({ publicUrl: null, key, resetKey: key, confirmKey: key });
  await put({ kind: "product" });
  await putReset({ forMs: MINUTE });
  await put();
  const nowhere = new EmailSender({ db, mailer, clock, log: testLog, write });
  expect(await nowhere.sendDue(clock.monotonic() + 1)).toBe(1);
  mailer.close();
  expect(server.emails).toHaveLength(1);
  const waits = { state: "waiting", tries: 1, error: "mail_not_configured" };
  expect(await states()).toEqual([waits, waits, { state: "sent", tries: 1, error: null }]);
});

test("an e-mail whose link is over is not sent any more, and is no failure", async () => {
  await putReset({ forMs: -1 });
  const used = await putReset({ forMs: MINUTE });
  await sql`delete from verification where id = ${used}`.execute(db);
  await putReset({ forMs: MINUTE });
  expect(await sendNow()).toBe(1);
  expect(await states()).toEqual([{ state: "sent", tries: 1, error: null }]);
});

test("an e-mail to another address goes there", async () => {
  await put({ address: "antigo@exemplo.com.br" });
  await sendNow();
  expect(server.emails[0]?.to).toEqual(["antigo@exemplo.com.br"]);
});

test("put off by the server, it comes again after a while, and arrives once", async () => {
  server.fail({ at: "to", answer: "451 4.7.1 Greylisted", times: 2 });
  await put();
  await sendNow();
  expect(await states()).toEqual([{ state: "waiting", tries: 1, error: "later 451" }]);
  clock.advance(4 * MINUTE);
  expect(await sendNow()).toBe(0);
  clock.advance(2 * MINUTE);
  await sendNow();
  clock.advance(16 * MINUTE);
  expect(await sendNow()).toBe(1);
  expect(server.emails).toHaveLength(1);
  expect(await states()).toEqual([{ state: "sent", tries: 3, error: null }]);
});

test("refused for good, it is given up at once and the next one still goes", async () => {
  const refused = await put();
  server.fail({ at: "to", answer: "550 5.1.1 No such user", recipient: (await emailOf(refused)) ?? "" });
  await put({ key: "2" });
  expect(await sendNow()).toBe(1);
  expect(await states()).toEqual([
    { state: "given up", tries: 1, error: "refused 550" },
    { state: "sent", tries: 1, error: null },
  ]);
});

test("a server that is away for a day: eight attempts, then the e-mail is given up", async () => {
  server.fail({ at: "from", answer: "421 4.3.2 Closing" });
  await put();
  for (let hour = 0; hour < 30; hour++) {
    await sendNow();
    clock.advance(60 * MINUTE);
  }
  expect(await states()).toEqual([{ state: "given up", tries: 8, error: "later 421" }]);
  expect(server.emails).toEqual([]);
});

test("hung up on after its end, it is sent again under the same name", async () => {
  server.fail({ at: "end", answer: "cut", times: 1 });
  await put();
  await sendNow();
  expect((await states())[0]?.state).toBe("waiting");
  clock.advance(6 * MINUTE);
  await sendNow();
  const names = server.emails.map(({ headers }) => headers.get("message-id"));
  expect(names).toHaveLength(2);
  expect(new Set(names).size).toBe(1);
});

test("of many who take e-mails at once, each e-mail has one", async () => {
  const account = await accountRow(db);
  await sql`insert into mail (account_id, kind, key, subject, body, next_at)
    select ${account}::uuid, 'test', n::text, 'Oi', 'Oi', ${clock.now()}::timestamptz from generate_series(1, 400) n`.execute(
    db,
  );
  const claim = () =>
    claimEmail(db, { now: clock.now(), accountId: account, queue: "other" }, { leaseMs: MINUTE });
  const takers = Array.from({ length: 10 }, async () => {
    await sql`select pg_sleep(0.3)`.execute(db);
    const taken = [];
    for (let nth = 0; nth < 20; nth++) taken.push(await claim());
    return taken;
  });
  const taken = (await Promise.all(takers)).flat().map((one) => one?.id);
  expect(new Set(taken).size).toBe(200);
  // Its sender died; the lease expires.
  clock.advance(2 * MINUTE);
  expect(await claim()).toMatchObject({ tries: 1 });
  const again = await Promise.all(Array.from({ length: 250 }, claim));
  expect(again.filter((one) => one?.tries === 2).length).toBeGreaterThan(0);
});

test("two senders at once through a slow server send nothing twice", async () => {
  const account = await accountRow(db);
  await sql`insert into mail (account_id, kind, key, subject, body, next_at)
    select ${account}::uuid, 'test', n::text, n::text, 'Oi', ${clock.now()}::timestamptz from generate_series(1, 30) n`.execute(
    db,
  );
  const written: string[] = [];
  let asking = 0;
  const watched = db.withPlugin({
    transformQuery: ({ node }) => {
      asking += 1;
      return node;
    },
    transformResult: async ({ result }) => {
      asking -= 1;
      return result;
    },
  });
  // 35 s each, two at a time: within the mailer's limits.
  const mailer = {
    send: async ({ subject }: { subject: string }) => {
      // Else minutes pass before the database answers.
      while (asking > 0) await setImmediate();
      clock.advance(17_500);
      written.push(subject);
      // Another sender takes only unclaimed ones.
      if (written.length === 18) await other.sendDue(clock.monotonic() + 1);
      return { sent: true as const };
    },
    close: () => undefined,
  };
  const write = ({ subject, body, to }: { subject: string; body: string; to: string }) => ({
    messageId: subject,
    to,
    subject,
    text: body,
  });
  const make = () => new EmailSender({ db: watched, mailer, clock, log: testLog, write });
  const other = make();
  await make().sendDue(Number.POSITIVE_INFINITY);
  expect(written.toSorted()).toEqual([...new Set(written)].toSorted());
  expect(written).toHaveLength(30);
});

test("a delayed sender does not undo another's success", async () => {
  await put();
  const key = Buffer.alloc(32);
  const write = writeEmail({ publicUrl: null, key, resetKey: key, confirmKey: key });
  // Longer than the lease.
  const send = async () => {
    clock.advance(6 * MINUTE);
    expect(await sendNow()).toBe(1);
    return { sent: false, code: "timeout", again: false } as const;
  };
  const slow = new EmailSender({ db, clock, log: testLog, write, mailer: { send, close: () => undefined } });
  await slow.sendDue(clock.monotonic() + 1);
  expect(await states()).toEqual([{ state: "sent", tries: 2, error: null }]);
  const { rows } = await sql`select 1 from mail where given_up_at is not null`.execute(db);
  expect(rows).toEqual([]);
});

test("a deleted account gets no e-mails any more", async () => {
  const account = await put();
  await sql`update account set removed_at = now() where id = ${account}`.execute(db);
  expect(await sendNow()).toBe(0);
  expect(server.emails).toEqual([]);
});

test("a wrong password is reported and stored nowhere, even when the server repeats it", async () => {
  const careless = await testMailServer({ login, tellsPassword: true });
  const wrong = { user: "recado", pass: "canário-da-senha-errada" };
  await put();
  const lines: string[] = [];
  const log = pino({ level: "trace" }, { write: (line: string) => void lines.push(line) });
  await testSender(db, clock, smtpOf(careless, wrong), log).sendDue(clock.monotonic() + 1);
  expect(careless.logins).toEqual([wrong.pass]);
  expect(await states()).toEqual([{ state: "waiting", tries: 1, error: "auth 535" }]);
  const { rows } = await sql<{ text: string }>`select m::text as text from mail m`.execute(db);
  expect(lines).toHaveLength(1);
  for (const text of [JSON.stringify(rows), ...lines]) expect(text).not.toContain("canário");
});

test("server unreachable: the e-mail waits", async () => {
  const gone = await testMailServer();
  await gone.close();
  await put();
  await testSender(db, clock, smtpOf(gone)).sendDue(clock.monotonic() + 1);
  expect(await states()).toEqual([{ state: "waiting", tries: 1, error: "unreachable" }]);
});

test("a password goes out over TLS alone, unless the server is this machine", async () => {
  await put();
  // Same server by an address that is not loopback, without TLS.
  const afar = { ...smtpOf(server, login), host: "0.0.0.0" };
  const logins = server.logins.length;
  await testSender(db, clock, afar).sendDue(clock.monotonic() + 1);
  expect(await states()).toEqual([{ state: "waiting", tries: 1, error: "tls" }]);
  expect(server.logins).toHaveLength(logins);
  expect(server.emails).toEqual([]);
});

test("an account sends 60 e-mails an hour; the others wait and lose nothing, and its link goes all the same", async () => {
  const account = await accountRow(db);
  for (let nth = 0; nth < LIMITS.letters_an_hour + 5; nth++)
    await insertEmail(ownerOf(db, account), { ...email, key: `key/${nth}` }, clock.now());
  expect(await sendNow()).toBe(LIMITS.letters_an_hour);
  const owner = ownerOf(db, account);
  await insertEmail(owner, { ...email, key: "sign-up/2026-11-26", urgent: true }, clock.now());
  expect(await sendNow()).toBe(1);
  await setLimit(db, account, "letters_an_hour", 62);
  expect(await sendNow()).toBe(2);
  clock.advance(61 * MINUTE);
  expect(await sendNow()).toBe(3);
});

test("F5 an address that is not confirmed gets no e-mail but links", async () => {
  const account = await accountRow(db);
  await sql`update account set email_confirmed_at = null where id = ${account}`.execute(db);
  const owner = ownerOf(db, account);
  for (let nth = 0; nth < 170; nth++) await insertEmail(owner, { ...email, key: `key/${nth}` }, clock.now());
  await insertEmail(owner, { ...email, key: "sign-up/2026-11-26", urgent: true }, clock.now());
  expect(await sendNow()).toBe(1);
  expect(server.emails).toHaveLength(1);
  // Queued while confirmed, it waits.
  await sql`update account set email_confirmed_at = now() where id = ${account}`.execute(db);
  await insertEmail(owner, email, clock.now());
  await sql`update account set email_confirmed_at = null where id = ${account}`.execute(db);
  expect(await sendNow()).toBe(0);
});

test("five hundred e-mails of one account delay the first of another by one", async () => {
  const many = await accountRow(db);
  await sql`insert into mail (account_id, kind, key, subject, body, next_at)
    select ${many}::uuid, 'test', n::text, 'Muitas', 'Oi', ${clock.now()}::timestamptz from generate_series(1, 500) n`.execute(
    db,
  );
  clock.advance(1);
  await put({ subject: "Uma" });
  await sendNow();
  const subjects = server.emails.map(({ headers }) => headers.get("subject"));
  expect(subjects.indexOf("Uma")).toBeLessThan(3);
});
