import { createHash } from "node:crypto";
import ipaddr from "ipaddr.js";
import { sql } from "kysely";
import { RateLimiterPostgres, RateLimiterRes } from "rate-limiter-flexible";
import type { Clock } from "../../domain/clock.ts";
import { AppError } from "../../domain/errors.ts";
import { systemClock } from "../base/clock.ts";
import type { Database, Db } from "../db/client.ts";
import { SlowCounter } from "./slow-counter.ts";

/** So many attempts within so many seconds. */
export type Limit = { attempts: number; seconds: number };

/** After so many wrong attempts the next one waits: two seconds, then twice as long each time, a minute at most. Forgotten `seconds` after the last one. */
export type Slowing = { free: number; seconds: number };

export type AccountLimits = {
  /** Failed logins for one e-mail from one address. */
  login: Slowing;
  /** Failed logins from one address, whatever the e-mail: guessing one password over many accounts. */
  loginAddress: Slowing;
  /**
   * Failed logins for one e-mail from anywhere, in browsers that the account does not know. They wait, and are never refused for long, or a
   * stranger could lock the owner out. `free` and one a minute: at most 1,540 a day.
   */
  loginAccount: Slowing;
  /** Past `loginAccount`, a network without a wrong attempt of its own need not wait: so many more a day. */
  loginFresh: Limit;
  /** Failed logins in browsers that the account knows: strangers cannot use this up. */
  loginKnown: Limit;
  /** Links for a new password, asked for one e-mail from one address; from one address; and for one e-mail from anywhere: its owner reads them all. */
  reset: Limit;
  resetAddress: Limit;
  resetAccount: Limit;
  /** Links that confirm an e-mail, asked for by one account; and for one e-mail by anyone. */
  confirmation: Limit;
  confirmationEmail: Limit;
  /** Sign-ups from one address, once the form is filled in correctly. */
  signUp: Limit;
  /**
   * The same from this machine itself: its operator, or everybody behind a proxy that RECADO_TRUST_PROXY does not know
   * of, whom a handful of attempts would lock out all together.
   */
  signUpLocal: Limit;
  /** Wrong passwords typed inside a session, which may be somebody else's by now. */
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

/** Who wants to sign in to what. `known`: the browser has signed in to this account before. */
export type SignInTry = { email: string; address: string; known: boolean };

export type AccountGuard = {
  /**
   * Counts an attempt before it is made, so that parallel ones cannot slip through; throws `too_many_requests` with `retryAfter` in seconds.
   * Answers how many wrong ones there were from browsers that the account does not know, this one included.
   */
  beforeLogin(attempt: SignInTry): Promise<number>;
  /** The attempt was right: what it had counted is given back. */
  afterLogin(attempt: SignInTry): Promise<void>;
  /** Counted whether or not anybody has the e-mail, or the limit would tell. */
  beforeReset(email: string, address: string): Promise<void>;
  /** A new password was set: wrong ones that were tried before it keep nobody out. */
  afterReset(email: string): Promise<void>;
  /** `email`: where the link goes. */
  beforeConfirmation(accountId: string, email: string): Promise<void>;
  beforeSignUp(address: string): Promise<void>;
  /** The same two for the password that a change in the settings asks for. */
  beforePassword(accountId: string): Promise<void>;
  afterPassword(accountId: string): Promise<void>;
};

/** The counters of login and sign-up, in the database and so shared by all processes. */
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

/** Wrong passwords wait longer and longer. Only a browser that the account knows is refused for minutes, by its own wrong ones. */
function signInLimits(
  database: Database,
  limits: AccountLimits,
  clock: Pick<Clock, "now">,
): Pick<AccountGuard, "beforeLogin" | "afterLogin"> {
  // What a new password takes back must be known to no process alone, or another would go on refusing.
  const known = limiter(database, "login-known", limits.loginKnown, { remembers: false });
  const fresh = limiter(database, "login-fresh", limits.loginFresh, { remembers: false });
  const slow = (name: string, slowing: Slowing) =>
    new SlowCounter(database.db, clock, { name: `login${name}`, ...slowing });
  const pair = slow("", limits.login);
  const network = slow("-address", limits.loginAddress);
  const account = slow("-account", limits.loginAccount);

  /** A network that has not failed for this e-mail gets its first attempt at once, a number of times a day. */
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
        // An attempt that was not made must not make the next one wait longer.
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

/** After a new password was set. From every network: a link is often opened on another one than where the old passwords were tried. */
export async function forgiveSignIns(db: Db, email: string): Promise<void> {
  const who = hashed(email);
  const whole = ["login-account", "login-known", "login-fresh"].map((name) => `${name}:${who}`);
  await sql`delete from rate_limit where starts_with(key, ${`login:${who}|`}) or key = any(${whole}::text[])`.execute(
    db,
  );
}

/** Counts one more of somebody's attempts; throws `too_many_requests` when there were enough. */
export function attemptLimit(database: Database, name: string, limit: Limit): (key: string) => Promise<void> {
  const one = limiter(database, name, limit);
  return (key) => consume(one, key);
}

/** Who shares one counter: an IPv4 address, or an IPv6 network of /64, since one subscriber has all the addresses in it. */
export function networkOf(address: string): string {
  if (!ipaddr.isValid(address)) return "unknown";
  // `process` turns ::ffff:1.2.3.4 into 1.2.3.4: the same caller must not have two counters.
  const parsed = ipaddr.process(address);
  if (parsed.kind() === "ipv4") return parsed.toString();
  return `${ipaddr.IPv6.networkAddressFromCIDR(`${parsed.toNormalizedString()}/64`).toString()}/64`;
}

function isLoopback(address: string): boolean {
  return ipaddr.isValid(address) && ipaddr.process(address).range() === "loopback";
}

/** E-mails of strangers who were typed at the door are nobody's business to keep. */
const hashed = (email: string) => createHash("sha256").update(email).digest("hex").slice(0, 32);
const pairKey = (email: string, network: string) => `${hashed(email)}|${network}`;

function limiter(
  database: Database,
  keyPrefix: string,
  limit: Limit,
  { remembers = true } = {},
): RateLimiterPostgres {
  return new RateLimiterPostgres({
    storeClient: {
      query: ({ text, values }: { text: string; values: unknown[] }) => database.query(text, values),
    },
    storeType: "client",
    tableName: "rate_limit",
    tableCreated: true,
    keyPrefix,
    points: limit.attempts,
    duration: limit.seconds,
    // A flood is then turned away without a statement each.
    ...(remembers ? { inMemoryBlockOnConsumed: limit.attempts + 1 } : {}),
  });
}

async function consume(limiter: RateLimiterPostgres, key: string): Promise<void> {
  try {
    await limiter.consume(key);
  } catch (refused) {
    if (!(refused instanceof RateLimiterRes)) throw refused;
    throw new AppError("too_many_requests", {
      retryAfter: Math.max(1, Math.ceil(refused.msBeforeNext / 1_000)),
    });
  }
}
