import type { Logger } from "pino";
import type { Login, Me, SignUp, Terms } from "../../contract/accounts.ts";
import type { FieldFault } from "../../contract/error-messages.ts";
import {
  ACCOUNT_NAME_MAX,
  DEFAULT_TIME_ZONE,
  isTimeZone,
  normalizeEmail,
  normalizeName,
  PASSWORD_MAX,
  PASSWORD_MIN,
  passwordFault,
} from "../../domain/account.ts";
import { browserName } from "../../domain/browser-name.ts";
import type { Clock } from "../../domain/clock.ts";
import { AppError } from "../../domain/errors.ts";
import { recordFailedSignIn, recordSignIn } from "../audit/service.ts";
import type { Database } from "../db/client.ts";
import { isUniqueViolation } from "../db/faults.ts";
import { type Owner, ownerOf } from "../db/owner.ts";
import { knowsZone } from "../db/time-zones.ts";
import type { Caller } from "../http/session-guard.ts";
import { spokenLanguage } from "../words.ts";
import { createAuth, sessionCookieName } from "./auth.ts";
import { authenticator, SESSION_IDLE_MS } from "./authenticate.ts";
import { deleteOldInvitations } from "./invitations-repo.ts";
import type { KnownBrowsers } from "./known-browsers.ts";
import type { AccountLetters } from "./letters.ts";
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
import { SignupDoor, type SignupMode } from "./signup-door.ts";

/** What a browser says that does not know its zone. Nobody could mend that in a form that has no such field. */
const UNKNOWN_TIME_ZONE = "Etc/Unknown";
/** How long the operator can look up an invitation that was not used. */
const INVITATION_KEPT_MS = 90 * 86_400_000;

export type AccountDeps = {
  database: Database;
  clock: Clock;
  log: Logger;
  /** Signs the session cookies; kept outside the database. */
  secret: string;
  /** The public origin (RECADO_URL); null when nobody said, and then the cookie cannot be Secure. */
  publicUrl: string | null;
  terms: Terms;
  /** Shown to whoever reads English, and what they accept; `terms` unless given. */
  termsInEnglish?: Terms;
  hasher: PasswordHasher;
  guard: AccountGuard;
  /** Who may sign up. */
  signup: SignupMode;
  /** Where letters can be sent, the owner hears of sign-ins with browsers that are new to the account. */
  watch?: { browsers: KnownBrowsers; letters: Pick<AccountLetters, "newBrowser" | "signUpAsked"> };
};

/** Who is at the door: the address that http has judged, and what the browser sent. */
export type Visitor = { address: string; headers: Headers };

/** The signed-in person and the header that gives the browser its session. */
export type SignedIn = { me: Me; setCookie: string; browserCookie?: string };

export type AccountService = {
  authenticate(request: Pick<Request, "headers">): Promise<Caller | null>;
  signUp(form: SignUp, visitor: Visitor): Promise<SignedIn>;
  /** Whether a person without an invitation may sign up now. */
  signupPolicy(): Promise<{ open: boolean }>;
  /** For which e-mail alone an invitation is; null: for any. Throws `invitation_over`. */
  lookAtInvitation(token: string): Promise<{ email: string | null }>;
  login(form: Login, visitor: Visitor): Promise<SignedIn>;
  /** Ends the session of the cookie, if any; answers the header that removes the cookie. */
  logout(headers: Headers): Promise<string>;
  me(owner: Owner): Promise<Me>;
  /** What usage is held against. */
  planOf(owner: Owner): Promise<{ timeZone: string; monthlyLimit: number | null }>;
  terms(): Terms;
  /** Removes sessions that are over; for the nightly job. */
  forgetOldSessions(): Promise<void>;
  /** Removes invitations that were over long ago; for the nightly job. */
  forgetOldInvitations(): Promise<void>;
};

