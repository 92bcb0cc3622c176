import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { sql } from "kysely";
import pino from "pino";
import { type Evolution, startEvolution } from "../../../simulators/evolution/evolution.ts";
import { type MailServer, startMailServer } from "../../../simulators/mail/smtp-server.ts";
import { type MistralStandIn, startMistral } from "../../../simulators/mistral/stand-in.ts";
import { type Database, openDatabase } from "../../../src/server/db/client.ts";
import { embeddedUrl } from "../../../src/server/postgres/embedded-postgres.ts";
import { placePeople } from "../../support/people-rows.ts";
import { freePort } from "../../support/ports.ts";
import { type ProductServer, startProduct } from "../../support/server.ts";
import { until } from "../installation.ts";
import { Hook } from "./hook.ts";
import { Caller } from "./person.ts";

export const METRICS_TOKEN = "hostile-runs-metrics-token";
const OPERATORS_KEY = "chave-do-operador";

export type Tenant = { caller: Caller; gateway: Evolution; hook: Hook; accountId: string };

export type HostileWorld = {
  product: ProductServer;
  database: Database;
  honest: Tenant;
  stranger: Tenant;
  operator: { gateway: Evolution; mistral: MistralStandIn; mail: MailServer };
  forgetFlood(): Promise<void>;
  another(): Promise<Caller>;
  close(): Promise<void>;
};

/** Timeouts as in production. */
export async function openHostileWorld(databaseUrl: string | null = null): Promise<HostileWorld> {
  const gateways = await Promise.all([startEvolution({}), startEvolution({}), startEvolution({})]);
  const [honestGateway, strangersGateway, operatorsGateway] = gateways;
  const mistral = await startMistral({ keys: [OPERATORS_KEY] });
  const mail = await startMailServer();
  const port = await freePort();
  const product = await startProduct({
    databaseUrl,
    port,
    env: {
      RECADO_URL: `http://127.0.0.1:${port}`,
      RECADO_TRUST_PROXY: "1",
      RECADO_METRICS_TOKEN: METRICS_TOKEN,
      RECADO_SIGNUP: "open",
      RECADO_PRIVATE_HOSTS: "127.0.0.1",
      RECADO_MISTRAL_KEY: OPERATORS_KEY,
      RECADO_MISTRAL_URL: mistral.url,
      RECADO_SMTP_URL: `smtp://127.0.0.1:${mail.port}`,
      RECADO_MAIL_FROM: "Recado <avisos@exemplo.com.br>",
      RECADO_GATEWAYS: `Da casa=${operatorsGateway.url}|${operatorsGateway.apiKey}`,
    },
  });
  const url = databaseUrl ?? embeddedUrl(path.join(product.dataFolder, "run"), "recado");
  const database = openDatabase(url, { log: pino({ level: "silent" }), max: 4 });
  let strangers = 0;
  const world: HostileWorld = {
    product,
    database,
    operator: { gateway: operatorsGateway, mistral, mail },
    honest: await openTenant(product, database, honestGateway, "marina"),
    stranger: await openTenant(product, database, strangersGateway, "estranho"),
    async forgetFlood() {
      const { db } = database;
      const honest = world.honest.accountId;
      await sql`delete from webhook_event e using connection k
        where k.id = e.connection_id and k.account_id <> ${honest}::uuid`.execute(db);
      await sql`delete from campaign where account_id <> ${honest}::uuid and status in ('scheduled', 'starting')`.execute(
        db,
      );
      await until(
        "the end of imports",
        async () => {
          const { rows } =
            await sql`select from contact_import where state in ('waiting', 'running') limit 1`.execute(db);
          return rows.length === 0;
        },
        120_000,
      );
    },
    async another() {
      strangers += 1;
      const caller = new Caller(product);
      await caller.signUp(`Estranho ${strangers}`, `estranho${strangers}@exemplo.com.br`);
      return caller;
    },
    async close() {
      await Promise.all([world.honest.hook.close(), world.stranger.hook.close()]);
      await database.close();
      await product.close();
      await Promise.all([mistral.stop(), mail.close(), ...gateways.map((one) => one.close())]);
    },
  };
  return world;
}

async function openTenant(
  product: ProductServer,
  { db }: Database,
  gateway: Evolution,
  name: string,
): Promise<Tenant> {
  const caller = new Caller(product);
  const email = `${name}@exemplo.com.br`;
  await caller.signUp(name, email);
  const { rows } = await sql<{ id: string }>`select id from account where email = ${email}`.execute(db);
  const accountId = rows[0]?.id ?? "";
  const { id } = await caller.call<{ id: number }>("POST", "/api/gateways", {
    name: "",
    url: gateway.url,
    apiKey: gateway.apiKey,
  });
  await caller.call("POST", `/api/gateways/${id}/instances`, {
    instanceName: name,
    token: `chave-de-${name}`,
    number: "5511940000002",
    webhook: "",
  });
  await until("a QR code", async () => gateway.world.qr(name));
  await gateway.world.scan(name, { phone: name === "marina" ? "5511940000002" : "5511940000003" });
  await until("a connected instance", () => isConnected(caller));
  await until("a webhook", async () => gateway.world.webhooks.some((one) => one.instance === name));
  gateway.world.everybody({ serverAckMs: 5, deliveredMs: 20 });
  return { caller, gateway, accountId, hook: new Hook(gateway, name) };
}

export async function isConnected(caller: Caller): Promise<boolean> {
  const { connections } = await caller.call<{ connections: { state: string }[] }>("GET", "/api/connections");
  return connections.some((one) => one.state === "connected");
}

export async function makeListOf(
  { db }: Database,
  accountId: string,
  people: number,
  base: number,
): Promise<number> {
  const { rows } = await sql<{ id: number }>`insert into contact_list (account_id, name, contacts)
    values (${accountId}::uuid, ${`Lista de ${people}`}, ${people}) returning id`.execute(db);
  const listId = rows[0]?.id ?? 0;
  await placePeople(
    db,
    listId,
    sql`select i as seq, ${base}::bigint + i as phone, 'Pessoa ' || i as name from generate_series(0, ${people}::int - 1) i`,
  );
  return listId;
}

export async function hammer(rows: number, signal: AbortSignal, blow: (nth: number) => Promise<unknown>) {
  let nth = 0;
  const row = async () => {
    while (!signal.aborted) {
      nth += 1;
      await blow(nth).catch(() => pause(20));
    }
  };
  await Promise.all(Array.from({ length: rows }, row));
  return nth;
}
