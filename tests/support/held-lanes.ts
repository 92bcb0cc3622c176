import { sql } from "kysely";
import type { Db } from "../../src/server/db/client.ts";

/** Who seems to own what is held: another process, which a product leaves alone. */
export const OTHER_OWNER = "00000000-0000-0000-0000-000000000001";
/** One that ends much later is shortened by the product. */
export const HELD_FOR = sql`now() + interval '9 minutes'`;
const RENEWED_EVERY_MS = 15_000;

/** Keeps what is held so until it is called off. While the database is away nobody else can take it either. */
export function keepHeld(db: Db): () => void {
  const renew = () =>
    void sql`update connection set lease_until = ${HELD_FOR} where owner = ${OTHER_OWNER}`
      .execute(db)
      .catch(() => undefined);
  const timer = setInterval(renew, RENEWED_EVERY_MS);
  return () => clearInterval(timer);
}
