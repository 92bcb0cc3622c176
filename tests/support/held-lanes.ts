import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import type { Db } from "../../src/server/db/client.ts";

/** Seeming owner of held lanes: another process, which a product leaves alone. */
const OTHER_OWNER = "00000000-0000-0000-0000-000000000001";
const HELD_FOR_S = 9 * 60;
const RENEWED_EVERY_MS = 15_000;

export async function leaseOf(db: Db, owner: string, seconds = 60): Promise<void> {
  await sql`insert into worker (id, kinds, lease_until) values (${owner}::uuid, '{}', now() + ${seconds} * interval '1 second')
    on conflict (id) do update set lease_until = excluded.lease_until`.execute(db);
}

/** For some minutes or as long as `keepHeld` renews it. */
export async function holdLane(db: Db, connectionId: number): Promise<void> {
  await leaseOf(db, OTHER_OWNER, HELD_FOR_S);
  await sql`update connection set owner = ${OTHER_OWNER}::uuid, fence = fence + 1 where id = ${connectionId}`.execute(
    db,
  );
}

export function keepHeld(db: Db): () => void {
  const renew = () => void leaseOf(db, OTHER_OWNER, HELD_FOR_S).catch(() => undefined);
  const timer = setInterval(renew, RENEWED_EVERY_MS);
  return () => clearInterval(timer);
}

/**
 * Another process with a lease of a minute takes these lanes in one statement: released in between, the
 * former owner might take them back. Answers its id.
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
