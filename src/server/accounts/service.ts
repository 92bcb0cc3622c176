import type { Logger } from "pino";
import type { Login, Me, SignUp, Terms } from "../../contract/accounts.ts";
import type { FieldError } from "../../contract/error-messages.ts";
import {
  ACCOUNT_NAME_MAX,
  DEFAULT_TIME_ZONE,
  isTimeZone,
  normalizeEmail,
  normalizeName,
  PASSWORD_MAX,
  PASSWORD_MIN,
  passwordError,
} from "../../domain/account.ts";
import { browserName } from "../../domain/browser-name.ts";
import type { Clock } from "../../domain/clock.ts";
import { AppError } from "../../domain/errors.ts";
import { recordFailedSignIn, recordSignIn } from "../audit/service.ts";
import { currentLanguage } from "../base/locale.ts";
import type { Database } from "../db/client.ts";
import { isUniqueViolation } from "../db/errors.ts";
import { type Owner, ownerOf } from "../db/owner.ts";
import { knowsZone } from "../db/time-zones.ts";
import type { Caller } from "../http/session-guard.ts";
import { createAuth, sessionCookieName } from "./auth.ts";
import { authenticator, SESSION_IDLE_MS } from "./authenticate.ts";
import { type Confirming, type EmailConfirmations, waitingConfirmation } from "./email-confirmation.ts";
import type { AccountEmails as Emails } from "./emails.ts";
import { deleteOldInvitations } from "./invitations-repo.ts";
import type { KnownBrowsers } from "./known-browsers.ts";
import type { AccountGuard } from "./limits.ts";
import { isCommonPassword, type PasswordHasher } from "./password.ts";
import {
  type AccountRow,
  deleteOldSessions,
  deleteSession,
  findAccount,
  findAccountByEmail,
  insertAccount,
  type NewAccount,
} from "./repo.ts";
import { signIn } from "./sign-in.ts";
import { SignupDoor, type SignupMode } from "./signup-policy.ts";

/** The form has no field to correct an unknown zone. */
const UNKNOWN_TIME_ZONE = "Etc/Unknown";
const INVITATION_KEPT_MS = 90 * 86_400_000;

/** Daily wrong passwords from unknown browsers before the owner is notified. */
const TELL_OF_WRONG = 20;

/** What accounts ask of e-mail. */
export type AccountEmails = Emails;

export type AccountDeps = {
  database: Database;
  clock: Clock;
  log: Logger;
  secret: string;
  /** RECADO_URL; when null, the cookie cannot be Secure. */
  publicUrl: string | null;
  terms: Terms;
  termsInEnglish?: Terms;
  hasher: PasswordHasher;
  guard: AccountGuard;
  signup: SignupMode;
  watch?: {
    browsers: KnownBrowsers;
    letters: Pick<AccountEmails, "newBrowser" | "signUpAsked" | "wrongPasswords">;
  };
  mail?: boolean;
  confirmations?: Pick<EmailConfirmations, "by" | "send">;
};

export type Visitor = { address: string; headers: Headers };

export type SignedIn = { me: Me; setCookie: string; browserCookie?: string };

export type AccountService = {
  authenticate(request: Pick<Request, "headers">): Promise<Caller | null>;
  signUp(form: SignUp, visitor: Visitor): Promise<SignedIn>;
  signupPolicy(): Promise<{ open: boolean }>;
  /** Null: any. Throws `invitation_over`. */
  lookAtInvitation(token: string): Promise<{ email: string | null }>;
  login(form: Login, visitor: Visitor): Promise<SignedIn>;
  /** Returns the header that deletes the cookie. */
  logout(headers: Headers): Promise<string>;
  me(owner: Owner): Promise<Me>;
  planOf(owner: Owner): Promise<{ timeZone: string; monthlyLimit: number | null }>;
  terms(): Terms;
  forgetOldSessions(): Promise<void>;
  forgetOldInvitations(): Promise<void>;
};

