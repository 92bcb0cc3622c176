import { createHash } from "node:crypto";
import ipaddr from "ipaddr.js";
import { sql } from "kysely";
import { RateLimiterPostgres, RateLimiterRes } from "rate-limiter-flexible";
import { AppError } from "../../domain/errors.ts";
import type { Database, Db } from "../db/client.ts";

/** So many attempts within so many seconds. */
export type Limit = { attempts: number; seconds: number };

export type AccountLimits = {
  /** Failed logins for one e-mail from one address. */
  login: Limit;
  /** Failed logins from one address, whatever the e-mail: guessing one password over many accounts. */
  loginAddress: Limit;
  /** Failed logins for one e-mail from anywhere. High, or a stranger could lock its owner out. */
  loginAccount: Limit;
  /** Links for a new password, asked for one e-mail from one address; from one address; and for one e-mail from anywhere: its owner reads them all. */
  reset: Limit;
  resetAddress: Limit;
  resetAccount: Limit;
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

export const ACCOUNT_LIMITS: AccountLimits = {
  login: { attempts: 5, seconds: 15 * 60 },
  loginAddress: { attempts: 50, seconds: 15 * 60 },
  loginAccount: { attempts: 100, seconds: 60 * 60 },
  reset: { attempts: 5, seconds: 60 * 60 },
  resetAddress: { attempts: 50, seconds: 60 * 60 },
  resetAccount: { attempts: 20, seconds: 60 * 60 },
  signUp: { attempts: 5, seconds: 60 * 60 },
  signUpLocal: { attempts: 100, seconds: 60 * 60 },
  password: { attempts: 5, seconds: 15 * 60 },
};

export type AccountGuard = {
  /** Counts an attempt before it is made, so that parallel ones cannot slip through; throws `too_many_requests` with `retryAfter` in seconds. */
  beforeLogin(email: string, address: string): Promise<void>;
  /** The attempt was right: what it had counted is given back. */
  afterLogin(email: string, address: string): Promise<void>;
  /** Counted whether or not anybody has the e-mail, or the limit would tell. */
  beforeReset(email: string, address: string): Promise<void>;
  /** A new password was set: wrong ones that were tried before it keep nobody out. */
  afterReset(email: string): Promise<void>;
  beforeSignUp(address: string): Promise<void>;
  /** The same two for the password that a change in the settings asks for. */
  beforePassword(accountId: string): Promise<void>;
  afterPassword(accountId: string): Promise<void>;
};

/** The counters of login and sign-up, in the database and so shared by all processes. */
export function accountGuard(database: Database, limits: AccountLimits = ACCOUNT_LIMITS): AccountGuard {
  // What a new password takes back must be known to no process alone, or another would go on refusing.
  const login = limiter(database, "login", limits.login, { remembers: false });
  const loginAddress = limiter(database, "login-address", limits.loginAddress);
  const loginAccount = limiter(database, "login-account", limits.loginAccount, { remembers: false });
  const reset = limiter(database, "reset", limits.reset);
  const resetAddress = limiter(database, "reset-address", limits.resetAddress);
  const resetAccount = limiter(database, "reset-account", limits.resetAccount);
  const signUp = limiter(database, "signup", limits.signUp);
  const signUpLocal = limiter(database, "signup-local", limits.signUpLocal);
  const password = limiter(database, "password", limits.password);

  return {
    async beforeLogin(email, address) {
      const network = networkOf(address);
      await consume(login, pairKey(email, network));
      await consume(loginAddress, network);
      await consume(loginAccount, hashed(email));
    },
    async afterLogin(email, address) {
      const network = networkOf(address);
      await login.delete(pairKey(email, network));
      await loginAddress.reward(network, 1);
      await loginAccount.reward(hashed(email), 1);
    },
    async beforeReset(email, address) {
      const network = networkOf(address);
      await consume(reset, pairKey(email, network));
      await consume(resetAddress, network);
      await consume(resetAccount, hashed(email));
    },
    afterReset: (email) => forgiveSignIns(database.db, email),
    beforeSignUp: (address) => consume(isLoopback(address) ? signUpLocal : signUp, networkOf(address)),
    beforePassword: (accountId) => consume(password, accountId),
    afterPassword: async (accountId) => void (await password.delete(accountId)),
  };
}

/** After a new password was set. From every network: a link is often opened on another one than where the old passwords were tried. */
export async function forgiveSignIns(db: Db, email: string): Promise<void> {
  const who = hashed(email);
  await sql`delete from rate_limit where starts_with(key, ${`login:${who}|`}) or key = ${`login-account:${who}`}`.execute(
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
