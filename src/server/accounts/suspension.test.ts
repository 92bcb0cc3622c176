import { setTimeout as pause } from "node:timers/promises";
import { sql } from "kysely";
import { afterEach, expect, test, vi } from "vitest";
import {
  cookieOf,
  errorOf,
  PASSWORD,
  signUpForm,
  testAccounts,
  visitor,
  withCookie,
} from "../../../tests/support/accounts.ts";
import { tickCampaigns } from "../../../tests/support/campaign-clock.ts";
import { campaignRow, connectionRow, listRow } from "../../../tests/support/campaign-rows.ts";
import { countingHasher } from "../../../tests/support/counting-hasher.ts";
import { testDatabase } from "../../../tests/support/database.ts";
import { laneProcesses } from "../../../tests/support/lane-process.ts";
import { makeAccount, makeCampaign, makeConnection, readLedger } from "../../../tests/support/sending.ts";
import { DELIVERY } from "../../domain/delivery.ts";
import { systemClock } from "../base/clock.ts";
import { releaseImportsOf } from "../contacts/forget.ts";
import { ownerOf } from "../db/owner.ts";
import { startDue } from "../sending/campaigns/campaign-clock.ts";
import { requestStart, resumeCampaign } from "../sending/campaigns/campaign-status.ts";
import { enqueue } from "../sending/outbox/outbox.ts";
import { createApiKey } from "./administration.ts";
import { markSuspended } from "./repo.ts";
import { resumeAccount, suspendAccount } from "./suspension.ts";

const { db, database } = await testDatabase();
const startProcess = laneProcesses({ database });
afterEach(async () => {
  await sql`delete from account`.execute(db);
});

const PEOPLE = 400;
const PATIENCE = { timeout: 60_000, interval: 20 };
const deps = { clock: systemClock, releaseImports: releaseImportsOf, pause: (ms: number) => pause(ms) };
const suspend = (accountId: string) => suspendAccount(ownerOf(db, accountId), deps);
const resume = (accountId: string) => resumeAccount(ownerOf(db, accountId));

const statusOf = async (id: number) =>
  (
    await sql<{ status: string; cause: string | null; late: boolean }>`
      select status, pause_reason as cause, late from campaign where id = ${id}`.execute(db)
  ).rows[0];
const single = (accountId: string, connectionId: number) =>
  enqueue(ownerOf(db, accountId), {
    connectionId,
    to: { phone: "5511987654321" },
    text: "Olá",
    attachmentId: null,
    idempotencyKey: null,
    origin: "api",
  });
const singles = async (accountId: string) =>
  (
    await sql<{ status: number; error: string | null }>`
      select status, error from outbox where account_id = ${accountId}::uuid order by id`.execute(db)
  ).rows;

test("27.F4 a suspended lane finishes what is in flight; the rest goes once when its owner continues", async () => {
  const [accountId, honest] = [await makeAccount(db), await makeAccount(db)];
  const connectionId = await makeConnection(db, accountId);
  const answered = Promise.withResolvers<void>();
  let sent = 0;
  const it = await startProcess({
    answer: async ({ to, messageId }) => {
      if (to.jid.startsWith("55119") && ++sent === 5) await answered.promise;
      return { kind: "accepted", providerId: messageId, at: Date.now() };
    },
  });
  const campaignId = await makeCampaign(db, accountId, { people: PEOPLE, connectionId });
  await vi.waitFor(() => expect(sent).toBe(5), PATIENCE);
  const suspending = suspend(accountId);
  await vi.waitFor(
    async () => expect(await statusOf(campaignId)).toMatchObject({ status: "paused" }),
    PATIENCE,
  );
  answered.resolve();
  expect(await suspending).toEqual({ already: false, sessions: 0, campaigns: 1, singles: 0, owned: 0 });

  const before = it.phone.frames.length;
  expect(before).toBeLessThan(PEOPLE);
  expect([...new Set(it.calls)]).toEqual([`connect ${connectionId}`, `close ${connectionId}`]);
  expect(it.lanes.count()).toEqual({ owned: 0, connected: 0 });
  const stopped = await readLedger(db, campaignId);
  expect(stopped).toMatchObject({ status: "paused", cause: "suspended", sum: PEOPLE });
  expect(stopped.rows[DELIVERY.sent]).toBe(before);
  expect(stopped.rows[DELIVERY.sending]).toBe(0);
  await single(accountId, connectionId);

  const theirs = await makeCampaign(db, honest, {
    people: 8,
    firstPhone: 5_521_900_000_000,
    connectionId: await makeConnection(db, honest),
  });
  await vi.waitFor(async () => expect((await readLedger(db, theirs)).status).toBe("ended"), PATIENCE);
  expect(it.phone.frames).toHaveLength(before + 8);

  expect(await resume(accountId)).toBe(true);
  expect(await resume(accountId)).toBe(false);
  await vi.waitFor(() => expect(it.lanes.count().owned).toBe(2), PATIENCE);
  await tickCampaigns(database, () => undefined);
  expect(await statusOf(campaignId)).toMatchObject({ status: "paused", cause: "suspended" });
  expect(it.phone.frames).toHaveLength(before + 8);
  await resumeCampaign(ownerOf(db, accountId), campaignId);
  await vi.waitFor(async () => expect((await readLedger(db, campaignId)).status).toBe("ended"), PATIENCE);
  expect(it.phone.held().size).toBe(PEOPLE + 8);
  expect(it.phone.frames).toHaveLength(PEOPLE + 8);
  expect(await singles(accountId)).toEqual([{ status: DELIVERY.error, error: "suspended" }]);
});

