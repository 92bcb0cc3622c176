import type { Db } from "./client.ts";

declare const scoped: unique symbol;

/**
 * An account's right to its own rows. Every repo function that touches a user's data takes one and filters by its
 * `accountId`; there is no other way to hand such a function a database, so a query cannot forget whose data it reads.
 */
export type Owner = {
  readonly db: Db;
  readonly accountId: string;
  /** The same account inside a running transaction. */
  in(tx: Db): Owner;
  readonly [scoped]: true;
};

/** Made where the caller's identity has been proved (the session guard) or where a job acts for a stored account. */
export function ownerOf(db: Db, accountId: string): Owner {
  const owner = { db, accountId, in: (tx: Db) => ownerOf(tx, accountId) };
  return owner as Owner;
}
