import { randomBytes } from "node:crypto";
import pino from "pino";
import { startEvolution } from "../../simulators/evolution/evolution.ts";
import { startMistral } from "../../simulators/mistral/stand-in.ts";
import type { EndpointSpec } from "../../src/contract/endpoint.ts";
import type { Slowing } from "../../src/server/accounts/limits.ts";
import { type Db, openDatabase } from "../../src/server/db/client.ts";
import type { Limit } from "../../src/server/db/rate-limit.ts";
import type { App } from "../../src/server/http/app.ts";
import { listenHttp } from "../../src/server/http/listen.ts";
import { mountSystem } from "../../src/server/http/system.ts";
import { composeApp } from "../support/compose-app.ts";
import { freePort } from "../support/ports.ts";
import { createDatabase, dropDatabase, inDatabase } from "../support/server-databases.ts";
import { callers } from "./callers.ts";
import type { Caller } from "./requests.ts";

export type World = {
  db: Db;
  app: App;
  /** Serves the routes that bypass the app. */
  url: string;
  caller(route: EndpointSpec): Promise<Caller>;
  unforeseen(): string[];
  close(): Promise<void>;
};

export type WorldSecrets = {
  smtpPassword?: string;
  gatewayKey?: string;
  operatorGatewayKey?: string;
  mistralKeys?: readonly [string, string];
  logged?(line: string): void;
};

const FREE: Limit & Slowing = { attempts: 1_000_000_000, free: 1_000_000_000, seconds: 60 };
const LIFTED = {
  limits: {
    login: FREE,
    loginAddress: FREE,
    loginAccount: FREE,
    reset: FREE,
    resetAddress: FREE,
    resetAccount: FREE,
    loginFresh: FREE,
    loginKnown: FREE,
    confirmation: FREE,
    confirmationEmail: FREE,
    signUp: FREE,
    signUpLocal: FREE,
    password: FREE,
  },
  waits: { answerMs: 50, ownerMs: 50, testMs: 50 },
};

/**
 * A database copied from `template`. No background work (RECADO_PROCESS=web), so no lane connects to the real
 * WhatsApp.
 */
export async function openWorld(server: string, template: string, given: WorldSecrets = {}): Promise<World> {
  const name = `recado_fuzz_${randomBytes(6).toString("hex")}`;
  await createDatabase(server, name, template);
  const url = inDatabase(server, name);
  const { log, unforeseen } = listeningLog(given.logged);
  const database = openDatabase(url, { log });
  const mistral = await startMistral(given.mistralKeys ? { keys: given.mistralKeys } : {});
  const gateway = await startEvolution(given.gatewayKey ? { apiKey: given.gatewayKey } : {});
  const port = await freePort();
  const composed = await composeApp({
    database,
    log,
    ...LIFTED,
    env: {
      RECADO_PROCESS: "web",
      DATABASE_URL: url,
      RECADO_URL: "http://localhost",
      RECADO_SIGNUP: "open",
      RECADO_WEBHOOK_URL: `http://127.0.0.1:${port}`,
      RECADO_MISTRAL_KEY: mistral.keys[0] ?? "",
      RECADO_MISTRAL_URL: mistral.url,
      RECADO_PRIVATE_HOSTS: `${mistral.host},${new URL(gateway.url).host}`,
      RECADO_SMTP_URL: `smtp://recado:${given.smtpPassword ?? "senha"}@127.0.0.1:9`,
      RECADO_GATEWAYS: `Da casa=https://gateway.invalid|${given.operatorGatewayKey ?? "chave"}`,
      RECADO_MAIL_FROM: "avisos@exemplo.com.br",
      RECADO_MAIL_FOR: "all",
      RECADO_MISTRAL_FOR: "all",
      RECADO_GATEWAYS_FOR: "all",
    },
  });
  mountSystem(composed.app, {
    token: null,
    version: "0.0.0",
    sessionCookie: "recado.session_token",
    hold: async () => null,
    diskLow: async () => false,
    idle: async () => false,
    health: async () => HEALTH,
  });
  const http = await listenHttp(composed.app, "127.0.0.1", port);
  const caller = callers(database.db, composed, gateway, { baseUrl: [mistral.url] });
  return {
    db: database.db,
    app: composed.app,
    url: `http://127.0.0.1:${port}`,
    caller,
    unforeseen,
    async close() {
      await http.stop(1_000);
      await composed.close();
      await mistral.stop();
      await gateway.close();
      await database.close();
      await dropDatabase(server, name);
    },
  };
}

const HEALTH = {
  status: "ok",
  process: "web",
  version: "0.0.0",
  node: process.version,
  database: { up: true, kind: "external", version: null },
  disk: { low: false },
  lanes: { owned: 0, connected: 0 },
  workers: 1,
  uptimeSeconds: 1,
} as const;

/** Keeps only unexpected errors; `logged` hears every line. */
function listeningLog(logged?: (line: string) => void) {
  let lines: string[] = [];
  const write = (line: string) => {
    logged?.(line);
    if (line.includes("unforeseen")) lines.push(line.slice(0, 3_000));
  };
  const log = pino({ level: logged ? "trace" : "error" }, { write });
  return {
    log,
    unforeseen() {
      const seen = lines;
      lines = [];
      return seen;
    },
  };
}
