import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import type { Db } from "../db/client.ts";
import type { Answered } from "../http/app.ts";
import type { FairQueues } from "../jobs/fair-queue.ts";
import type { SendingFigures } from "../sending/sending.ts";
import { type Figures, readFigures } from "./figures-repo.ts";

export type Present = {
  lanes(): { owned: number; connected: number };
  streams(): number;
  pools(): Record<string, { open: number; idle: number; waiting: number }>;
  queues: Pick<FairQueues, "figures">;
};

/** Several scrapers cost one query. */
const FRESH_MS = 5_000;
/** Prometheus times out after ten; a silent database must not lose the other figures. */
const SILENT_MS = 5_000;
const HTTP_SECONDS = [0.005, 0.02, 0.1, 0.5, 2, 10];
const SEND_SECONDS = [0.05, 0.2, 0.5, 1, 2, 5, 10, 30, 60];

/** The methods that others take as functions are fields. */
export class Metrics {
  readonly #monotonic: () => number;
  readonly #register = new Registry();
  readonly #counters: Counters;
  readonly #present: ReturnType<typeof presentGauges>;
  readonly #stored: ReturnType<typeof storedGauges>;
  #watched: { db: Db; present: Present } | null = null;
  #readAt = Number.NEGATIVE_INFINITY;
  #reading: Promise<void> = Promise.resolve();

