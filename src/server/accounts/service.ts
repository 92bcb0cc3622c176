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
} from "../../domain/account.ts";
import type { Clock } from "../../domain/clock.ts";
import { AppError } from "../../domain/errors.ts";
import { currentLanguage } from "../base/locale.ts";
import type { Database, Db } from "../db/client.ts";
import { isUniqueViolation } from "../db/errors.ts";
import { type Owner, ownerOf } from "../db/owner.ts";
import { knowsZone } from "../db/time-zones.ts";
import type { Caller } from "../http/session-guard.ts";
import { type Auth, createAuth, sessionCookieName } from "./auth.ts";
import { authenticator, FORMER_SESSION_MS, SESSION_IDLE_MS } from "./authenticate.ts";
import { type Confirming, type EmailConfirmations, waitingConfirmation } from "./email-confirmation.ts";
import type { AccountEmails as Emails } from "./emails.ts";
import { deleteOldInvitations } from "./invitations-repo.ts";
import type { AccountGuard } from "./limits.ts";
import { isLinkOpen } from "./link-repo.ts";
import { newPasswordError } from "./new-password.ts";
import type { PasswordHasher } from "./password.ts";
import {
  type AccountRow,
  deleteOldSessions,
  deleteSession,
  expireSession,
  findAccount,
  findAccountByEmail,
  insertAccount,
  type NewAccount,
} from "./repo.ts";
import { signIn } from "./sign-in.ts";
import { type BrowserWatch, SignInNotices, type Visitor } from "./sign-in-notices.ts";
import { SignupDoor, type SignupMode } from "./signup-policy.ts";

export const linkOpen = isLinkOpen;

/** The form has no field to correct an unknown zone. */
const UNKNOWN_TIME_ZONE = "Etc/Unknown";
const INVITATION_KEPT_MS = 90 * 86_400_000;

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
  watch?: BrowserWatch;
  mail?: boolean;
  confirmations?: Pick<EmailConfirmations, "by" | "send">;
};

export type SignedIn = { me: Me; setCookie: string; browserCookie?: string };

/** What accounts ask of e-mail. */
export type AccountEmails = Emails;

export class AccountService {
  readonly #deps: AccountDeps;
  readonly #db: Db;
  readonly #url: string;
  readonly #cookieName: string;
  readonly #auth: Auth;
  readonly #door: SignupDoor;
  readonly #notices: SignInNotices;
  readonly #callerOf: (headers: Headers) => Promise<Caller | null>;

  constructor(deps: AccountDeps) {
    const { database, clock, log, secret, hasher } = deps;
    this.#deps = deps;
    this.#db = database.db;
    this.#url = deps.publicUrl ?? "http://localhost";
    this.#cookieName = sessionCookieName(this.#url);
    this.#auth = createAuth({ db: database.kept, secret, url: this.#url, hasher, log });
    this.#door = new SignupDoor(this.#db, deps.signup, clock);
    this.#notices = new SignInNotices({ db: this.#db, log, watch: deps.watch });
    this.#callerOf = authenticator({ auth: this.#auth, db: this.#db, clock, cookieName: this.#cookieName });
  }

  /** A field, as the HTTP app takes it as a function. */
  readonly authenticate = (request: Pick<Request, "headers">): Promise<Caller | null> =>
    this.#callerOf(request.headers);

