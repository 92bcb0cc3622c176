import path from "node:path";
import { sql } from "kysely";
import pino from "pino";
import { type Database, openDatabase } from "../../src/server/db/client.ts";
import { embeddedUrl } from "../../src/server/db/embedded-postgres.ts";
import { isDatabaseDown } from "../../src/server/db/faults.ts";
import type { Control } from "../../src/simulator/control-answers.ts";
import { startLocalSimulator } from "../../src/simulator/local.ts";
import { type ProductServer, startProduct } from "../support/server.ts";
import { describeKill, type Kill } from "./plan.ts";

/** Waiting times of the product under fault runs: a lost acknowledgement is waited for 3 s instead of 60. */
const TIME_SCALE = "0.05";
export const DEVICE = "5511940000001";

/** The product as a process on a database of its own, its WhatsApp, and a number that is linked. */
export type World = {
  database: Database;
  control: Control;
  product: ProductServer;
  /** A call of the REST interface as the signed-in person; throws for anything but success. */
  call<T>(method: string, path: string, body?: unknown): Promise<T>;
  /** Ends the product as kill -9 does and starts it again, to be killed at this moment; null: to live. */
  restart(kill: Kill | null): Promise<void>;
  /** Whether the process of the product has ended. */
  ended(): boolean;
  close(): Promise<void>;
};

/** A fresh installation on its own embedded PostgreSQL, which outlives each kill of the server, as it does in use. */
export async function openWorld(): Promise<World> {
  const simulator = await startLocalSimulator({});
  const env: Record<string, string> = {
    RECADO_SIMULATOR: simulator.controlUrl,
    RECADO_TIME_SCALE: TIME_SCALE,
  };
  const preload = ["src/simulator/preload.ts", "tests/faults/failpoint-preload.ts"];
  const product = await startProduct({ env, preload });
  const url = embeddedUrl(path.join(product.dataFolder, "run"), "recado");
  const database = openDatabase(url, { log: pino({ level: "silent" }), max: 4 });
  let cookie = "";

  async function call<T>(method: string, path: string, body?: unknown): Promise<T> {
    const response = await product.fetch(path, {
      method,
      headers: { "content-type": "application/json", origin: product.url, cookie },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const setCookie = response.headers.get("set-cookie");
    if (setCookie) cookie = setCookie.split(";")[0] ?? "";
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return (text === "" ? null : JSON.parse(text)) as T;
  }

  const world: World = {
    ...{ database, product, call },
    control: simulator.control,
    async restart(kill) {
      env.RECADO_TEST_FAILPOINT = kill && "step" in kill ? describeKill(kill) : "";
      await product.restart();
    },
    ended: () => !isAlive(product.pid()),
    async close() {
      await database.close();
      await product.close();
      await simulator.stop();
    },
  };
  await linkDevice(world);
  return world;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** Asks again until the answer is there; the product's own events are what moves it, this only looks. */
export async function until<T>(what: string, look: () => Promise<T | null | false>, ms = 60_000): Promise<T> {
  const end = performance.now() + ms;
  for (;;) {
    // The database is away for a moment at every restart of the product.
    const found = await look().catch((error: unknown) => {
      if (isDatabaseDown(error)) return null;
      throw error;
    });
    if (found !== null && found !== false) return found;
    if (performance.now() > end) throw new Error(`${what}: not within ${ms} ms`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

async function linkDevice(world: World): Promise<void> {
  await world.call("POST", "/api/signup", {
    ...{ name: "Ótica Horizonte", email: "marina@exemplo.com.br", acceptTerms: true },
    ...{
      password: "girassol no quintal",
      confirmPassword: "girassol no quintal",
      timeZone: "America/Sao_Paulo",
    },
  });
  await world.call("POST", "/api/whatsapp/connect", { deviceId: DEVICE, connectionName: "Matriz" });
  const { qr } = await until("a QR code", () =>
    world.call<{ qr: string }>("GET", `/api/whatsapp/qr/${DEVICE}`).catch(() => null),
  );
  await world.control.scan({ qr, phone: DEVICE });
  await untilConnected(world);
}

/** Waits until the number is connected. */
export async function untilConnected(world: World): Promise<void> {
  await until("a connected number", async () => {
    const { status } = await world.call<{ status: string }>("GET", `/api/whatsapp/status/${DEVICE}`);
    return status === "connected";
  });
}

/** A list of this many people whose numbers no other run has. Answers its id and the numbers. */
export async function makeList(
  world: World,
  index: number,
  people: number,
): Promise<{ listId: number; phones: string[] }> {
  const base = 5_511_960_000_000 + index * 10_000;
  const { db } = world.database;
  const { rows } = await sql<{ id: number }>`insert into contact_list (account_id, name, contacts)
    select id, ${`Lista ${index}`}, ${people} from account returning id`.execute(db);
  const listId = rows[0]?.id ?? 0;
  await sql`insert into contact (list_id, seq, phone, name)
    select ${listId}, i, ${base}::bigint + i, 'Pessoa ' || i from generate_series(0, ${people}::int - 1) i`.execute(
    db,
  );
  return { listId, phones: Array.from({ length: people }, (_, i) => String(base + i)) };
}
