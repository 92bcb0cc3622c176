import { createHmac, timingSafeEqual } from "node:crypto";
import { AppError } from "../../domain/errors.ts";
import type { Db } from "../db/client.ts";
import { type Owner, ownerOf } from "../db/owner.ts";
import { findReader } from "./mail-repo.ts";
import { changePreferences } from "./preferences.ts";
import { findPreferences } from "./preferences-repo.ts";

export type NewsKind = "marketing" | "product";

export const UNSUBSCRIBE_KEY = "unsubscribe";

/** Token: 1 byte kind, 16 account, 16 signature; 44 characters. */
const KINDS: readonly NewsKind[] = ["marketing", "product"];
const NAMED = 17;
const SIGNED = 16;
const PREFERENCE = { marketing: "emailMarketing", product: "emailProduct" } as const;

/** Opens nothing else, valid as long as the account. */
export function unsubscribeToken(key: Uint8Array, accountId: string, kind: NewsKind): string {
  const named = Buffer.concat([
    Buffer.of(KINDS.indexOf(kind)),
    Buffer.from(accountId.replaceAll("-", ""), "hex"),
  ]);
  return Buffer.concat([named, sign(key, named)]).toString("base64url");
}

/** Checks all keys, since e-mails outlive the current one; undefined without a valid signature. */
export function readUnsubscribeToken(
  keys: readonly Uint8Array[],
  token: string,
): { accountId: string; kind: NewsKind } | undefined {
  if (!/^[A-Za-z0-9_-]{44}$/.test(token)) return undefined;
  const bytes = Buffer.from(token, "base64url");
  const named = bytes.subarray(0, NAMED);
  const kind = KINDS[named[0] ?? 255];
  if (!kind || !keys.some((key) => timingSafeEqual(bytes.subarray(NAMED), sign(key, named))))
    return undefined;
  const hex = named.subarray(1).toString("hex");
  return { accountId: hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5"), kind };
}

const sign = (key: Uint8Array, named: Uint8Array) =>
  createHmac("sha256", key).update(named).digest().subarray(0, SIGNED);

export type Subscription = { kind: NewsKind; email: string; subscribed: boolean };

export type Unsubscribing = {
  show(token: string): Promise<Subscription>;
  confirm(token: string): Promise<Subscription>;
};

/** Invalid tokens and deleted accounts both answer `not_found`. */
export function unsubscribing(db: Db, keys: readonly Uint8Array[], now: () => Date): Unsubscribing {
  function read(token: string): { owner: Owner; kind: NewsKind } {
    const known = readUnsubscribeToken(keys, token);
    if (!known) throw new AppError("not_found");
    return { owner: ownerOf(db, known.accountId), kind: known.kind };
  }

  async function show(owner: Owner, kind: NewsKind): Promise<Subscription> {
    const [reader, preferences] = await Promise.all([findReader(owner), findPreferences(owner)]);
    if (!reader || !preferences) throw new AppError("not_found");
    return { kind, email: masked(reader.email), subscribed: preferences[PREFERENCE[kind]] };
  }

  return {
    show: async (token) => {
      const { owner, kind } = read(token);
      return show(owner, kind);
    },
    confirm: async (token) => {
      const { owner, kind } = read(token);
      await show(owner, kind);
      await changePreferences(owner, { [PREFERENCE[kind]]: false }, now());
      return show(owner, kind);
    },
  };
}

/** `a…@exemplo.com.br`: the recipient recognizes it, a forwarded reader learns nothing. */
function masked(email: string): string {
  const [name = "", domain = ""] = email.split("@");
  return `${name.slice(0, 1)}…@${domain}`;
}
