import { setTimeout as pause } from "node:timers/promises";
import { sql } from "kysely";
import { until } from "../installation.ts";
import { percentile } from "../results.ts";
import { type HostileWorld, METRICS_TOKEN, makeListOf } from "./world.ts";

export type Window = {
  ms: number;
  sent: number;
  pages: number[];
  refused: number;
  optOuts: number[];
  hooksRefused: number;
  starts: number[];
  imports: number[];
  blockedMs: number;
  memoryMb: number;
};

const PEOPLE = 3_000;
const PHONES = 5_511_970_000_000;
const LEAVING = 5_511_980_000_000;
const LONGEST_MS = 30_000;

export class Honest {
  readonly #world: HostileWorld;
  #optedOut = 0;
  #campaigns = 0;
  #imports = 0;

  private constructor(world: HostileWorld) {
    this.#world = world;
  }

  static async begin(world: HostileWorld): Promise<Honest> {
    const honest = new Honest(world);
    const listId = await makeListOf(world.database, world.honest.accountId, PEOPLE, PHONES);
    await honest.#create("Campanha do mês", listId, 1);
    await until("the first message", async () => world.honest.gateway.world.accepted.length > 0);
    return honest;
  }

  async watch(ms: number, work: (signal: AbortSignal) => Promise<unknown>): Promise<Window> {
    const { accepted } = this.#world.honest.gateway.world;
    const found: Window = {
      ms: 0,
      sent: 0,
      pages: [],
      refused: 0,
      optOuts: [],
      hooksRefused: 0,
      starts: [],
      imports: [],
      blockedMs: 0,
      memoryMb: 0,
    };
    await this.#readMetrics();
    const over = new AbortController();
    const [start, before] = [performance.now(), accepted.length];
    const working = work(over.signal);
    const probes = [
      this.#every(100, over.signal, () => this.#page(found)),
      this.#every(1_500, over.signal, () => this.#leave(found)),
      this.#every(4_000, over.signal, () => this.#start(found)),
      this.#every(4_000, over.signal, () => this.#import(found)),
      this.#every(1_000, over.signal, () => this.#metrics(found)),
    ];
    await pause(ms);
    found.ms = performance.now() - start;
    found.sent = accepted.length - before;
    over.abort();
    await Promise.all([working, ...probes]);
    await this.#metrics(found);
    return found;
  }

  async #every(ms: number, signal: AbortSignal, probe: () => Promise<void>): Promise<void> {
    while (!signal.aborted) {
      await probe();
      await pause(ms, null, { signal }).catch(() => undefined);
    }
  }

  async #page(found: Window): Promise<void> {
    const start = performance.now();
    const pages = ["/api/campaigns", "/api/connections", "/api/contact-lists", "/api/dashboard"];
    const path = pages[found.pages.length % pages.length] ?? "/api/campaigns";
    const status = await this.#world.honest.caller
      .ask("GET", path, { signal: AbortSignal.timeout(LONGEST_MS) })
      .then(async (response) => {
        await response.arrayBuffer();
        return response.status;
      })
      .catch(() => 0);
    found.pages.push(performance.now() - start);
    if (status !== 200) found.refused += 1;
  }

  async #leave(found: Window): Promise<void> {
    const phone = String(LEAVING + this.#optedOut);
    this.#optedOut += 1;
    const status = await this.#world.honest.hook.message(phone, "SAIR").catch(() => 0);
    if (status !== 200) {
      found.hooksRefused += 1;
      return;
    }
    const start = performance.now();
    await this.#until(async () => {
      const { rows } =
        await sql`select from opt_out where account_id = ${this.#world.honest.accountId}::uuid and phone = ${phone}::bigint`.execute(
          this.#world.database.db,
        );
      return rows.length > 0;
    });
    found.optOuts.push(performance.now() - start);
  }

  async #start(found: Window): Promise<void> {
    this.#campaigns += 1;
    const { database, honest } = this.#world;
    const listId = await makeListOf(database, honest.accountId, 1, PHONES + 10_000 + this.#campaigns);
    const start = performance.now();
    const id = await this.#create(`Curta ${this.#campaigns}`, listId, 0).catch(() => null);
    if (id !== null)
      await this.#until(async () => {
        const { rows } =
          await sql`select from campaign where id = ${id} and status not in ('scheduled', 'starting')`.execute(
            database.db,
          );
        return rows.length > 0;
      });
    found.starts.push(id === null ? LONGEST_MS : performance.now() - start);
  }

  async #import(found: Window): Promise<void> {
    this.#imports += 1;
    const name = `Três ${this.#imports}`;
    const rows = [1, 2, 3].map((nth) => `Pessoa ${nth};55119${60_000_000 + this.#imports * 10 + nth}`);
    const start = performance.now();
    const answer = await this.#world.honest.caller
      .ask("POST", `/api/contact-imports?name=${encodeURIComponent(name)}`, {
        headers: { "content-type": "text/csv" },
        body: ["Nome;Telefone", ...rows].join("\n"),
        signal: AbortSignal.timeout(LONGEST_MS),
      })
      .catch(() => null);
    await answer?.arrayBuffer();
    if (answer?.ok)
      await this.#until(async () => {
        const found =
          await sql`select from contact_list where account_id = ${this.#world.honest.accountId}::uuid
          and name = ${name} and contacts = 3`.execute(this.#world.database.db);
        return found.rows.length > 0;
      });
    found.imports.push(answer?.ok ? performance.now() - start : LONGEST_MS);
  }

  async #create(name: string, listId: number, intervalS: number): Promise<number> {
    const { id } = await this.#world.honest.caller.call<{ id: number }>("POST", "/api/campaigns", {
      name,
      text: "Oi, {nome}! Temos novidades na loja.",
      listId,
      connectionId: null,
      intervalS,
      intent: "create",
    });
    return id;
  }

  async #until(look: () => Promise<boolean>): Promise<void> {
    const end = performance.now() + LONGEST_MS;
    while (performance.now() < end && !(await look().catch(() => false))) await pause(20);
  }

  async #metrics(found: Window): Promise<void> {
    const { blockedMs, memoryMb } = await this.#readMetrics();
    found.blockedMs = Math.max(found.blockedMs, blockedMs);
    found.memoryMb = Math.max(found.memoryMb, memoryMb);
  }

  async #readMetrics(): Promise<{ blockedMs: number; memoryMb: number }> {
    const text = await this.#world.product
      .fetch("/metrics", {
        headers: { authorization: `Bearer ${METRICS_TOKEN}` },
        signal: AbortSignal.timeout(LONGEST_MS),
      })
      .then((response) => response.text())
      .catch(() => "");
    const figure = (name: string) => Number(new RegExp(`^${name} (\\S+)$`, "m").exec(text)?.[1] ?? 0);
    return {
      blockedMs: figure("nodejs_eventloop_lag_max_seconds") * 1_000,
      memoryMb: figure("process_resident_memory_bytes") / 1024 / 1024,
    };
  }
}

export const p99 = (values: readonly number[]): number | null => percentile(values, 0.99);
