import path from "node:path";
import { sql } from "kysely";
import pino from "pino";
import { type Database, openDatabase } from "../../src/server/db/client.ts";
import { isDatabaseDown } from "../../src/server/db/errors.ts";
import { embeddedUrl } from "../../src/server/postgres/embedded-postgres.ts";
import { releaseAllLanes } from "../../src/server/sending/ownership/acquire.ts";
import { placePeople } from "../support/people-rows.ts";
import { type ProductServer, startProduct } from "../support/server.ts";
import { describeKill, type Kill } from "./plan.ts";

export type Installation = {
  database: Database;
  product: ProductServer;
  call<T>(method: string, path: string, body?: unknown): Promise<T>;
  arm(kill: Kill): Promise<void>;
  /** Null: to stay alive. */
  restart(kill: Kill | null): Promise<void>;
  shiftClock(ms: number): Promise<void>;
  ended(): boolean;
  close(): Promise<void>;
};

/** An external database: `through` is the product's address, `direct` is ours. */
export type Elsewhere = { through: string; direct: string };

/** The embedded PostgreSQL outlives each kill of the server, as in production. */
export async function openInstallation(
  settings: Record<string, string>,
  preload: string[] = [],
  elsewhere: Elsewhere | null = null,
): Promise<Installation> {
  const env: Record<string, string> = { ...settings };
  const product = await startProduct({
    env,
    preload: [...preload, "tests/faults/failpoint-preload.ts", "tests/faults/clock-preload.ts"],
    databaseUrl: elsewhere?.through ?? null,
  });
  const url = elsewhere?.direct ?? embeddedUrl(path.join(product.dataFolder, "run"), "recado");
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

  await call("POST", "/api/signup", {
    name: "Ótica Horizonte",
    email: "marina@exemplo.com.br",
    acceptTerms: true,
    password: "girassol no quintal",
    confirmPassword: "girassol no quintal",
    timeZone: "America/Sao_Paulo",
  });
  return {
    database,
    product,
    call,
    async arm(kill) {
      if ("step" in kill) await product.tell(describeKill(kill));
    },
    async restart(kill) {
      env.RECADO_TEST_FAILPOINT = kill && "step" in kill ? describeKill(kill) : "";
      await product.kill9();
      if (elsewhere) await releaseAllLanes(database.db);
      await product.start().catch((error: unknown) => {
        if (kill === null || isAlive(product.pid())) throw error;
      });
    },
    async shiftClock(ms) {
      env.RECADO_TEST_CLOCK = String(ms);
      await product.tell(`clock ${ms}`);
    },
    ended: () => !isAlive(product.pid()),
    async close() {
      await database.close();
      await product.close();
    },
  };
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

export async function until<T>(what: string, look: () => Promise<T | null | false>, ms = 60_000): Promise<T> {
  const end = performance.now() + ms;
  for (;;) {
    const found = await look().catch((error: unknown) => {
      if (isDatabaseDown(error)) return null;
      throw error;
    });
    if (found !== null && found !== false) return found;
    if (performance.now() > end) throw new Error(`${what}: not within ${ms} ms`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

export async function isOver(db: Database["db"]): Promise<boolean> {
  const { rows } = await sql<{
    over: boolean;
  }>`select status = 'ended' or status = 'sending' and accepted_count > 0 and pending_count + sending_count + waiting_count = 0 as over from campaign
    order by id desc limit 1`.execute(db);
  return rows[0]?.over ?? false;
}

export async function makeList(
  { database: { db } }: Pick<Installation, "database">,
  { index, people, base }: { index: number; people: number; base: number },
): Promise<{ listId: number; phones: string[] }> {
  const first = base + index * 10_000;
  const { rows } = await sql<{ id: number }>`insert into contact_list (account_id, name, contacts)
    select id, ${`Lista ${index}`}, ${people} from account returning id`.execute(db);
  const listId = rows[0]?.id ?? 0;
  await placePeople(
    db,
    listId,
    sql`select i as seq, ${first}::bigint + i as phone, 'Pessoa ' || i as name from generate_series(0, ${people}::int - 1) i`,
  );
  return { listId, phones: Array.from({ length: people }, (_, i) => String(first + i)) };
}
