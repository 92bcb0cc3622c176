import { randomBytes } from "node:crypto";
import path from "node:path";
import pino from "pino";
import { type Database, openDatabase } from "../src/server/db/client.ts";
import { createSecrets } from "../src/server/db/secrets.ts";
import {
  HOOK_SECRET_HEADER,
  hookSecretPlace,
  makeHookSecret,
} from "../src/server/gateways/webhook-secret.ts";
import { makeAccount } from "../tests/support/sending.ts";
import { benchPostgres } from "./postgres.ts";
import { countPostgres } from "./postgres-cost.ts";
import type { WebhookAnswer, WebhookVariant } from "./webhook-child.ts";
import { postAll, requestOf } from "./webhook-clients.ts";
import { startWorker, type Worker } from "./worker.ts";
import { type Bench, median, quantile, type Workload } from "./workload.ts";

const EVENTS = 30_000;
/** Cold code costs twice as much, so each process has one uncounted run. */
const WARM_UP = 8_000;
const REPEAT = 10;
const VARIANTS = ["bare", "parse", "each", "ours"] as const;
/** `pictures`: every hundredth event carries 1 MB, a hundred times the work of the others. */
const LOADS = [
  { name: "16", atOnce: 16, pictures: false },
  { name: "64", atOnce: 64, pictures: false },
  { name: "16-pictures", atOnce: 16, pictures: true },
] as const;
type Load = (typeof LOADS)[number];
const PICTURE_EVERY = 100;
const WITH_PICTURES = 0.2;
const PICTURE = randomBytes(1_000_000).toString("base64");
const INSTANCE = "loja-centro";
const HOOK = "bench";

export const webhookWorkload: Workload = {
  name: "webhook",
  async run(bench) {
    const postgres = await benchPostgres();
    const database = openDatabase(postgres.url, { log: pino({ level: "warn" }), max: 2 });
    const secretKey = randomBytes(32).toString("base64");
    const secret = await makeInstance(database, secretKey);
    const child = path.join(import.meta.dirname, "webhook-child.ts");
    const workers = VARIANTS.map((variant) => ({
      variant,
      worker: startWorker<null, WebhookAnswer>(child, [variant, postgres.url, secretKey]),
    }));
    try {
      for (const load of LOADS) await rounds({ bench, database, workers, secret, load });
    } finally {
      for (const { worker } of workers) await worker.stop();
      await database.close();
      await postgres.stop();
    }
  },
};

type Parts = {
  bench: Bench;
  database: Database;
  workers: readonly { variant: WebhookVariant; worker: Worker<null, WebhookAnswer> }[];
  secret: string;
  load: Load;
};

const LABELS: Record<WebhookVariant, string> = {
  bare: "bare Node server",
  parse: "parsed only",
  each: "an insert each",
  ours: "group commit",
};

async function rounds({ bench, database, workers, secret, load }: Parts): Promise<void> {
  const { atOnce, pictures } = load;
  const share = pictures ? WITH_PICTURES : 1;
  const suffix = pictures ? `${atOnce} at once, with pictures` : `${atOnce} at once`;
  const perS: Record<WebhookVariant, number[]> = { bare: [], parse: [], each: [], ours: [] };
  for (let round = -1; round < bench.rounds; round++) {
    const count = Math.round((round < 0 ? WARM_UP : (bench.n ?? EVENTS)) * share);
    const events = makeEvents(count, `${load.name}R${round + 1}`, pictures);
    for (const { variant, worker } of workers) {
      const figures = await oneRun({ database, worker, variant, events, secret, atOnce });
      if (round < 0) continue;
      perS[variant].push(figures.perS);
      bench.note({ workload: "webhook", variant: `${LABELS[variant]}, ${suffix}`, figures });
    }
  }
  const ratio = (limit: WebhookVariant) => {
    const ratios = perS.ours.map((ours, at) => ours / (perS[limit][at] ?? Number.NaN));
    for (const one of ratios) {
      const variant = `group commit / ${LABELS[limit]}, ${suffix}`;
      bench.note({ workload: "webhook", variant, figures: { ratio: one } });
    }
    return median(ratios);
  };
  const goal = (name: string, limit: WebhookVariant, bound: number) =>
    bench.goal({
      name: `webhook-${load.name}${name}`,
      bound,
      kind: "atLeast",
      measured: ratio(limit),
      limits: perS[limit],
    });
  ratio("bare");
  if (pictures) {
    // A picture's bytes reach the log in any case; what is reported is how many other events it delays.
    for (const limit of ["parse", "each"] as const) ratio(limit);
    return;
  }
  goal("/parse-only", "parse", 0.7);
  goal("/insert-each", "each", 1.9);
}