  async signUp(form: SignUp, visitor: Visitor): Promise<SignedIn> {
    const { clock, guard, hasher, log } = this.#deps;
    refuseInsecure(this.#url, visitor.headers);
    const invitation = form.invitation ?? null;
    await this.#door.refuseClosed(invitation);
    const { email, name, password, ...asked } = validate(form);
    await guard.beforeSignUp(visitor.address);
    await this.#door.refuseOtherEmail(invitation, email);
    const timeZone = (await knowsZone(this.#db, asked.timeZone)) ? asked.timeZone : DEFAULT_TIME_ZONE;
    const { version: termsVersion } = this.terms();
    const made = { email, name, timeZone, termsVersion, now: clock.now() };
    await this.#makeAccount({ ...made, password: await hasher.hash(password) }, invitation);
    const { account, signed } = await this.#startSession({ email, password }, visitor);
    log.info({ accountId: account.id, termsVersion }, "account created");
    await this.#notices.signedIn(account.id, "account_created");
    await this.#askToConfirm(account);
    return this.#remember(signed, account, visitor);
  }

  async signupPolicy(): Promise<{ open: boolean }> {
    return { open: await this.#door.isOpen() };
  }

  /** Null: any. Throws `invitation_over`. */
  lookAtInvitation(token: string): Promise<{ email: string | null }> {
    return this.#door.look(token);
  }

  async login(form: Login, visitor: Visitor): Promise<SignedIn> {
    const { guard } = this.#deps;
    refuseInsecure(this.#url, visitor.headers);
    const email = emailOf(form);
    const asked = await findAccountByEmail(this.#db, email);
    const known = asked !== undefined && this.#notices.knows(asked, visitor.headers);
    const attempt = { email, address: visitor.address, known };
    const wrong = await guard.beforeLogin(attempt);
    // Cannot be valid; hashing ten megabytes would be wasted work.
    if (form.password.length > PASSWORD_MAX * 2) throw new AppError("login_failed");
    const headers = await this.#signIn({ email, password: form.password }, visitor).catch(
      (error: unknown) => {
        if (error instanceof AppError && error.code === "login_failed") {
          this.#notices.failed(email);
          this.#notices.wrongPassword(asked, wrong);
        }
        throw error;
      },
    );
    await guard.afterLogin(attempt);
    const { account, signed } = await this.#replaceSession(email, headers, visitor);
    await this.#notices.signedIn(account.id, "signed_in");
    await this.#notices.newBrowser(account, visitor);
    return this.#remember(signed, account, visitor);
  }

  /** Returns the header that deletes the cookie. */
  async logout(headers: Headers): Promise<string> {
    const session = await this.#sessionOf(headers);
    if (session) await deleteSession(this.#db, session.sessionId);
    const secure = this.#url.startsWith("https:") ? "; Secure" : "";
    return `${this.#cookieName}=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax${secure}`;
  }

  async me(owner: Owner): Promise<Me> {
    return this.#toMe(await need(owner));
  }

  async planOf(owner: Owner): Promise<{ timeZone: string; monthlyLimit: number | null }> {
    const account = await need(owner);
    return { timeZone: account.time_zone, monthlyLimit: account.monthly_limit };
  }

  terms(): Terms {
    const { terms, termsInEnglish } = this.#deps;
    return (currentLanguage() === "en" && termsInEnglish) || terms;
  }

  pruneSessions(): Promise<void> {
    const now = this.#deps.clock.now();
    return deleteOldSessions(this.#db, now, new Date(now.getTime() - SESSION_IDLE_MS));
  }

  pruneInvitations(): Promise<void> {
    return deleteOldInvitations(this.#db, new Date(this.#deps.clock.now().getTime() - INVITATION_KEPT_MS));
  }

  #toMe(account: AccountRow): Me {
    return toMe(account, this.#deps.confirmations?.by ?? null);
  }

  #signIn(typed: { email: string; password: string }, visitor: Visitor): Promise<Headers> {
    return signIn({ auth: this.#auth, db: this.#db }, { ...typed, headers: forLibrary(visitor) });
  }

  async #startSession(typed: { email: string; password: string }, visitor: Visitor): Promise<NewSession> {
    return this.#replaceSession(typed.email, await this.#signIn(typed, visitor), visitor);
  }

  async #replaceSession(email: string, answer: Headers, visitor: Visitor): Promise<NewSession> {
    const account = await findAccountByEmail(this.#db, email);
    await this.#endFormerSession(visitor.headers, account?.id);
    const setCookie = answer.getSetCookie().find((cookie) => cookie.startsWith(`${this.#cookieName}=`));
    if (!account || !setCookie) throw new AppError("internal");
    return { account, signed: { me: this.#toMe(account), setCookie } };
  }

  /** The same user's other tabs may still send the former cookie. */
  async #endFormerSession(headers: Headers, accountId: string | undefined): Promise<void> {
    const former = await this.#sessionOf(headers);
    if (former && former.accountId !== accountId) await deleteSession(this.#db, former.sessionId);
    else if (former) {
      const end = new Date(this.#deps.clock.now().getTime() + FORMER_SESSION_MS);
      await expireSession(this.#db, former.sessionId, end);
    }
  }

  async #sessionOf(headers: Headers) {
    const caller = await this.#callerOf(new Headers({ cookie: headers.get("cookie") ?? "" }));
    return caller?.via === "session" ? caller : null;
  }

  /** Uses the invitation too. Throws `signup_failed`, `signup_closed`, `invitation_over`. */
  async #makeAccount(account: NewAccount, invitation: string | null): Promise<void> {
    const { email } = account;
    const make = this.#db.transaction().execute(async (tx) => {
      await this.#door.enter(tx, invitation);
      const accountId = await insertAccount(tx, account);
      await this.#door.spend(tx, { accountId, email, invitation });
    });
    await make.catch(async (error: unknown) => {
      if (!isUniqueViolation(error, "account_email_key")) throw error;
      const taken = await findAccountByEmail(this.#db, email);
      if (taken) this.#notices.signUpAsked(taken.id);
      throw new AppError("signup_failed", this.#deps.mail ? { mail: true } : {});
    });
  }

  /** The link can be requested again. */
  async #askToConfirm(account: AccountRow): Promise<void> {
    const { confirmations, log } = this.#deps;
    await this.#db
      .transaction()
      .execute(async (tx) => confirmations?.send(ownerOf(tx, account.id)))
      .catch((error: unknown) => log.warn({ err: error }, "link that confirms an e-mail not written"));
  }

  #remember(signed: SignedIn, account: AccountRow, visitor: Visitor): SignedIn {
    const browserCookie = this.#notices.remember(account, visitor.headers);
    return browserCookie === undefined ? signed : { ...signed, browserCookie };
  }
}

type NewSession = { account: AccountRow; signed: SignedIn };

async function need(owner: Owner): Promise<AccountRow> {
  const account = await findAccount(owner);
  if (!account) throw new AppError("unauthenticated");
  return account;
}

function emailOf(form: Login): string {
  const email = normalizeEmail(form.email);
  const fields: Record<string, FieldError> = {};
  if (!email) fields.email = "invalid_email";
  if (form.password === "") fields.password = "required";
  if (!email || form.password === "") throw new AppError("invalid_fields", { fields });
  return email;
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

function validate(form: SignUp): { email: string; name: string; password: string; timeZone: string } {
  const email = normalizeEmail(form.email);
  const name = normalizeName(form.name);
  const known = form.timeZone && form.timeZone !== UNKNOWN_TIME_ZONE;
  const timeZone = (known && form.timeZone) || DEFAULT_TIME_ZONE;
  const fields: Record<string, FieldError> = {};
  if (!email) fields.email = "invalid_email";
  if (name === "") fields.name = "required";
  else if (Array.from(name).length > ACCOUNT_NAME_MAX)
    fields.name = { code: "too_long", n: ACCOUNT_NAME_MAX };
  const error = newPasswordError(form.password, { email: email ?? "", name });
  if (error) fields.password = error;
  if (form.password !== form.confirmPassword) fields.confirmPassword = "passwords_differ";
  if (!form.acceptTerms) fields.acceptTerms = "terms_required";
  if (!isTimeZone(timeZone)) fields.timeZone = "invalid_option";
  if (!email || Object.keys(fields).length > 0) throw new AppError("invalid_fields", { fields });
  return { email, name, password: form.password, timeZone };
}
