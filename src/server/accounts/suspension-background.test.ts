import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import { afterEach, expect, onTestFinished, test } from "vitest";
import { accountDeps } from "../../../tests/support/accounts.ts";
import { connectionRow } from "../../../tests/support/campaign-rows.ts";
import { testDatabase, testLog } from "../../../tests/support/database.ts";
import { makeAccount, makeConnection } from "../../../tests/support/sending.ts";
import { undoForTests } from "../../../tests/support/undo.ts";
import { makeInstance } from "../../../tests/webhooks/lab.ts";
import { systemClock } from "../base/clock.ts";
import { releaseImportsOf } from "../contacts/forget.ts";
import { claimImport, insertImport, storeImport } from "../contacts/imports-repo.ts";
import { ownerOf } from "../db/owner.ts";
import { openWorkSignals } from "../db/work-signals.ts";
import { findDue } from "../gateways/gap-repo.ts";
import { listUnhooked } from "../gateways/instances-repo.ts";
import { takeRelays } from "../gateways/relay-repo.ts";
import { accountsWithEmails, claimEmail, insertEmail } from "../notifications/mail-repo.ts";
import { optOutService } from "../opt-outs/service.ts";
import { claimOutbox, enqueue } from "../sending/outbox/outbox.ts";
import { acquireConnection, findFree } from "../sending/ownership/acquire.ts";
import { ACCOUNT_CLOSED, AccountRemoval, closeByOperator } from "./removal.ts";
import { markSuspended, unmarkSuspended } from "./repo.ts";
import { resumeAccount, suspendAccount } from "./suspension.ts";

const { db, database } = await testDatabase();
afterEach(async () => {
  await sql`delete from account`.execute(db);
});

const deps = { clock: systemClock, releaseImports: releaseImportsOf, pause: async () => undefined };
const now = () => new Date();

test("27.F4 no process takes a suspended account's numbers, or hands out its messages, until it is resumed", async () => {
  const accountId = await makeAccount(db);
  const owner = ownerOf(db, accountId);
  const id = await makeConnection(db, accountId);
  const taken = await acquireConnection(db, id, randomUUID(), "resend");
  await markSuspended(owner, now());
  const message = { connectionId: id, to: { phone: "5511987654321" }, text: "Oi", attachmentId: null };
  await enqueue(owner, { ...message, idempotencyKey: null, origin: "chat" });
  const lane = { connectionId: id, fence: taken?.fence ?? 0 };
  expect(await claimOutbox(db, lane, 5, true)).toEqual([]);
  await sql`update connection set owner = null`.execute(db);
  expect(await findFree(db, "device", 5)).toEqual([]);
  expect(await acquireConnection(db, id, randomUUID(), "resend")).toBeNull();
  await unmarkSuspended(owner);
  expect(await findFree(db, "device", 5)).toEqual([id]);
});

test("27.F4 a person who writes that they leave a suspended account is recorded, and gets no word of it", async () => {
  const accountId = await makeAccount(db);
  const owner = ownerOf(db, accountId);
  const connectionId = await connectionRow(db, accountId);
  const service = optOutService({ changes: { mark: () => undefined }, undo: undoForTests() });
  await suspendAccount(owner, deps);
  await service.replied(owner, { phone: "5531987654321", connectionId, text: "Sair." });
  const counts = async () =>
    (
      await sql`select (select count(*)::int from opt_out) as left, (select count(*)::int from outbox) as words`.execute(
        db,
      )
    ).rows[0];
  expect(await counts()).toEqual({ left: 1, words: 0 });
  await resumeAccount(owner);
  await service.replied(owner, { phone: "5531987654322", connectionId, text: "Sair." });
  expect(await counts()).toEqual({ left: 2, words: 1 });
});

