import { sql } from "kysely";
import { beforeEach, expect, test } from "vitest";
import {
  accountDeps,
  errorOf,
  newEmail,
  PASSWORD,
  settingsDeps,
  signUpForm,
  visitor,
} from "../../../tests/support/accounts.ts";
import { testDatabase, testLog } from "../../../tests/support/database.ts";
import {
  smtpOf,
  TEST_ORIGIN,
  testMailServer,
  testSender,
  UNSUBSCRIBE_TEST_KEY,
} from "../../../tests/support/mail.ts";
import { manualClock } from "../../../tests/support/manual-clock.ts";
import { removeAccounts } from "../../../tests/support/no-accounts.ts";
import { outwardAccess } from "../app/outward-access.ts";
import type { CommandDeps } from "../commands/command.ts";
import { parseCommand } from "../commands/commands.ts";
import { releaseImportsOf } from "../contacts/forget.ts";
import { ownerOf } from "../db/owner.ts";
import { QueuedAccountEmails } from "../notifications/account-emails.ts";
import { type Confirming, emailConfirmations } from "./email-confirmation.ts";
import { accountGuard } from "./limits.ts";
import { findAccount } from "./repo.ts";
import { AccountService } from "./service.ts";
import { AccountSettings } from "./settings.ts";

const { db, database } = await testDatabase();
const mail = await testMailServer();
const clock = manualClock(new Date());
const sender = testSender(db, clock, smtpOf(mail));
const DAY_MS = 86_400_000;

beforeEach(async () => {
  mail.emails.length = 0;
  await sql`truncate rate_limit, verification`.execute(db);
  await removeAccounts(db);
});

function features(by: Confirming = "link") {
  const emails = new QueuedAccountEmails({ clock, url: TEST_ORIGIN, configured: by !== null });
  const changes = { mark: () => undefined };
  const guard = accountGuard(database);
  const deps = { ...accountDeps(database), guard, clock };
  const confirmations = emailConfirmations({
    db,
    clock,
    log: testLog,
    guard,
    emails,
    changes,
    by,
    key: UNSUBSCRIBE_TEST_KEY,
  });
  const accounts = new AccountService({ ...deps, confirmations });
  const settings = new AccountSettings({ ...deps, ...settingsDeps(deps), emails, changes, confirmations });
  return { accounts, settings, confirmations, emails };
}

const { accounts, settings, confirmations, emails } = features();

async function signUp() {
  const { me } = await accounts.signUp(signUpForm(), visitor());
  return { me, owner: ownerOf(db, me.id) };
}

async function arrived(): Promise<{ to: string; text: string; token: string }[]> {
  await sender.sendDue(Number.POSITIVE_INFINITY);
  return mail.emails.splice(0).map(({ to, text }) => ({
    to: to[0] ?? "",
    text,
    token: /\/confirmar-email#([\w-]+)/.exec(text)?.[1] ?? "",
  }));
}

async function keyEmail(owner: ReturnType<typeof ownerOf>, id: number): Promise<void> {
  await emails.keyCreated(owner, { id, name: "Loja" });
}

test("sign-up sends a link; until it is opened nothing else goes to the address, and afterwards everything does", async () => {
  const { me, owner } = await signUp();
  expect(me.confirmation).toEqual({ email: me.email, change: false, by: "link" });
  for (let nth = 0; nth < 170; nth++) await keyEmail(owner, nth);
  const [email, ...others] = await arrived();
  expect(others).toEqual([]);
  expect(email?.to).toBe(me.email);
  // The caller chose the name, and the address may be a stranger's.
  expect(email?.text).not.toContain("Ana Souza");
  const token = email?.token ?? "";
  expect(await confirmations.look(token)).toEqual({ email: me.email, change: false });
  expect(await confirmations.use(token)).toEqual({ email: me.email, change: false });
  expect((await accounts.me(owner)).confirmation).toBeNull();
  expect(await errorOf(confirmations.use(token))).toBe("confirmation_link_over");
  await keyEmail(owner, 1_000);
  expect((await arrived()).map(({ text }) => text.includes("chave de API «Loja»"))).toEqual([true]);
});

test("of two uses at the same moment one confirms", async () => {
  await signUp();
  const [{ token } = { token: "" }] = await arrived();
  const both = await Promise.all([errorOf(confirmations.use(token)), errorOf(confirmations.use(token))]);
  expect(both.toSorted()).toEqual(["confirmation_link_over", "no error"]);
});

test("another link ends the one before; a link is over after three days; a few an hour are sent", async () => {
  const { owner } = await signUp();
  const [first] = await arrived();
  await confirmations.again(owner);
  const [second] = await arrived();
  expect(await errorOf(confirmations.look(first?.token ?? ""))).toBe("confirmation_link_over");
  clock.advance(3 * DAY_MS + 1);
  expect(await errorOf(confirmations.look(second?.token ?? ""))).toBe("confirmation_link_over");
  for (let nth = 0; nth < 4; nth++) await confirmations.again(owner);
  expect(await errorOf(confirmations.again(owner))).toBe("too_many_requests");
});