export function accountService(deps: AccountDeps): AccountService {
  const { database, clock, log, guard } = deps;
  const termsShown = () => (currentLanguage() === "en" && deps.termsInEnglish) || deps.terms;
  const { db } = database;
  const url = deps.publicUrl ?? "http://localhost";
  const auth = createAuth({ db: database.kept, secret: deps.secret, url, hasher: deps.hasher, log });
  const cookieName = sessionCookieName(url);
  const door = new SignupDoor(db, deps.signup, clock);
  const authenticate = authenticator({ auth, db, clock, cookieName });

  /** Sign-in also ends the browser's previous session. */
  async function endSessionOf(headers: Headers): Promise<void> {
    const caller = await authenticate(new Headers({ cookie: headers.get("cookie") ?? "" }));
    if (caller?.via === "session") await deleteSession(db, caller.sessionId);
  }

  const show = (account: AccountRow) => toMe(account, deps.confirmations?.by ?? null);

  async function signedIn(
    email: string,
    answer: { headers: Headers },
  ): Promise<{ account: AccountRow; signed: SignedIn }> {
    const account = await findAccountByEmail(db, email);
    const setCookie = answer.headers.getSetCookie().find((cookie) => cookie.startsWith(`${cookieName}=`));
    if (!account || !setCookie) throw new AppError("internal");
    return { account, signed: { me: show(account), setCookie } };
  }

  /** Uses the invitation too. Throws `signup_failed`, `signup_closed`, `invitation_over`. */
  async function makeAccount(account: NewAccount, invitation: string | null): Promise<void> {
    const { email } = account;
    const make = db.transaction().execute(async (tx) => {
      await door.enter(tx, invitation);
      const accountId = await insertAccount(tx, account);
      await door.spend(tx, { accountId, email, invitation });
    });
    await make.catch(async (error: unknown) => {
      if (!isUniqueViolation(error, "account_email_key")) throw error;
      const taken = await findAccountByEmail(db, email);
      if (taken) tellOfSignUp(taken.id);
      throw new AppError("signup_failed", deps.mail ? { mail: true } : {});
    });
  }

  /** An error must not block sign-in. */
  async function note(me: Me, kind: "signed_in" | "account_created"): Promise<void> {
    await recordSignIn(ownerOf(db, me.id), kind).catch((error: unknown) =>
      log.warn({ err: error, kind }, "sign-in not noted"),
    );
  }

  /** Not awaited: the time would reveal the account. */
  function noteFailure(email: string): void {
    recordFailedSignIn(db, email).catch((error: unknown) =>
      log.warn({ err: error }, "failed sign-in not noted"),
    );
  }

  /** Not awaited: the time would reveal the account. */
  function tellOfSignUp(accountId: string): void {
    deps.watch?.letters
      .signUpAsked(ownerOf(db, accountId))
      .catch((error: unknown) => log.warn({ err: error }, "letter about a sign-up not written"));
  }

  /** An error must not block sign-in. */
  async function tellOfBrowser(account: AccountRow, visitor: Visitor): Promise<void> {
    if (!deps.watch || deps.watch.browsers.knows(visitor.headers, account)) return;
    const browser = browserName(visitor.headers.get("user-agent") ?? "");
    await deps.watch.letters
      .newBrowser(ownerOf(db, account.id), { browser, address: visitor.address })
      .catch((error: unknown) => log.warn({ err: error }, "letter about a sign-in not written"));
  }

  function remember(signed: SignedIn, account: AccountRow, visitor: Visitor): SignedIn {
    if (!deps.watch) return signed;
    return { ...signed, browserCookie: deps.watch.browsers.remember(visitor.headers, account) };
  }

  function tellOfWrong(account: AccountRow | undefined, wrong: number): void {
    if (!account || wrong < TELL_OF_WRONG) return;
    deps.watch?.letters
      .wrongPasswords(ownerOf(db, account.id))
      .catch((error: unknown) => log.warn({ err: error }, "letter about wrong passwords not written"));
  }

  /** The link can be requested again. */
  async function askToConfirm(account: AccountRow): Promise<void> {
    await db
      .transaction()
      .execute(async (tx) => deps.confirmations?.send(ownerOf(tx, account.id)))
      .catch((error: unknown) => log.warn({ err: error }, "link that confirms an e-mail not written"));
  }

  return {
    authenticate: (request) => authenticate(request.headers),

    async signUp(form, visitor) {
      refuseInsecure(url, visitor.headers);
      const invitation = form.invitation ?? null;
      await door.refuseClosed(invitation);
      const { email, name, password, ...asked } = judge(form);
      await guard.beforeSignUp(visitor.address);
      await door.refuseOtherEmail(invitation, email);
      const timeZone = (await knowsZone(db, asked.timeZone)) ? asked.timeZone : DEFAULT_TIME_ZONE;
      const { version: termsVersion } = termsShown();
      const made = { email, name, timeZone, termsVersion, now: clock.now() };
      await makeAccount({ ...made, password: await deps.hasher.hash(password) }, invitation);
      const headers = await signIn({ auth, db }, { email, password, headers: forLibrary(visitor) });
      await endSessionOf(visitor.headers);
      const { account, signed } = await signedIn(email, { headers });
      log.info({ accountId: account.id, termsVersion }, "account created");
      await note(signed.me, "account_created");
      await askToConfirm(account);
      return remember(signed, account, visitor);
    },

    signupPolicy: async () => ({ open: await door.isOpen() }),
    lookAtInvitation: (token) => door.look(token),

    async login(form, visitor) {
      refuseInsecure(url, visitor.headers);
      const email = normalizeEmail(form.email);
      const fields: Record<string, FieldError> = {};
      if (!email) fields.email = "invalid_email";
      if (form.password === "") fields.password = "required";
      if (!email || form.password === "") throw new AppError("invalid_fields", { fields });
      const asked = await findAccountByEmail(db, email);
      const known = asked !== undefined && (deps.watch?.browsers.knows(visitor.headers, asked) ?? false);
      const attempt = { email, address: visitor.address, known };
      const wrong = await guard.beforeLogin(attempt);
      // Cannot be valid; hashing ten megabytes would be wasted work.
      if (form.password.length > PASSWORD_MAX * 2) throw new AppError("login_failed");
      const typed = { email, password: form.password, headers: forLibrary(visitor) };
      const headers = await signIn({ auth, db }, typed).catch((error: unknown) => {
        if (error instanceof AppError && error.code === "login_failed") {
          noteFailure(email);
          tellOfWrong(asked, wrong);
        }
        throw error;
      });
      await guard.afterLogin(attempt);
      await endSessionOf(visitor.headers);
      const { account, signed } = await signedIn(email, { headers });
      await note(signed.me, "signed_in");
      await tellOfBrowser(account, visitor);
      return remember(signed, account, visitor);
    },

    async logout(headers) {
      await endSessionOf(headers);
      const secure = url.startsWith("https:") ? "; Secure" : "";
      return `${cookieName}=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax${secure}`;
    },

    async me(owner) {
      const account = await findAccount(owner);
      if (!account) throw new AppError("unauthenticated");
      return show(account);
    },

    async planOf(owner) {
      const account = await findAccount(owner);
      if (!account) throw new AppError("unauthenticated");
      return { timeZone: account.time_zone, monthlyLimit: account.monthly_limit };
    },

    terms: termsShown,

    forgetOldSessions: () => {
      const now = clock.now();
      return deleteOldSessions(db, now, new Date(now.getTime() - SESSION_IDLE_MS));
    },

    forgetOldInvitations: () =>
      deleteOldInvitations(db, new Date(clock.now().getTime() - INVITATION_KEPT_MS)),
  };
}

