import type { Db } from "./client.ts";

declare const scoped: unique symbol;

/**
 * Every repo function on user data takes an owner and filters by `accountId`: the only way to a database, so
 * no query forgets it.
 */
export type Owner = {
  readonly db: Db;
  readonly accountId: string;
  /** The same account in a transaction. */
  in(tx: Db): Owner;
  readonly [scoped]: true;
};

/** Only after authentication (session guard), or in a job for a stored account. */
export function ownerOf(db: Db, accountId: string): Owner {
  const owner = { db, accountId, in: (tx: Db) => ownerOf(tx, accountId) };
  return owner as Owner;
}

/** Runs `work` in the owner's running transaction, otherwise in one of its own. */
export function inTransaction<T>(owner: Owner, work: (inside: Owner) => Promise<T>): Promise<T> {
  return owner.db.isTransaction ? work(owner) : owner.db.transaction().execute((tx) => work(owner.in(tx)));
}