  constructor(monotonic: () => number) {
    this.#monotonic = monotonic;
    const registers = [this.#register];
    collectDefaultMetrics({ register: this.#register });
    this.#counters = openCounters(registers);
    this.#present = presentGauges(registers);
    this.#stored = storedGauges(registers);
  }

  get contentType(): string {
    return this.#register.contentType;
  }

  readonly answered = ({ route, status, ms }: Answered): void =>
    this.#counters.http.observe({ route, status: `${Math.floor(status / 100)}xx` }, ms / 1_000);

  readonly sending: SendingFigures = {
    attempted: (kind, outcome, ms) => this.#counters.attempts.observe({ kind, outcome }, ms / 1_000),
    receipt: (status) => this.#counters.receipts.inc({ status }),
  };

  readonly statementFailed = (code: string | null): void =>
    this.#counters.databaseErrors.inc({ class: code?.slice(0, 2) ?? "none" });

  watch(db: Db, present: Present): void {
    this.#watched = { db, present };
  }

  async text(): Promise<string> {
    if (this.#watched) {
      this.#present.tell(this.#watched.present);
      if (this.#monotonic() - this.#readAt >= FRESH_MS) {
        this.#readAt = this.#monotonic();
        this.#reading = this.#read(this.#watched.db);
      }
      await this.#reading;
    }
    return this.#register.metrics();
  }

  async #read(db: Db): Promise<void> {
    let late: NodeJS.Timeout | undefined;
    const silent = new Promise<null>((resolve) => {
      late = setTimeout(() => resolve(null), SILENT_MS);
    });
    this.#stored.tell(await Promise.race([readFigures(db).catch(() => null), silent]));
    clearTimeout(late);
  }
}

type Counters = ReturnType<typeof openCounters>;

function openCounters(registers: Registry[]) {
  return {
    http: new Histogram({
      name: "recado_http_seconds",
      help: "Time to the head of an answer",
      registers,
      labelNames: ["route", "status"],
      buckets: HTTP_SECONDS,
    }),
    attempts: new Histogram({
      name: "recado_send_seconds",
      help: "From the hand-over of a message to its outcome",
      registers,
      labelNames: ["kind", "outcome"],
      buckets: SEND_SECONDS,
    }),
    receipts: new Counter({
      name: "recado_receipts_total",
      help: "Receipts from WhatsApp for messages of devices",
      registers,
      labelNames: ["status"],
    }),
    databaseErrors: new Counter({
      name: "recado_database_faults_total",
      help: "Statements that failed, by class of SQLSTATE",
      registers,
      labelNames: ["class"],
    }),
  };
}

function presentGauges(registers: Registry[]) {
  const gauge = (name: string, help: string) => new Gauge({ name: `recado_${name}`, help, registers });
  const owned = gauge("lanes_owned", "Connections whose queue this process works on");
  const connected = gauge(
    "lanes_connected",
    "Those of them whose socket to WhatsApp, or instance, can send now",
  );
  const streams = gauge("event_streams", "Pages that hear of changes here");
  const by = <const L extends string>(label: L, name: string, help: string) =>
    new Gauge({ name: `recado_${name}`, help, registers, labelNames: [label] });
  const open = by(
    "pool",
    "database_connections",
    "Pooled connections to the database, of which some are idle",
  );
  const idle = by("pool", "database_connections_idle", "Pooled connections that run nothing");
  const waiting = by("pool", "database_waiting", "Statements that wait for a connection");
  const queued = by("queue", "queue_waiting", "Pieces of work of all accounts that wait for their turn here");
  const oldest = by("queue", "queue_oldest_seconds", "How long the oldest of them has waited");
  return {
    tell(present: Present): void {
      const lanes = present.lanes();
      owned.set(lanes.owned);
      connected.set(lanes.connected);
      streams.set(present.streams());
      for (const [pool, one] of Object.entries(present.pools())) {
        open.set({ pool }, one.open);
        idle.set({ pool }, one.idle);
        waiting.set({ pool }, one.waiting);
      }
      for (const { name: queue, waiting: pieces, oldestMs } of present.queues.figures()) {
        queued.set({ queue }, pieces);
        oldest.set({ queue }, oldestMs / 1_000);
      }
    },
  };
}

function storedGauges(registers: Registry[]) {
  const gauge = <const L extends string = never>(name: string, help: string, labelNames: L[] = []) =>
    new Gauge({ name: `recado_${name}`, help, registers, labelNames });
  const up = gauge("database_up", "1 if the database answered at the last look");
  const campaigns = gauge("campaigns", "Campaigns that are not over", ["life"]);
  const people = gauge("campaign_people_pending", "People of these who wait for their message", ["life"]);
  const doubts = gauge("campaign_people_uncertain", "People of these that need a human's decision", ["life"]);
  const connections = gauge("connections", "Connections of all accounts", ["state"]);
  const workers = gauge("workers", "Living processes that work");
  const webhooks = gauge("webhooks_waiting", "Unprocessed events of gateways, 10000 at most");
  const oldest = gauge("webhooks_oldest_seconds", "How long the oldest of them has waited");
  const outbox = gauge("outbox_waiting", "Single messages on their way, 10000 at most");
  const mail = gauge("mail_waiting", "Emails to be sent, 10000 at most");
  const jobs = gauge("jobs", "Background jobs, as the job library counted them last", ["queue", "state"]);
  return {
    tell(figures: Figures | null): void {
      up.set(figures ? 1 : 0);
      for (const one of [campaigns, people, doubts, connections, jobs]) one.reset();
      // Unknown values are left out: an old value or a zero would raise an alert.
      for (const one of [workers, webhooks, oldest, outbox, mail]) one.remove();
      if (!figures) return;
      for (const { life, n, people: left, doubts: doubtful } of figures.campaigns) {
        campaigns.set({ life }, n);
        people.set({ life }, left);
        doubts.set({ life }, doubtful);
      }
      for (const { state, n } of figures.connections) connections.set({ state }, n);
      for (const { name: queue, queued, active, failed } of figures.jobs) {
        jobs.set({ queue, state: "queued" }, queued);
        jobs.set({ queue, state: "active" }, active);
        jobs.set({ queue, state: "failed" }, failed);
      }
      workers.set(figures.workers);
      webhooks.set(figures.webhooks.waiting);
      oldest.set(figures.webhooks.oldestSeconds);
      outbox.set(figures.outbox);
      mail.set(figures.mail);
    },
  };
}
