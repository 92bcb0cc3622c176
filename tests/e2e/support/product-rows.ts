import { sql } from "kysely";
import pino from "pino";
import { readConfig } from "../../../src/server/base/config.ts";
import type { Db } from "../../../src/server/db/client.ts";
import { openStorage } from "../../../src/server/postgres/storage.ts";
import { connectionRow } from "../../support/campaign-rows.ts";
import { holdLane, keepHeld } from "../../support/held-lanes.ts";
import type { ProductServer } from "../../support/server.ts";

export type ProductRows = { db: Db; close(): Promise<void> };

export async function productRows(product: ProductServer): Promise<ProductRows> {
  const config = readConfig(product.place);
  const storage = await openStorage(config, pino({ level: "silent" }), { visit: true });
  const { db } = storage.database;
  const letGo = keepHeld(db);
  return {
    db,
    async close() {
      letGo();
      await storage.close();
    },
  };
}

export async function accountOf(db: Db, email: string): Promise<string> {
  const { rows } = await sql<{ id: string }>`select id from account where email = ${email}`.execute(db);
  const id = rows[0]?.id;
  if (!id) throw new Error(`no account ${email}`);
  return id;
}

/** Another process seems to own its lane, so that the row stays as written. */
export async function heldConnection(
  db: Db,
  account: string,
  state: string,
  name: string,
  cause: string | null = null,
): Promise<number> {
  return db.transaction().execute(async (tx) => {
    const id = await connectionRow(tx, account, state, name);
    await holdLane(tx, id);
    await sql`update connection set state_reason = ${cause}, state_since = now()
      where id = ${id}`.execute(tx);
    return id;
  });
}
