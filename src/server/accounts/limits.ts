import { createHash } from "node:crypto";
import ipaddr from "ipaddr.js";
import { sql } from "kysely";
import type { Clock } from "../../domain/clock.ts";
import { AppError } from "../../domain/errors.ts";
import { systemClock } from "../base/clock.ts";
import type { Database, Db } from "../db/client.ts";
import { consume, type Limit, limiter } from "../db/rate-limit.ts";
import { SlowCounter } from "./slow-counter.ts";

/**
 * After `free` wrong attempts the next waits 2 s, then doubled, at most a minute; forgotten after `seconds`.
 */
export type Slowing = { free: number; seconds: number };

export type AccountLimits = {
  login: Slowing;
  /** Per address: guessing one password over many accounts. */
  loginAddress: Slowing;
  /**
   * Per e-mail, unknown browsers: only delayed, or strangers could lock the owner out. `free` plus one a
   * minute, at most 1,540 a day.
   */
  loginAccount: Slowing;
  /** Daily immediate attempts beyond `loginAccount`, for networks without failures. */
  loginFresh: Limit;
  /** Known browsers; strangers cannot use this up. */
  loginKnown: Limit;
  /** Per e-mail and address, per address, and per e-mail. */
  reset: Limit;
  resetAddress: Limit;
  resetAccount: Limit;
  /** Confirmation links per account, and per e-mail. */
  confirmation: Limit;
  confirmationEmail: Limit;
  /** Sign-ups per address, counting valid forms only. */
  signUp: Limit;
  /** From the server's own address: behind a proxy missing in RECADO_TRUST_PROXY, all people share it. */
  signUpLocal: Limit;
  /** Inside a session, which may be stolen. */
  password: Limit;
};

const DAY_S = 24 * 60 * 60;

export const ACCOUNT_LIMITS: AccountLimits = {
  login: { free: 5, seconds: 15 * 60 },
  loginAddress: { free: 50, seconds: 15 * 60 },
  loginAccount: { free: 100, seconds: DAY_S },
  loginFresh: { attempts: 200, seconds: DAY_S },
  loginKnown: { attempts: 10, seconds: 15 * 60 },
  reset: { attempts: 5, seconds: 60 * 60 },
  resetAddress: { attempts: 50, seconds: 60 * 60 },
  resetAccount: { attempts: 20, seconds: 60 * 60 },
  confirmation: { attempts: 5, seconds: 60 * 60 },
  confirmationEmail: { attempts: 10, seconds: DAY_S },
  signUp: { attempts: 5, seconds: 60 * 60 },
  signUpLocal: { attempts: 100, seconds: 60 * 60 },
  password: { attempts: 5, seconds: 15 * 60 },
};

export type SignInTry = { email: string; address: string; known: boolean };

export type AccountGuard = {
  /**
   * Counts before the attempt, so parallel ones count. Throws `too_many_requests` {retryAfter: s}; returns
   * wrong attempts from unknown browsers.
   */
  beforeLogin(attempt: SignInTry): Promise<number>;
  afterLogin(attempt: SignInTry): Promise<void>;
  /** Also for unknown e-mails; otherwise the limit would reveal them. */
  beforeReset(email: string, address: string): Promise<void>;
  afterReset(email: string): Promise<void>;
  beforeConfirmation(accountId: string, email: string): Promise<void>;
  beforeSignUp(address: string): Promise<void>;
  beforePassword(accountId: string): Promise<void>;
  afterPassword(accountId: string): Promise<void>;
};

