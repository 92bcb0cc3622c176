import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll } from "vitest";
import { systemClock } from "../../src/server/clock.ts";
import { readConfig } from "../../src/server/config.ts";
import { type App, createApp } from "../../src/server/http/app.ts";
import { mountRoutes } from "../../src/server/http/routes.ts";
import { createSecrets } from "../../src/server/secrets.ts";
import { composeServices } from "../../src/server/services.ts";
import { type TestDatabase, testLog } from "./database.ts";

export type Person = { id: string; cookie: string };

/** The whole product without its socket: every route with the features behind it, ended when the test file is done. */
export async function composedApp(
  { db, database }: TestDatabase,
  env: Record<string, string> = {},
): Promise<{ app: App; signUp(name: string): Promise<Person> }> {
  const dataFolder = fs.mkdtempSync(path.join(os.tmpdir(), "recado-composed-"));
  afterAll(() => fs.rmSync(dataFolder, { recursive: true, force: true }));
  const services = await composeServices({
    config: readConfig(env),
    storage: {
      database,
      kind: "external",
      dataFolder,
      secrets: createSecrets(Buffer.alloc(32, 7).toString("base64")),
      notices: [],
      close: async () => undefined,
    },
    clock: systemClock,
    log: testLog,
  });
  afterAll(async () => {
    await services.endStreams();
    await services.stopSending();
    await services.stop();
  });
  const app = createApp({
    db,
    log: testLog,
    authenticate: services.accounts.authenticate,
    publicOrigin: null,
    trustedProxies: 0,
  });
  mountRoutes(app, services);

  async function signUp(name: string): Promise<Person> {
    const { me, setCookie } = await services.accounts.signUp(
      {
        name,
        email: `${name}@exemplo.com.br`,
        password: "girassol no quintal",
        confirmPassword: "girassol no quintal",
        acceptTerms: true,
      },
      { address: "127.0.0.1", headers: new Headers() },
    );
    return { id: me.id, cookie: setCookie.split(";")[0] ?? "" };
  }
  return { app, signUp };
}