export function accountService(deps: AccountDeps): AccountService {
  const { database, clock, log, guard } = deps;
  const termsShown = () => (spokenLanguage() === "en" && deps.termsInEnglish) || deps.terms;
  const { db } = database;
  const url = deps.publicUrl ?? "http://localhost";
  const auth = createAuth({ db: database.kept, secret: deps.secret, url, hasher: deps.hasher, log });
  const cookieName = sessionCookieName(url);
  const door = new SignupDoor(db, deps.signup, clock);
  const authenticate = authenticator({ auth, db, clock, cookieName });

  /** Whoever signs in gets a new session; the one the browser came with ends, whoever gave it to the browser. */
  async function endSessionOf(headers: Headers): Promise<void> {
    const caller = await authenticate(new Headers({ cookie: headers.get("cookie") ?? "" }));
    if (caller?.via === "session") await deleteSession(db, caller.sessionId);
  }

  async function signedIn(email: string, answer: { headers: Headers }): Promise<SignedIn> {
    const account = await findAccountByEmail(db, email);
    const setCookie = answer.headers.getSetCookie().find((cookie) => cookie.startsWith(`${cookieName}=`));
    if (!account || !setCookie) throw new AppError("internal");
    return { me: shownMe(account), setCookie };
  }

  /** The account, and the invitation that it takes, or neither. Throws `signup_failed`, `signup_closed` and `invitation_over`. */
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
      throw new AppError("signup_failed", deps.watch ? { mail: true } : {});
    });
  }

  /** Nobody is kept out because it could not be noted. */
  async function note(me: Me, kind: "signed_in" | "account_created"): Promise<void> {
    await recordSignIn(ownerOf(db, me.id), kind).catch((error: unknown) =>
      log.warn({ err: error, kind }, "sign-in not noted"),
    );
  }

  /** Not waited for: an account that exists would take longer to refuse than one that does not. */
  function noteFailure(email: string): void {
    recordFailedSignIn(db, email).catch((error: unknown) =>
      log.warn({ err: error }, "failed sign-in not noted"),
    );
  }

  /** Not waited for: the answer takes no longer with a letter than without. */
  function tellOfSignUp(accountId: string): void {
    deps.watch?.letters
      .signUpAsked(ownerOf(db, accountId))
      .catch((error: unknown) => log.warn({ err: error }, "letter about a sign-up not written"));
  }

  /** Nobody is kept out because a letter could not be written. */
  async function tellOfBrowser(signed: SignedIn, visitor: Visitor, fresh: boolean): Promise<SignedIn> {
    if (!deps.watch) return signed;
    const { browsers, letters } = deps.watch;
    const { me } = signed;
    if (!fresh && !browsers.knows(visitor.headers, me.id)) {
      const browser = browserName(visitor.headers.get("user-agent") ?? "");
      await letters
        .newBrowser(ownerOf(db, me.id), { browser, address: visitor.address })
        .catch((error: unknown) => log.warn({ err: error }, "letter about a sign-in not written"));
    }
    return { ...signed, browserCookie: browsers.remember(visitor.headers, me.id) };
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
      // Nobody chose it: the browser said so.
      const timeZone = (await knowsZone(db, asked.timeZone)) ? asked.timeZone : DEFAULT_TIME_ZONE;
      const { version: termsVersion } = termsShown();
      const made = { email, name, timeZone, termsVersion, now: clock.now() };
      await makeAccount({ ...made, password: await deps.hasher.hash(password) }, invitation);
      const headers = await signIn({ auth, db }, { email, password, headers: forLibrary(visitor) });
      await endSessionOf(visitor.headers);
      const result = await signedIn(email, { headers });
      log.info({ accountId: result.me.id, termsVersion }, "account created");
      await note(result.me, "account_created");
      return tellOfBrowser(result, visitor, true);
    },

    signupPolicy: async () => ({ open: await door.isOpen() }),
    lookAtInvitation: (token) => door.look(token),

    async login(form, visitor) {
      refuseInsecure(url, visitor.headers);
      const email = normalizeEmail(form.email);
      const fields: Record<string, FieldFault> = {};
      if (!email) fields.email = "invalid_email";
      if (form.password === "") fields.password = "required";
      if (!email || form.password === "") throw new AppError("invalid_fields", { fields });
      await guard.beforeLogin(email, visitor.address);
      // Nobody has such a password, and hashing ten megabytes would be work for nothing.
      if (form.password.length > PASSWORD_MAX * 2) throw new AppError("login_failed");
      const typed = { email, password: form.password, headers: forLibrary(visitor) };
      const headers = await signIn({ auth, db }, typed).catch((error: unknown) => {
        if (error instanceof AppError && error.code === "login_failed") noteFailure(email);
        throw error;
      });
      await guard.afterLogin(email, visitor.address);
      await endSessionOf(visitor.headers);
      const result = await signedIn(email, { headers });
      await note(result.me, "signed_in");
      return tellOfBrowser(result, visitor, false);
    },

    async logout(headers) {
      await endSessionOf(headers);
      const secure = url.startsWith("https:") ? "; Secure" : "";
      return `${cookieName}=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax${secure}`;
    },

    async me(owner) {
      const account = await findAccount(owner);
      if (!account) throw new AppError("unauthenticated");
      return shownMe(account);
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

/** Of its own machine a browser keeps a Secure cookie without https, too. */
const OWN_MACHINE = /^(localhost|.+\.localhost|127(\.\d+){3}|\[::1\])$/;

/**
 * Throws `insecure_address` {url} where the browser would drop the cookie: under the operator's https address it is Secure, and on a page
 * that was opened by plain http, by the server's number in the house say, whoever signs in would read at once that the session has ended.
 */
function refuseInsecure(publicUrl: string, headers: Headers): void {
  const origin = headers.get("origin") ?? "";
  if (!publicUrl.startsWith("https:") || !origin.startsWith("http:") || !URL.canParse(origin)) return;
  if (!OWN_MACHINE.test(new URL(origin).hostname)) throw new AppError("insecure_address", { url: publicUrl });
}

/** Only what the library may know of the request: no cookie (no session may be carried on) and no address but ours. */
function forLibrary(visitor: Visitor): Headers {
  const userAgent = (visitor.headers.get("user-agent") ?? "").slice(0, 300);
  return new Headers({ "user-agent": userAgent, "x-recado-client": visitor.address });
}

/** An account as its owner's page has it. */
export function shownMe(row: AccountRow): Me {
  return {
    id: row.id,
    name: row.name,
    email: row.email,
    company: row.company,
    language: row.language,
    timeZone: row.time_zone,
    riskRead: row.risk_read_at !== null,
    stepsHidden: row.steps_hidden_at !== null,
    createdAt: row.created_at.toISOString(),
  };
}

/** Every fault of the form at once, each under its field; otherwise the form in the shape in which it is kept. */
function judge(form: SignUp): { email: string; name: string; password: string; timeZone: string } {
  const email = normalizeEmail(form.email);
  const name = normalizeName(form.name);
  const known = form.timeZone && form.timeZone !== UNKNOWN_TIME_ZONE;
  const timeZone = (known && form.timeZone) || DEFAULT_TIME_ZONE;
  const fields: Record<string, FieldFault> = {};
  if (!email) fields.email = "invalid_email";
  if (name === "") fields.name = "required";
  else if (Array.from(name).length > ACCOUNT_NAME_MAX)
    fields.name = { code: "too_long", n: ACCOUNT_NAME_MAX };
  const fault = newPasswordFault(form.password, { email: email ?? "", name });
  if (fault) fields.password = fault;
  if (form.password !== form.confirmPassword) fields.confirmPassword = "passwords_differ";
  if (!form.acceptTerms) fields.acceptTerms = "terms_required";
  if (!isTimeZone(timeZone)) fields.timeZone = "invalid_option";
  if (!email || Object.keys(fields).length > 0) throw new AppError("invalid_fields", { fields });
  return { email, name, password: form.password, timeZone };
}

/** What is wrong with a password that somebody wants to have; undefined when it may be hashed. */
export function newPasswordFault(
  password: string,
  about: { email: string; name: string },
): FieldFault | undefined {
  if (password === "") return "required";
  const fault = passwordFault(password);
  if (fault === "too_short") return { code: fault, n: PASSWORD_MIN };
  if (fault === "too_long") return { code: fault, n: PASSWORD_MAX };
  return fault ?? (isCommonPassword(password, about) ? "password_common" : undefined);
}
