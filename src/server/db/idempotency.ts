import { createHash } from "node:crypto";
import { sql } from "kysely";
import { AppError } from "../../domain/errors.ts";
import type { Owner } from "./owner.ts";

/** Hashes of the caller's key and of the request. */
export type Submission = { key: Buffer; hash: Buffer };

const sha256 = (text: string) => createHash("sha256").update(text).digest();

/** Null without a key: a repeat runs again. */
export function submissionOf(
  kind: "agent" | "api_key" | "contact" | "gateway" | "import" | "list" | "template",
  key: string | undefined,
  content: unknown,
): Submission | null {
  return key === undefined ? null : { key: sha256(`${kind}:${key}`), hash: sha256(JSON.stringify(content)) };
}

/** Older claims without a result are from a dead process. */
const LONGEST_S = 60;

/**
 * The result's id of the last 24 hours; null: claimed, to be completed or released. Waits for a transaction
 * with this key; throws `idempotency_mismatch` or `idempotency_running`.
 */
export async function claimKey(owner: Owner, { key, hash }: Submission): Promise<string | null> {
  const account = sql`${owner.accountId}::uuid`;
  await sql`delete from idempotency_key where account_id = ${account} and at < now() - interval '24 hours'`.execute(
    owner.db,
  );
  const begun =
    await sql`insert into idempotency_key (account_id, key, hash) values (${account}, ${key}, ${hash})
    on conflict (account_id, key) do update set at = now()
      where idempotency_key.made is null and idempotency_key.hash = excluded.hash and idempotency_key.at < now() - ${LONGEST_S} * interval '1 second'
    returning key`.execute(owner.db);
  if (begun.rows.length > 0) return null;
  const { rows } = await sql<{ made: string | null; same: boolean }>`select made, hash = ${hash} as same
    from idempotency_key where account_id = ${account} and key = ${key}`.execute(owner.db);
  const [known] = rows;
  if (known && !known.same) throw new AppError("idempotency_mismatch");
  // No row: just released.
  if (!known?.made) throw new AppError("idempotency_running");
  return known.made;
}

export async function completeKey(owner: Owner, { key }: Submission, made: string): Promise<void> {
  await sql`update idempotency_key set made = ${made} where account_id = ${owner.accountId}::uuid and key = ${key}`.execute(
    owner.db,
  );
}

/** Nothing was created: a retry may run. */
export async function releaseKey(owner: Owner, { key }: Submission): Promise<void> {
  await sql`delete from idempotency_key where account_id = ${owner.accountId}::uuid and key = ${key} and made is null`.execute(
    owner.db,
  );
}

/** One transaction per key; `again`: the id is an earlier one. Throws like the claim. */
export function once(
  owner: Owner,
  submission: Submission | null,
  make: (inside: Owner) => Promise<number>,
): Promise<{ made: number; again: boolean }> {
  return owner.db.transaction().execute(async (tx) => {
    const inside = owner.in(tx);
    const known = submission && (await claimKey(inside, submission));
    if (known) return { made: Number(known), again: true };
    const made = await make(inside);
    if (submission) await completeKey(inside, submission, String(made));
    return { made, again: false };
  });
}