test("what is no link, and a link that sets a password, confirm nothing; no table holds a link", async () => {
  await signUp();
  const [{ token } = { token: "" }] = await arrived();
  for (const wrong of ["", "x", `${token.slice(0, 22)}${"A".repeat(42)}`, token.toLowerCase()])
    expect(await errorOf(confirmations.use(wrong))).toBe("confirmation_link_over");
  const { rows } =
    await sql`select m::text as row from mail m union all select v::text from verification v`.execute(db);
  expect(JSON.stringify(rows)).not.toContain(token.slice(22));
  await sql`update verification set identifier = replace(identifier, 'email-confirmation', 'password-reset')`.execute(
    db,
  );
  expect(await errorOf(confirmations.use(token))).toBe("confirmation_link_over");
});

test("a new e-mail waits for its own address: the old one signs in until then, and hears of the change", async () => {
  const { me, owner } = await signUp();
  await confirmations.use((await arrived())[0]?.token ?? "");
  const to = newEmail();
  const asked = await settings.profile(owner, { email: to, password: PASSWORD });
  expect([asked.email, asked.confirmation]).toEqual([me.email, { email: to, change: true, by: "link" }]);
  const [link, ...others] = await arrived();
  expect([link?.to, others]).toEqual([to, []]);
  const login = (email: string) => errorOf(accounts.login({ email, password: PASSWORD }, visitor()));
  expect([await login(me.email), await login(to)]).toEqual(["no error", "login_failed"]);
  expect(await confirmations.use(link?.token ?? "")).toEqual({ email: to, change: true });
  expect([await login(me.email), await login(to)]).toEqual(["login_failed", "no error"]);
  const [arrivedEmail] = await arrived();
  expect([arrivedEmail?.to, arrivedEmail?.text.includes("outro tomou o lugar dele")]).toEqual([
    me.email,
    true,
  ]);
});

test("the account's own e-mail ends a pending change; an e-mail that another account took is refused", async () => {
  const { me, owner } = await signUp();
  await confirmations.use((await arrived())[0]?.token ?? "");
  const to = newEmail();
  await settings.profile(owner, { email: to, password: PASSWORD });
  const [first] = await arrived();
  expect((await settings.profile(owner, { email: me.email })).confirmation).toBeNull();
  expect(await errorOf(confirmations.use(first?.token ?? ""))).toBe("confirmation_link_over");
  await settings.profile(owner, { email: to, password: PASSWORD });
  const [second] = await arrived();
  await accounts.signUp(signUpForm({ email: to }), visitor());
  expect(await errorOf(confirmations.use(second?.token ?? ""))).toBe("email_change_failed");
  expect((await accounts.me(owner)).email).toBe(me.email);
});

test("F5 changing the e-mail again and again writes to no more than five addresses an hour", async () => {
  const { owner } = await signUp();
  await arrived();
  for (let nth = 0; nth < 31; nth++)
    await settings
      .profile(owner, { email: `alvo${nth}@exemplo.com`, password: PASSWORD })
      .catch(() => undefined);
  expect((await arrived()).length).toBeLessThanOrEqual(5);
});

test("without a mail server nothing waits, and a new e-mail holds at once; the operator's command confirms", async () => {
  const without = features(null);
  const { me } = await without.accounts.signUp(signUpForm(), visitor());
  const owner = ownerOf(db, me.id);
  expect(me.confirmation).toBeNull();
  const to = newEmail();
  expect((await without.settings.profile(owner, { email: to, password: PASSWORD })).email).toBe(to);
  expect((await accounts.me(owner)).confirmation).toMatchObject({ email: to });
  expect(await confirmBy(to)).toEqual([`O e-mail ${to} está confirmado.`]);
  expect((await accounts.me(owner)).confirmation).toBeNull();
});

test("where no link leads back here the screen says that the operator confirms, who names the new address", async () => {
  const { me, owner } = await signUp();
  expect((await features("operator").accounts.me(owner)).confirmation).toMatchObject({ by: "operator" });
  const to = newEmail();
  await settings.profile(owner, { email: to, password: PASSWORD });
  expect(await confirmBy(to)).toEqual([`O e-mail de ${me.email} passou a ser ${to}, e está confirmado.`]);
  expect(await findAccount(owner)).toMatchObject({ email: to, pending_email: null });
});

async function confirmBy(email: string): Promise<string[]> {
  const printed: string[] = [];
  const command: CommandDeps = {
    db,
    clock,
    hasher: accountDeps(database).hasher,
    emails,
    outward: outwardAccess,
    suspension: { clock, releaseImports: releaseImportsOf, pause: async () => undefined },
    origin: "https://recado.example",
    terms: () => ({ version: "v1", text: "Termos" }),
    status: async () => [],
    assignInstance: async () => "",
    print: (line) => void printed.push(line),
    askSecret: async () => "",
  };
  await parseCommand(["confirm-email", "--email", email])(command);
  return printed;
}
