import { randomBytes } from "node:crypto";
import { createDatabase, dropDatabase, inDatabase } from "./server-databases.ts";

/** Not RECADO_…: the product refuses unknown variables with that prefix. */
const SERVER = "OFFERED_DATABASE_SERVER";
const TEMPLATE = "OFFERED_DATABASE_TEMPLATE";

export function offerDatabases(server: string, template: string): void {
  process.env[SERVER] = server;
  process.env[TEMPLATE] = template;
}

/** A migrated, empty database, or null where none is offered. */
export async function offeredDatabase(): Promise<{ url: string; drop(): Promise<void> } | null> {
  const server = process.env[SERVER];
  const template = process.env[TEMPLATE];
  if (server === undefined || template === undefined) return null;
  const name = `recado_product_${randomBytes(6).toString("hex")}`;
  await createDatabase(server, name, template);
  return { url: inDatabase(server, name), drop: () => dropDatabase(server, name) };
}
