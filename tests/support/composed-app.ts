import { afterAll } from "vitest";
import type { Waits } from "../../src/server/app/services.ts";
import { type ComposedApp, composeApp } from "./compose-app.ts";
import { type TestDatabase, testLog } from "./database.ts";

export type { Person } from "./compose-app.ts";

export async function composedApp(
  { database }: TestDatabase,
  env: Record<string, string> = {},
  waits?: Waits,
): Promise<ComposedApp> {
  const composed = await composeApp({ database, log: testLog, env, ...(waits ? { waits } : {}) });
  afterAll(() => composed.close());
  return composed;
}