export function accountGuard(
  database: Database,
  limits: AccountLimits = ACCOUNT_LIMITS,
  clock: Pick<Clock, "now"> = systemClock,
): AccountGuard {
  const signIns = signInLimits(database, limits, clock);
  const reset = limiter(database, "reset", limits.reset);
  const resetAddress = limiter(database, "reset-address", limits.resetAddress);
  const resetAccount = limiter(database, "reset-account", limits.resetAccount);
  const confirmation = limiter(database, "confirmation", limits.confirmation);
  const confirmationEmail = limiter(database, "confirmation-email", limits.confirmationEmail);
  const signUp = limiter(database, "signup", limits.signUp);
  const signUpLocal = limiter(database, "signup-local", limits.signUpLocal);
  const password = limiter(database, "password", limits.password);

  return {
    ...signIns,
    async beforeReset(email, address) {
      const network = networkOf(address);
      await consume(reset, pairKey(email, network));
      await consume(resetAddress, network);
      await consume(resetAccount, hashed(email));
    },
    afterReset: (email) => forgiveSignIns(database.db, email),
    async beforeConfirmation(accountId, email) {
      await consume(confirmation, accountId);
      await consume(confirmationEmail, hashed(email));
    },
    beforeSignUp: (address) => consume(isLoopback(address) ? signUpLocal : signUp, networkOf(address)),
    beforePassword: (accountId) => consume(password, accountId),
    afterPassword: async (accountId) => void (await password.delete(accountId)),
  };
}

/** Only a known browser is refused for minutes, by its own attempts. */
function signInLimits(
  database: Database,
  limits: AccountLimits,
  clock: Pick<Clock, "now">,
): Pick<AccountGuard, "beforeLogin" | "afterLogin"> {
  // Not cached: a process would go on refusing after a reset.
  const known = limiter(database, "login-known", limits.loginKnown, { remembers: false });
  const fresh = limiter(database, "login-fresh", limits.loginFresh, { remembers: false });
  const slow = (name: string, slowing: Slowing) =>
    new SlowCounter(database.db, clock, { name: `login${name}`, ...slowing });
  const pair = slow("", limits.login);
  const network = slow("-address", limits.loginAddress);
  const account = slow("-account", limits.loginAccount);

  /** A network without failures gets its first attempt at once, a limited number of times a day. */
  async function wherePast(email: string, first: boolean): Promise<number> {
    try {
      return await account.count(hashed(email));
    } catch (refused) {
      if (!first) throw refused;
      await consume(fresh, hashed(email)).catch((later: unknown) => {
        throw later instanceof AppError ? refused : later;
      });
      return limits.loginAccount.free;
    }
  }

  return {
    async beforeLogin({ email, address, known: isKnown }) {
      if (isKnown) {
        await consume(known, hashed(email));
        return 0;
      }
      const [mine, shared] = [pairKey(email, networkOf(address)), networkOf(address)];
      const nth = await pair.count(mine);
      try {
        await network.count(shared);
        try {
          return await wherePast(email, nth === 1);
        } catch (refused) {
          await network.giveBack(shared);
          throw refused;
        }
      } catch (refused) {
        await pair.giveBack(mine);
        throw refused;
      }
    },
    async afterLogin({ email, address, known: isKnown }) {
      if (isKnown) return void (await known.delete(hashed(email)));
      await pair.forget(pairKey(email, networkOf(address)));
      await network.giveBack(networkOf(address));
      await account.giveBack(hashed(email));
    },
  };
}

/** All networks: the link is often opened on another one. */
export async function forgiveSignIns(db: Db, email: string): Promise<void> {
  const who = hashed(email);
  const whole = ["login-account", "login-known", "login-fresh"].map((name) => `${name}:${who}`);
  await sql`delete from rate_limit where starts_with(key, ${`login:${who}|`}) or key = any(${whole}::text[])`.execute(
    db,
  );
}

/** IPv4 address or IPv6 /64: one subscriber has all addresses in it. */
export function networkOf(address: string): string {
  if (!ipaddr.isValid(address)) return "unknown";
  // Maps ::ffff:1.2.3.4 to 1.2.3.4: one caller, one counter.
  const parsed = ipaddr.process(address);
  if (parsed.kind() === "ipv4") return parsed.toString();
  return `${ipaddr.IPv6.networkAddressFromCIDR(`${parsed.toNormalizedString()}/64`).toString()}/64`;
}

function isLoopback(address: string): boolean {
  return ipaddr.isValid(address) && ipaddr.process(address).range() === "loopback";
}

/** Strangers' e-mails must not be stored. */
const hashed = (email: string) => createHash("sha256").update(email).digest("hex").slice(0, 32);
const pairKey = (email: string, network: string) => `${hashed(email)}|${network}`;
