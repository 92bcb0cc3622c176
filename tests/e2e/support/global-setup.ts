import { ensureBuilt } from "../../support/built.ts";
import { offerDatabases } from "../../support/offered-databases.ts";
import { startRunPostgres } from "../../support/run-postgres.ts";

/** One PostgreSQL for the run: a cluster per product would take longer than its tests. */
export default async function setup() {
  ensureBuilt(["page", "server"]);
  const { server, template, stop } = await startRunPostgres();
  offerDatabases(server, template);
  return stop;
}