test("27.F4 e-mails of a suspended account wait", async () => {
  const owner = ownerOf(db, await makeAccount(db));
  await sql`update account set email_confirmed_at = now()`.execute(db);
  await insertEmail(owner, { kind: "test", key: "x", subject: "Oi", body: "Olá" }, now());
  await suspendAccount(owner, deps);
  const later = new Date(Date.now() + 60_000);
  const due = { now: later, queue: "other" as const };
  const claim = () => claimEmail(db, { ...due, accountId: owner.accountId }, { leaseMs: 1 });
  expect(await accountsWithEmails(db, due)).toEqual([]);
  expect(await claim()).toBeUndefined();
  await resumeAccount(owner);
  expect(await accountsWithEmails(db, due)).toEqual([owner.accountId]);
  expect(await claim()).toBeDefined();
});

test("27.F4 a suspended account's import stops, keeps nothing, and begins again once the account is resumed", async () => {
  const owner = ownerOf(db, await makeAccount(db));
  const [folder, worker] = [randomUUID(), randomUUID()];
  const file = {
    listName: "Clientes",
    fileName: null,
    format: "csv" as const,
    form: null,
    sha256: Buffer.alloc(32),
  };
  for (const spool of [randomUUID(), randomUUID()])
    await insertImport(owner, { ...file, spool, spoolFolder: folder, bytes: 10 });
  const any = { from: 0, to: Number.MAX_SAFE_INTEGER };
  const claim = () =>
    claimImport(db, { worker, folder, leaseS: 30 }, { accountId: owner.accountId, size: any });
  const running = await claim();
  await suspendAccount(owner, deps);
  const progress = { bytesRead: 5, rowsRead: 1, imported: 1, repeated: 0, refused: 0, ninthAdded: 0 };
  expect(await storeImport(db, worker, running?.id ?? 0, progress, 30)).toBe(false);
  expect(await claim()).toBeUndefined();
  await resumeAccount(owner);
  expect(await claim()).toMatchObject({ id: running?.id, tries: 1 });
});

test("27.F4 nothing is asked of a suspended account's gateways, and nothing passed on to its address", async () => {
  const { connectionId, accountId } = await makeInstance(db, { relayUrl: "https://loja.exemplo/gancho" });
  const owner = ownerOf(db, accountId);
  await sql`update instance set hook_state = 'unset'`.execute(db);
  await sql`update connection set state = 'connected', desired = 'connected'`.execute(db);
  await sql`insert into webhook_relay (connection_id, key, body) values (${connectionId}, 'm', '{}')`.execute(
    db,
  );
  const room = { left: 1e6, leftForLarge: 1e6, ownOfLarge: 1e6, small: 1e3 };
  const take = () =>
    takeRelays(db, {
      each: 5,
      busy: [],
      leaseMs: 1,
      room: { ...room, ofAccount: { bytes: 1e6, messages: 9 }, held: new Map() },
    });
  const work = async () => [
    (await take()).length,
    (await findDue(db, 1)).length,
    (await listUnhooked(db, null, 9)).length,
  ];
  await suspendAccount(owner, deps);
  expect(await work()).toEqual([0, 0, 0]);
  await resumeAccount(owner);
  expect(await work()).toEqual([1, 1, 1]);
});

test("27.F4 an account removed by the operator closes at once and is deleted with its numbers logged out", async () => {
  const accountId = await makeAccount(db);
  const owner = ownerOf(db, accountId);
  const id = await makeConnection(db, accountId);
  await suspendAccount(owner, deps);
  const heard = Promise.withResolvers<void>();
  const signals = await openWorkSignals(database, testLog, true);
  onTestFinished(() => signals.close());
  signals.hear(ACCOUNT_CLOSED, heard.resolve);
  await closeByOperator(owner, { clock: systemClock });
  await heard.promise;
  expect(await findFree(db, "device", 5)).toEqual([id]);
  const { hasher, guard } = accountDeps(database);
  const forget = async () => void (await sql`delete from connection`.execute(db));
  const removal = new AccountRemoval({
    db,
    log: testLog,
    hasher,
    guard,
    clock: { ...systemClock, now: () => new Date(Date.now() + 3 * 60_000) },
    connections: { removeAll: async () => undefined, forget },
    pruneImports: async () => undefined,
    ask: async () => undefined,
  });
  await removal.work();
  expect((await sql`select from account`.execute(db)).rows).toHaveLength(0);
});