test("27.F4 campaigns due during a suspension wait for a person; later ones run as scheduled", async () => {
  const accountId = await makeAccount(db);
  const owner = ownerOf(db, accountId);
  const connectionId = await connectionRow(db, accountId, "connected");
  const listId = await listRow(db, accountId);
  const at = (minutes: number) => ({
    status: "scheduled",
    connectionId,
    listId,
    scheduledAt: new Date(Date.now() + minutes * 60_000),
  });
  const due = await campaignRow(db, accountId, at(-1));
  const later = await campaignRow(db, accountId, at(60));
  await suspend(accountId);
  await startDue(db);
  expect(await statusOf(due)).toMatchObject({ status: "paused", cause: "suspended" });
  expect(await statusOf(later)).toMatchObject({ status: "scheduled" });
  await expect(resumeCampaign(owner, due)).rejects.toMatchObject({ code: "account_suspended" });
  await resume(accountId);
  await startDue(db);
  expect(await statusOf(due)).toMatchObject({ status: "paused" });
  await resumeCampaign(owner, due);
  expect(await statusOf(due)).toEqual({ status: "starting", cause: null, late: true });
});

test("a campaign that a request started while the account was being suspended is stopped before it begins", async () => {
  const accountId = await makeAccount(db);
  const connectionId = await connectionRow(db, accountId, "connected");
  await suspend(accountId);
  const campaign = await makeCampaign(db, accountId, { connectionId });
  await tickCampaigns(database, () => undefined);
  expect(await statusOf(campaign)).toMatchObject({ status: "paused", cause: "suspended" });
  const { rows } = await sql`select from delivery where campaign_id = ${campaign}`.execute(db);
  expect(rows).toHaveLength(0);
  const draft = await campaignRow(db, accountId, {
    status: "draft",
    connectionId,
    listId: await listRow(db, accountId),
  });
  await expect(requestStart(ownerOf(db, accountId), draft)).rejects.toMatchObject({
    code: "account_suspended",
  });
});

test("single messages that waited end when the account is resumed: unsent ones as errors, doubtful ones for people to decide", async () => {
  const accountId = await makeAccount(db);
  const connectionId = await connectionRow(db, accountId, "connected");
  await suspend(accountId);
  await single(accountId, connectionId);
  const { id } = await single(accountId, connectionId);
  await sql`update outbox set status = ${DELIVERY.waiting}, ambiguous = true where id = ${id}`.execute(db);
  await resume(accountId);
  expect(await singles(accountId)).toEqual([
    { status: DELIVERY.error, error: "suspended" },
    { status: DELIVERY.uncertain, error: "interrupted" },
  ]);
});

const accounts = testAccounts(database, { hasher: countingHasher().hasher });

test("27.F4 suspension ends sessions, refuses keys and explains itself only after a right password", async () => {
  const form = signUpForm();
  const { me, setCookie } = await accounts.signUp(form, visitor());
  const owner = ownerOf(db, me.id);
  const { key } = await createApiKey(owner, { name: "Loja", days: null }, systemClock);
  const bearer = { headers: new Headers({ authorization: `Bearer ${key}` }) };
  expect(await suspend(me.id)).toMatchObject({ already: false, sessions: 1 });
  expect(await suspend(me.id)).toMatchObject({ already: true, sessions: 0 });
  expect(await accounts.authenticate(withCookie(cookieOf(setCookie)))).toBeNull();
  expect(await errorOf(accounts.authenticate(bearer))).toBe("account_suspended");
  const wrong = { headers: new Headers({ authorization: `Bearer ${key.slice(0, -1)}-` }) };
  expect(await accounts.authenticate(wrong)).toBeNull();
  const login = (password: string) => errorOf(accounts.login({ email: form.email, password }, visitor()));
  expect(await login(PASSWORD)).toBe("account_suspended");
  expect(await login("outra senha aqui")).toBe("login_failed");
  expect((await sql`select from session`.execute(db)).rows).toHaveLength(0);

  await resume(me.id);
  expect(await login(PASSWORD)).toBe("no error");
  expect(await accounts.authenticate(bearer)).toMatchObject({ accountId: me.id });
  const { rows } = await sql`select kind from audit_event where account_id = ${me.id}::uuid
    and kind in ('account_suspended', 'account_resumed') order by id`.execute(db);
  expect(rows).toEqual([{ kind: "account_suspended" }, { kind: "account_resumed" }]);
});

test("resuming an account that is not suspended stops nothing", async () => {
  const accountId = await makeAccount(db);
  const campaign = await campaignRow(db, accountId, { status: "sending", people: { pending: 2 } });
  expect(await resume(accountId)).toBe(false);
  expect(await statusOf(campaign)).toMatchObject({ status: "sending", cause: null });
});

test("a session that was made while its account was being suspended opens nothing", async () => {
  const form = signUpForm();
  const { me, setCookie } = await accounts.signUp(form, visitor());
  await markSuspended(ownerOf(db, me.id), systemClock.now());
  expect(await accounts.authenticate(withCookie(cookieOf(setCookie)))).toBeNull();
  expect((await sql`select from session`.execute(db)).rows).toHaveLength(0);
});
