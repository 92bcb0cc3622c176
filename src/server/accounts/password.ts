import { hash, verify } from "@node-rs/argon2";
import { normalizePassword } from "../../domain/account.ts";
import { AppError } from "../../domain/errors.ts";
import { inTurn } from "../base/in-turn.ts";
import { COMMON_PASSWORDS } from "./common-passwords.ts";

/** Each call costs 19 MiB and about 30 ms of one core. */
export type PasswordHasher = {
  hash(password: string): Promise<string>;
  verify(hashed: string, password: string): Promise<boolean>;
};

/** OWASP's first choice for argon2id. Hashes store their cost, so raising it locks no one out. */
const COST = { algorithm: 2, memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;

/** argon2id in database form (`$argon2id$v=19$…`). */
export const argon2idHasher: PasswordHasher = {
  hash: (password) => hash(normalizePassword(password), COST),
  verify: async (hashed, password) => {
    try {
      return await verify(hashed, normalizePassword(password));
    } catch {
      // An unknown hash format refuses sign-in instead of 500.
      return false;
    }
  },
};

/** At most `running` and `waiting`: a login flood must not take the thread pool of files and DNS. */
export function boundedHasher(inner: PasswordHasher, bounds = { running: 2, waiting: 50 }): PasswordHasher {
  const bounded = inTurn(bounds.running, (waiting) => {
    if (waiting >= bounds.waiting) throw new AppError("too_many_requests", { retryAfter: 5 });
  });
  return {
    hash: (password) => bounded(() => inner.hash(password)),
    verify: (hashed, password) => bounded(() => inner.verify(hashed, password)),
  };
}

const ROWS = [
  "01234567890",
  "abcdefghijklmnopqrstuvwxyz",
  "qwertyuiop",
  "asdfghjkl",
  "zxcvbnm",
  "qwertyuiopasdfghjklzxcvbnm",
];
const ROW_TEXTS = ROWS.flatMap((row) => [row, [...row].reverse().join("")]);

/** A listed password, keyboard run, repeated piece, or the person's own e-mail or name. */
export function isCommonPassword(password: string, about: { email: string; name: string }): boolean {
  const folded = fold(password);
  if (COMMON_PASSWORDS.has(folded)) return true;
  if (ROW_TEXTS.some((row) => row.includes(folded))) return true;
  if (/^(.{1,4})\1+.?$/u.test(folded)) return true;
  const own = [about.email, about.email.split("@")[0] ?? "", about.name, about.name.replaceAll(" ", "")];
  return own.some((text) => text !== "" && fold(text) === folded);
}

function fold(text: string): string {
  return text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
}
