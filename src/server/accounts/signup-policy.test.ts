import { sql } from "kysely";
import { beforeEach, expect, test } from "vitest";
import {
  cookieOf,
  errorOf,
  newEmail,
  signUpForm,
  testAccounts,
  visitor,
} from "../../../tests/support/accounts.ts";
import { countingHasher } from "../../../tests/support/counting-hasher.ts";
import { testDatabase } from "../../../tests/support/database.ts";
import { removeAccounts } from "../../../tests/support/no-accounts.ts";
import type { Clock } from "../../domain/clock.ts";
import { systemClock } from "../base/clock.ts";
import { insertInvitation, listInvitations, revokeInvitation } from "./invitations-repo.ts";
import { hashInvitation, newInvitationToken, type SignupMode } from "./signup-policy.ts";

const { db, database } = await testDatabase();
const DAY_MS = 86_400_000;

const service = (signup: SignupMode, clock: Clock = systemClock) =>
  testAccounts(database, { hasher: countingHasher().hasher, signup, clock });

async function invitation(email: string | null = null, days = 7): Promise<{ id: number; token: string }> {
  const [token, now] = [newInvitationToken(), systemClock.now()];
  const expiresAt = new Date(now.getTime() + days * DAY_MS);
  return { token, id: await insertInvitation(db, { hash: hashInvitation(token), email, now, expiresAt }) };
}

const accountsThere = async () =>
  (await sql<{ email: string }>`select email from account order by email`.execute(db)).rows.map(
    ({ email }) => email,
  );

beforeEach(async () => {
  await removeAccounts(db);
  await sql`delete from setting where key = 'first_account'`.execute(db);
  await sql`delete from invitation`.execute(db);
});

test("27.F4 first: the first person signs up, and every later one is refused before the form is judged", async () => {
  const accounts = service("first");
  expect(await accounts.signupPolicy()).toEqual({ open: true });
  const { me } = await accounts.signUp(signUpForm(), visitor());
  expect(await accounts.signupPolicy()).toEqual({ open: false });
  expect(await errorOf(accounts.signUp(signUpForm(), visitor()))).toBe("signup_closed");
  expect(await errorOf(accounts.signUp(signUpForm({ email: "?", password: "" }), visitor()))).toBe(
    "signup_closed",
  );
  expect(await accountsThere()).toEqual([me.email]);
});

test("27.F4 first: of eight sign-ups at once exactly one makes an account @decision 34", async () => {
  const accounts = [service("first"), service("first")];
  const errors = await Promise.all(
    Array.from({ length: 8 }, (_, nth) =>
      errorOf((accounts[nth % 2] as (typeof accounts)[0]).signUp(signUpForm(), visitor())),
    ),
  );
  expect(errors.toSorted()).toEqual(["no error", ...Array(7).fill("signup_closed")]);
  expect(await accountsThere()).toHaveLength(1);
});

test("first: a sign-up that fails leaves the door open, and a deleted first account does not open it again", async () => {
  const accounts = service("first");
  expect(await errorOf(accounts.signUp(signUpForm({ email: "ana@" }), visitor()))).toEqual({
    email: "invalid_email",
  });
  expect(await accounts.signupPolicy()).toEqual({ open: true });
  await accounts.signUp(signUpForm(), visitor());
  await removeAccounts(db);
  expect(await accounts.signupPolicy()).toEqual({ open: false });
  expect(await errorOf(accounts.signUp(signUpForm(), visitor()))).toBe("signup_closed");
});

test("invite: without an invitation even the first person is refused", async () => {
  const accounts = service("invite");
  expect(await accounts.signupPolicy()).toEqual({ open: false });
  expect(await errorOf(accounts.signUp(signUpForm(), visitor()))).toBe("signup_closed");
  expect(await accountsThere()).toEqual([]);
});

