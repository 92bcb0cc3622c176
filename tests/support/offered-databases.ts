import { randomBytes } from "node:crypto";
import { createDatabase, dropDatabase, inDatabase } from "./server-databases.ts";

/** Not RECADO_…: the product refuses variables of that name which it does not know. */
const SERVER = "OFFERED_DATABASE_SERVER";
const TEMPLATE = "OFFERED_DATABASE_TEMPLATE";

/** Lets every process that is started from here on have databases of this server, made from the template. */
export function offerDatabases(server: string, template: string): void {
  process.env[SERVER] = server;
  process.env[TEMPLATE] = template;
}

/** A migrated, empty database of one's own, or null where nobody offers any. */
export async function offeredDatabase(): Promise<{ url: string; drop(): Promise<void> } | null> {
  const server = process.env[SERVER];
  const template = process.env[TEMPLATE];
  if (server === undefined || template === undefined) return null;
  const name = `recado_product_${randomBytes(6).toString("hex")}`;
  await createDatabase(server, name, template);
  return { url: inDatabase(server, name), drop: () => dropDatabase(server, name) };
}
