import type { TestProject } from "vitest/node";
import { ensureBuilt } from "./built.ts";
import { startRunPostgres } from "./run-postgres.ts";

declare module "vitest" {
  interface ProvidedContext {
    databaseServer: string;
    databaseTemplate: string;
  }
}

export default async function setup(project: TestProject) {
  ensureBuilt(["server"]);
  const { server, template, stop } = await startRunPostgres();
  project.provide("databaseServer", server);
  project.provide("databaseTemplate", template);
  return stop;
}