test("open: sign-up stays open, and later closes with the mode though no account was made under it", async () => {
  await service("open").signUp(signUpForm(), visitor());
  expect(await service("open").signupPolicy()).toEqual({ open: true });
  expect(await service("first").signupPolicy()).toEqual({ open: false });
});

test("27.F4 an invitation makes one account, signed in, and is over then", async () => {
  const accounts = service("invite");
  const { token } = await invitation();
  expect(await accounts.lookAtInvitation(token)).toEqual({ email: null });
  const form = signUpForm({ invitation: token });
  const { me, setCookie } = await accounts.signUp(form, visitor());
  expect(cookieOf(setCookie)).toMatch(/session_token=/);
  expect(await errorOf(accounts.lookAtInvitation(token))).toBe("invitation_over");
  expect(await errorOf(accounts.signUp(signUpForm({ invitation: token }), visitor()))).toBe(
    "invitation_over",
  );
  expect(await accountsThere()).toEqual([me.email]);
  expect(await listInvitations(db)).toMatchObject([{ used_by: me.email }]);
});

test("27.F4 of eight people at once with one invitation exactly one gets an account", async () => {
  const accounts = service("invite");
  const { token } = await invitation();
  const errors = await Promise.all(
    Array.from({ length: 8 }, () => errorOf(accounts.signUp(signUpForm({ invitation: token }), visitor()))),
  );
  expect(errors.toSorted()).toEqual([...Array(7).fill("invitation_over"), "no error"]);
  expect(await accountsThere()).toHaveLength(1);
});

test("an invitation for an e-mail serves that one alone, however it is written", async () => {
  const accounts = service("invite");
  const email = newEmail();
  const { token } = await invitation(email);
  expect(await accounts.lookAtInvitation(token)).toEqual({ email });
  expect(await errorOf(accounts.signUp(signUpForm({ invitation: token }), visitor()))).toEqual({
    email: "invited_other_email",
  });
  const { me } = await accounts.signUp(
    signUpForm({ invitation: token, email: email.toUpperCase() }),
    visitor(),
  );
  expect(await accountsThere()).toEqual([me.email]);
});

test("an invitation that has expired or was revoked, and a text that is none, make no account", async () => {
  const [late, gone] = [await invitation(null, 1), await invitation()];
  expect(await revokeInvitation(db, gone.id, systemClock.now())).toBe(true);
  expect(await revokeInvitation(db, gone.id, systemClock.now())).toBe(false);
  const tomorrow = { ...systemClock, now: () => new Date(Date.now() + DAY_MS + 1_000) };
  const accounts = service("open", tomorrow);
  for (const token of [late.token, gone.token, newInvitationToken(), "", "x'; drop"])
    expect(await errorOf(accounts.signUp(signUpForm({ invitation: token }), visitor())), token).toBe(
      "invitation_over",
    );
  expect(await accountsThere()).toEqual([]);
});

test("an invitation whose e-mail has an account already is not used up", async () => {
  const email = newEmail();
  await service("open").signUp(signUpForm({ email }), visitor());
  const { token } = await invitation(email);
  const accounts = service("invite");
  expect(await errorOf(accounts.signUp(signUpForm({ email, invitation: token }), visitor()))).toBe(
    "signup_failed",
  );
  expect(await accounts.lookAtInvitation(token)).toEqual({ email });
});

test("the link's secret is not in the database, and old invitations that made nothing are forgotten", async () => {
  const [{ token }, used] = [await invitation(), await invitation()];
  await service("invite").signUp(signUpForm({ invitation: used.token }), visitor());
  const { rows } = await sql<{ row: string }>`select row_to_json(i)::text as row from invitation i`.execute(
    db,
  );
  expect(JSON.stringify(rows)).not.toContain(token);
  const later = { ...systemClock, now: () => new Date(Date.now() + 100 * DAY_MS) };
  await service("invite", later).pruneInvitations();
  expect(await listInvitations(db)).toMatchObject([{ id: used.id }]);
});