type Run = {
  database: Database;
  worker: Worker<null, WebhookAnswer>;
  variant: WebhookVariant;
  events: readonly string[];
  secret: string;
  atOnce: number;
};

async function oneRun({ database, worker, variant, events, secret, atOnce }: Run) {
  await database.query("truncate webhook_event cascade");
  await database.query("checkpoint");
  const { port } = await worker.ask(null);
  const headers = { "content-type": "application/json", [HOOK_SECRET_HEADER]: secret };
  const requests = events.map((body) => requestOf(`/hooks/evolution/${HOOK}`, headers, body));
  const spent = await countPostgres(database);
  const start = performance.now();
  const waits = await postAll(port, requests, atOnce);
  const seconds = (performance.now() - start) / 1000;
  const { walBytes, cpuS: postgresS } = await spent();
  const { cpuS } = await worker.ask(null);
  if (variant === "each" || variant === "ours") await checkStored(database, new Set(events).size);
  return {
    events: events.length,
    perS: events.length / seconds,
    p50ms: median(waits),
    p99ms: quantile(waits, 0.99),
    ourUs: (cpuS / events.length) * 1e6,
    pgUs: postgresS === null ? undefined : (postgresS / events.length) * 1e6,
    walB: walBytes / events.length,
  };
}

async function checkStored(database: Database, expected: number): Promise<void> {
  const { rows } = await database.query<{ stored: number }>("select count(*) as stored from webhook_event");
  if (rows[0]?.stored !== expected) throw new Error(`${rows[0]?.stored} stored of ${expected}`);
}

async function makeInstance(database: Database, secretKey: string): Promise<string> {
  const accountId = await makeAccount(database.db);
  const secret = makeHookSecret();
  const sealed = createSecrets(secretKey).seal(secret, hookSecretPlace(1));
  const statements: [string, unknown[]][] = [
    [
      "insert into connection (account_id, kind, device_id, name) values ($1, 'instance', $2, $2)",
      [accountId, INSTANCE],
    ],
    [
      `insert into gateway (account_id, name, url, api_key, key_hint) values ($1, 'bench', 'http://127.0.0.1:1', '', '')`,
      [accountId],
    ],
    [
      `insert into instance (connection_id, account_id, gateway_id, gateway_url, name, hook_id, hook_secret)
        select c.id, c.account_id, g.id, g.url, $1, $2, $3 from connection c, gateway g`,
      [INSTANCE, HOOK, sealed],
    ],
  ];
  for (const [text, values] of statements) await database.query(text, values);
  return secret;
}

/** MESSAGES_UPSERT as a real gateway posts it, 904 bytes. */
function makeEvents(count: number, run: string, pictures: boolean): string[] {
  const events: string[] = [];
  for (let at = 0; at < count; at++) {
    const repeated = at % REPEAT === REPEAT - 1 ? events[at - 5] : undefined;
    const picture = pictures && at % PICTURE_EVERY === PICTURE_EVERY / 2;
    events.push(repeated ?? makeEvent(`3EB0${run}${String(at).padStart(12, "0")}`, at, picture));
  }
  return events;
}

function makeEvent(id: string, at: number, picture: boolean): string {
  const phone = String(5_511_900_000_000 + (at % 5_000));
  const event = {
    event: "messages.upsert",
    instance: INSTANCE,
    data: {
      key: {
        remoteJid: `${phone}@s.whatsapp.net`,
        remoteJidAlt: `7${phone}@lid`,
        fromMe: false,
        id,
        participant: "",
        addressingMode: "pn",
      },
      pushName: `Contato ${at}`,
      status: "DELIVERY_ACK",
      message: { conversation: "Olá, quero saber mais sobre a oferta." },
      messageType: picture ? "imageMessage" : "conversation",
      messageTimestamp: 1_795_165_559,
      instanceId: "0a360cbf-7cf5-4841-9e0f-c0dd544caf5b",
      source: "ios",
    },
    destination: `http://127.0.0.1:3000/hooks/evolution/${HOOK}`,
    date_time: "2026-11-20T09:06:00.011Z",
    sender: "5511900000001@s.whatsapp.net",
    server_url: "http://127.0.0.1:8080",
    apikey: "9C84DC7EBCC6-4B17-8625-A4A60018AC03",
  };
  const missing = 904 - Buffer.byteLength(JSON.stringify(event));
  event.data.message.conversation += " Obrigado!".repeat(20).slice(0, missing);
  if (picture) Object.assign(event.data.message, { base64: PICTURE });
  return JSON.stringify(event);
}