/** Browsers keep its Secure cookie without https. */
const OWN_MACHINE = /^(localhost|.+\.localhost|127(\.\d+){3}|\[::1\])$/;

/**
 * Throws `insecure_address` {url}: over plain http, for example by local IP, browsers drop a Secure cookie,
 * and sign-in would look like an ended session.
 */
function refuseInsecure(publicUrl: string, headers: Headers): void {
  const origin = headers.get("origin") ?? "";
  if (!publicUrl.startsWith("https:") || !origin.startsWith("http:") || !URL.canParse(origin)) return;
  if (!OWN_MACHINE.test(new URL(origin).hostname)) throw new AppError("insecure_address", { url: publicUrl });
}

/** No cookie, so that no session continues, and only our address. */
function forLibrary(visitor: Visitor): Headers {
  const userAgent = (visitor.headers.get("user-agent") ?? "").slice(0, 300);
  return new Headers({ "user-agent": userAgent, "x-recado-client": visitor.address });
}

export function toMe(row: AccountRow, confirming: Confirming): Me {
  return {
    id: row.id,
    name: row.name,
    email: row.email,
    confirmation: waitingConfirmation(row, confirming),
    company: row.company,
    language: row.language,
    timeZone: row.time_zone,
    riskRead: row.risk_read_at !== null,
    stepsHidden: row.steps_hidden_at !== null,
    createdAt: row.created_at.toISOString(),
  };
}

function judge(form: SignUp): { email: string; name: string; password: string; timeZone: string } {
  const email = normalizeEmail(form.email);
  const name = normalizeName(form.name);
  const known = form.timeZone && form.timeZone !== UNKNOWN_TIME_ZONE;
  const timeZone = (known && form.timeZone) || DEFAULT_TIME_ZONE;
  const fields: Record<string, FieldError> = {};
  if (!email) fields.email = "invalid_email";
  if (name === "") fields.name = "required";
  else if (Array.from(name).length > ACCOUNT_NAME_MAX)
    fields.name = { code: "too_long", n: ACCOUNT_NAME_MAX };
  const fault = newPasswordError(form.password, { email: email ?? "", name });
  if (fault) fields.password = fault;
  if (form.password !== form.confirmPassword) fields.confirmPassword = "passwords_differ";
  if (!form.acceptTerms) fields.acceptTerms = "terms_required";
  if (!isTimeZone(timeZone)) fields.timeZone = "invalid_option";
  if (!email || Object.keys(fields).length > 0) throw new AppError("invalid_fields", { fields });
  return { email, name, password: form.password, timeZone };
}

export function newPasswordError(
  password: string,
  about: { email: string; name: string },
): FieldError | undefined {
  if (password === "") return "required";
  const fault = passwordError(password);
  if (fault === "too_short") return { code: fault, n: PASSWORD_MIN };
  if (fault === "too_long") return { code: fault, n: PASSWORD_MAX };
  return fault ?? (isCommonPassword(password, about) ? "password_common" : undefined);
}
