import { createHash } from "node:crypto";
import { sql } from "kysely";
import { AppError } from "../../domain/errors.ts";
import type { Owner } from "./owner.ts";

/** What makes a row, named by its caller: of the key and of what is to be done the hashes. */
export type Submission = { key: Buffer; hash: Buffer };

const sha256 = (text: string) => createHash("sha256").update(text).digest();

/** Null without a key of the caller's: what is sent again is done again then. */
export function submissionOf(
  kind: "agent" | "api_key" | "contact" | "gateway" | "import",
  key: string | undefined,
  content: unknown,
): Submission | null {
  return key === undefined ? null : { key: sha256(`${kind}:${key}`), hash: sha256(JSON.stringify(content)) };
}

/** Longer than any takes; of one that began earlier and made nothing the process is gone. */
const LONGEST_S = 60;

/**
 * Answers the id of what the same deed made within 24 hours; null: it is the caller's to do, and to end with `endDeed` or `giveUpDeed`.
 * Waits for a transaction that does the same. Throws `idempotency_mismatch` (the key stands for something else) and
 * `idempotency_running`.
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
  // Without a row: given up at this moment.
  if (!known?.made) throw new AppError("idempotency_running");
  return known.made;
}

/** Notes what it made. */
export async function completeKey(owner: Owner, { key }: Submission, made: string): Promise<void> {
  await sql`update idempotency_key set made = ${made} where account_id = ${owner.accountId}::uuid and key = ${key}`.execute(
    owner.db,
  );
}

/** It made nothing: whoever sends it again does it. */
export async function releaseKey(owner: Owner, { key }: Submission): Promise<void> {
  await sql`delete from idempotency_key where account_id = ${owner.accountId}::uuid and key = ${key} and made is null`.execute(
    owner.db,
  );
}

/** Does what is one transaction, and answers the id of what it made, or has made before (`again`). Throws what `beginDeed` does. */
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
