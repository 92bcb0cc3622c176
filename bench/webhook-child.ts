import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import pino from "pino";
import { openDatabase } from "../src/server/db/client.ts";
import { createSecrets } from "../src/server/db/secrets.ts";
import { mountWebhooks } from "../src/server/gateways/webhook-endpoint.ts";
import { openHooks } from "../src/server/gateways/webhook-hooks.ts";
import { webhookReceiver } from "../src/server/gateways/webhook-receiver.ts";
import { type WebhookStore, webhookStore } from "../src/server/gateways/webhook-store.ts";
import { createApp } from "../src/server/http/app.ts";
import { listenHttp } from "../src/server/http/listen.ts";
import { serveWorker } from "./worker.ts";

export type WebhookVariant = "bare" | "parse" | "each" | "ours";
export type WebhookAnswer = { port: number; cpuS: number };

const [variant = "parse", databaseUrl = "", secretKey = ""] = process.argv.slice(2);
const log = pino({ level: "warn" }, pino.destination({ dest: 2, sync: true }));
const database = openDatabase(databaseUrl, { log });
const { prepared } = database;

const INSERT = `insert into webhook_event (account_id, connection_id, key, body) values ($1, $2, $3, $4)
  on conflict (connection_id, key) do nothing`;

function storeOf(): WebhookStore {
  const idle = async () => undefined;
  if (variant === "ours") return webhookStore({ prepared, stored: () => undefined });
  if (variant === "parse") return { put: async () => undefined, idle };
  return {
    idle,
    async put({ accountId, connectionId, key, body }) {
      await prepared("bench_each", INSERT, [accountId, connectionId, key, body]);
    },
  };
}

async function receiver(): Promise<number> {
  const options = { log, authenticate: async () => null, publicOrigin: null, trustedProxies: 0 };
  const app = createApp({ ...options, db: database.db });
  const receive = webhookReceiver({
    store: storeOf(),
    log,
    now: Date.now,
    unrecognizedEvent: async () => undefined,
  });
  const hooks = await openHooks(database, createSecrets(secretKey));
  const quota = { isFull: () => false, stored: () => undefined };
  mountWebhooks(app, { hooks, receive, log, quota, making: async () => false });
  return (await listenHttp(app, "127.0.0.1", 0)).port;
}

function bare(): Promise<number> {
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      JSON.parse(Buffer.concat(parts).toString());
      response.writeHead(200, { "content-type": "application/json", "content-length": 2 });
      response.end("{}");
    });
  });
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => resolve((server.address() as AddressInfo).port));
  });
}

const port = variant === "bare" ? await bare() : await receiver();
let used = process.cpuUsage();
serveWorker(
  async (): Promise<WebhookAnswer> => {
    const { user, system } = process.cpuUsage(used);
    used = process.cpuUsage();
    return { port, cpuS: (user + system) / 1e6 };
  },
  () => database.close(),
);
