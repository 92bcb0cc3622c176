import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import type { Logger } from "pino";
import type { AccountLimits } from "../../src/server/accounts/limits.ts";
import { mountRoutes } from "../../src/server/app/routes.ts";
import { composeServices, type Services, type Waits } from "../../src/server/app/services.ts";
import { systemClock } from "../../src/server/base/clock.ts";
import { readConfig } from "../../src/server/base/config.ts";
import type { Database } from "../../src/server/db/client.ts";
import { createSecrets } from "../../src/server/db/secrets.ts";
import { type App, createApp } from "../../src/server/http/app.ts";

export type Person = { id: string; cookie: string };

export type ComposedApp = {
  dataFolder: string;
  app: App;
  services: Services;
  signUp(name: string): Promise<Person>;
  close(): Promise<void>;
};

export type ComposeOptions = {
  database: Database;
  log: Logger;
  env?: Record<string, string>;
  limits?: AccountLimits;
  waits?: Waits;
};

export const PASSWORD = "girassol no quintal";
export const SECRET_KEY = Buffer.alloc(32, 7).toString("base64");

export async function composeApp(options: ComposeOptions): Promise<ComposedApp> {
  const { database, log, env = {}, limits, waits } = options;
  const dataFolder = fs.mkdtempSync(path.join(os.tmpdir(), "recado-composed-"));
  const services = await composeServices({
    config: readConfig({ RECADO_SIGNUP: "open", ...env }),
    storage: {
      database,
      pages: database,
      kind: "external",
      dataFolder,
      secrets: createSecrets(SECRET_KEY),
      notices: [],
      close: async () => undefined,
    },
    clock: systemClock,
    log,
    ...(limits ? { limits } : {}),
    ...(waits ? { waits } : {}),
  });
  const app = createApp({
    db: database.db,
    statements: services.statements,
    log,
    authenticate: services.accounts.authenticate,
    publicOrigin: null,
    trustedProxies: 0,
  });
  mountRoutes(app, services);

  return {
    app,
    services,
    dataFolder,
    async signUp(name) {
      const { me, setCookie } = await services.accounts.signUp(
        {
          name,
          email: `${name}@exemplo.com.br`,
          password: PASSWORD,
          confirmPassword: PASSWORD,
          acceptTerms: true,
        },
        { address: "127.0.0.1", headers: new Headers() },
      );
      return { id: me.id, cookie: setCookie.split(";")[0] ?? "" };
    },
    async close() {
      await services.endStreams();
      await services.stopSending();
      await services.stop();
      fs.rmSync(dataFolder, { recursive: true, force: true });
    },
  };
}
