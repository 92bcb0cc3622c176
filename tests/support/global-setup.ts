import type { TestProject } from "vitest/node";
import { ensureBuilt } from "./built.ts";
import { startRunPostgres } from "./run-postgres.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** The server's own database (`postgres`), from which the files' databases are made. */
    databaseServer: string;
    /** The migrated database that every test file's own is copied from. */
    databaseTemplate: string;
  }
}

/** Each test file gets a database of its own from the run's PostgreSQL (testDatabase). */
export default async function setup(project: TestProject) {
  ensureBuilt(["server"]);
  const { server, template, stop } = await startRunPostgres();
  project.provide("databaseServer", server);
  project.provide("databaseTemplate", template);
  return stop;
}
