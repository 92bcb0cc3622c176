import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import type { Db } from "../../src/server/db/client.ts";

/** Who seems to own what is held: another process, which a product leaves alone. */
export const OTHER_OWNER = "00000000-0000-0000-0000-000000000001";
/** One that ends much later is shortened by the product. */
const HELD_FOR_S = 9 * 60;
const RENEWED_EVERY_MS = 15_000;

/** The lease of another process, as the product sees it, which opens nothing and ends so many seconds from now. */
export async function leaseOf(db: Db, owner: string, seconds = 60): Promise<void> {
  await sql`insert into worker (id, kinds, lease_until) values (${owner}::uuid, '{}', now() + ${seconds} * interval '1 second')
    on conflict (id) do update set lease_until = excluded.lease_until`.execute(db);
}

/** Another process owns this lane, for as long as `keepHeld` says so, or for some minutes. */
export async function holdLane(db: Db, connectionId: number): Promise<void> {
  await leaseOf(db, OTHER_OWNER, HELD_FOR_S);
  await sql`update connection set owner = ${OTHER_OWNER}::uuid, fence = fence + 1 where id = ${connectionId}`.execute(
    db,
  );
}

/** Keeps what is held so until it is called off. While the database is away no process can take it either. */
export function keepHeld(db: Db): () => void {
  const renew = () => void leaseOf(db, OTHER_OWNER, HELD_FOR_S).catch(() => undefined);
  const timer = setInterval(renew, RENEWED_EVERY_MS);
  return () => clearInterval(timer);
}

/**
 * Another process, whose lease lasts for a minute, has taken these lanes at one stroke: with a moment without an owner, the former one might have
 * them back. Answers its id.
 */
export async function takenByAnother(
  db: Db,
  connectionIds: readonly number[],
  seconds = 60,
): Promise<string> {
  const owner = randomUUID();
  await leaseOf(db, owner, seconds);
  await sql`update connection set owner = ${owner}::uuid, fence = fence + 1
    where id = any(${[...connectionIds]}::bigint[])`.execute(db);
  return owner;
}
