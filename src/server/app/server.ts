import path from "node:path";
import type { Logger } from "pino";
import { sessionCookieName } from "../accounts/auth.ts";
import { systemClock } from "../base/clock.ts";
import { type Config, LOOPBACK } from "../base/config.ts";
import { isDiskLow } from "../base/disk.ts";
import { ROOT_FOLDER } from "../base/root-folder.ts";
import type { Db } from "../db/client.ts";
import { readMigrations } from "../db/migrate.ts";
import { readRestoreLock } from "../db/restore-lock.ts";
import { SchemaWatch } from "../db/schema-watch.ts";
import { type App, createApp } from "../http/app.ts";
import { hostRule } from "../http/host.ts";
import { type OpenPort, openPort } from "../http/listen.ts";
import { mountStatic } from "../http/static.ts";
import { mountHealth, mountSystem } from "../http/system.ts";
import { Metrics } from "../metrics/metrics.ts";
import { mountMetrics } from "../metrics/metrics-endpoint.ts";
import { unboundPrivateHosts } from "../net/addresses.ts";
import { openStorage, readVersion, type Storage } from "../postgres/storage.ts";
import { upkeepOf } from "../sending/sending.ts";
import { healthOf } from "./health.ts";
import { mountRoutes } from "./routes.ts";
import { composeServices, type Services } from "./services.ts";

const DIST = path.join(ROOT_FOLDER, "dist");
const GRACE_MS = 25_000;
const STEP_LIMIT_MS = GRACE_MS + 5_000;

export type Running = {
  url: string | null;
  notices: string[];
  signup: string | null;
  stop(): Promise<void>;
};

/** A failed step stops the earlier ones. Aborting `signal` also stops the wait for a database. */
export async function startServer(config: Config, log: Logger, signal: AbortSignal): Promise<Running> {
  // First: with its port taken, a process must not have changed anything.
  const port = config.port === null ? null : await openPort(config.host, config.port);
  const stops: (() => Promise<void>)[] = port ? [() => port.stop(0)] : [];
  try {
    return await start({ config, log, signal, port, stops });
  } catch (error) {
    for (const stop of stops) await stop();
    throw error;
  }
}

type Starting = {
  config: Config;
  log: Logger;
  signal: AbortSignal;
  port: OpenPort | null;
  stops: (() => Promise<void>)[];
};

async function start({ config, log, signal, port, stops }: Starting): Promise<Running> {
  const clock = systemClock;
  const metrics = config.metricsToken === null ? null : new Metrics(() => clock.monotonic());
  const storage = await openStorage(config, log, { failed: metrics?.statementFailed, signal });
  stops.push(storage.close);
  const standing: Standing = { stopping: false, outdated: false, standStill: null };
  const schema = new SchemaWatch({
    db: storage.database.db,
    log,
    known: readMigrations().map(({ name }) => name),
    onNewer: () => {
      standing.outdated = true;
      standing.standStill?.();
    },
  });
  stops.unshift(() => schema.close());
  const outdated = () => schema.isNewer();
  const services = await composeServices({
    config,
    storage,
    clock,
    log,
    figures: metrics?.sending,
    statementFailed: metrics?.statementFailed,
    outdated,
  });
  stops.unshift(services.endStreams, services.stopSending, services.stop);
  standing.standStill = () =>
    void services.standStill().catch((error: unknown) => log.error({ err: error }, "not stopped in order"));
  if (standing.outdated) standing.standStill();
  const app = appOf({ config, log, storage, services, metrics, standing });
  port?.serve(app);
  return {
    url: port && `http://${config.host.includes(":") ? `[${config.host}]` : config.host}:${port.port}`,
    notices: [
      ...storage.notices,
      ...unboundHosts(config),
      ...warnings(config),
      ...(services.storeNotice === null ? [] : [services.storeNotice]),
      ...(await heldNotice(storage.database.db)),
    ],
    signup: config.process === "worker" ? null : await signupLine(config, services),
    async stop() {
      standing.stopping = true;
      const step = (name: string, work: Promise<void>) => within(STEP_LIMIT_MS, name, work, log);
      const closed = port?.stop(GRACE_MS) ?? Promise.resolve();
      await step("streams", services.endStreams());
      // Not after the last request: nothing new may be claimed while answers are pending.
      await Promise.all([step("http", closed), step("sending", services.stopSending())]);
      await step("services", services.stop());
      await step("schema", schema.close());
      await storage.close();
    },
  };
}

type Standing = { stopping: boolean; outdated: boolean; standStill: (() => void) | null };

type AppParts = Pick<Starting, "config" | "log"> & {
  storage: Storage;
  services: Services;
  metrics: Metrics | null;
  standing: Readonly<Pick<Standing, "stopping" | "outdated">>;
};

function appOf({ config, log, storage, services, metrics, standing }: AppParts): App {
  const { db } = storage.database;
  const version = readVersion();
  const app = createApp({
    db: storage.pages.db,
    log,
    trustedProxies: config.trustedProxies,
    statements: services.statements,
    authenticate: services.accounts.authenticate,
    ...(metrics ? { answered: metrics.answered } : {}),
    publicOrigin: config.publicUrl,
    hosts: hostRule({ ...config, bound: config.host }),
    outdated: () => standing.outdated,
  });
  const { lanes } = services;
  const health = healthOf({ storage, lanes, process: config.process, version, clock: systemClock });
  // The load balancer then uses a newer process.
  const stopping = () => standing.stopping || standing.outdated;
  metrics?.watch(db, {
    ...services,
    pools: () => ({ work: storage.database.pool(), pages: storage.pages.pool() }),
  });
  mountMetrics(
    app,
    metrics && {
      token: config.metricsToken ?? "",
      text: () => metrics.text(),
      contentType: metrics.contentType,
    },
  );
  if (config.process === "worker") {
    mountHealth(app, { health, token: config.metricsToken, stopping });
    return app;
  }
  mountSystem(app, {
    version,
    health,
    stopping,
    token: config.metricsToken,
    sessionCookie: sessionCookieName(config.publicUrl ?? ""),
    hold: () => readRestoreLock(db),
    diskLow: () => isDiskLow(storage.dataFolder),
    idle: async () => config.process === "web" && (await upkeepOf(db).countWorkers()) === 0,
  });
  mountRoutes(app, services);
  mountStatic(app, DIST);
  return app;
}

/** A failing or hanging stop step must not prevent the next, above all the database. */
async function within(ms: number, name: string, work: Promise<void>, log: Logger): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`still not ended after ${ms} ms`)), ms);
  });
  await Promise.race([work, late]).catch((error: unknown) =>
    log.error({ err: error, step: name }, "not stopped in order"),
  );
  clearTimeout(timer);
}

async function heldNotice(db: Db): Promise<string[]> {
  if (!(await readRestoreLock(db))) return [];
  return [
    "Os dados vieram de uma cópia, e nada é enviado nem conectado até a liberação. " +
      "Com a instalação original desligada: npm run restore -- --release",
  ];
}

/** Old-form entries still work, since messages depend on them, but allow more than intended. */
function unboundHosts({ privateHosts }: Config): string[] {
  const items = unboundPrivateHosts(privateHosts);
  if (items.length === 0) return [];
  return [
    `RECADO_PRIVATE_HOSTS abre ${items.join(", ")} para tudo que qualquer conta informar: gateways, Mistral, webhooks e imagens. ` +
      "Diga para que serve cada um e em que porta, como gateway:evolution.interno:8080 ou relay:n8n.interno:5678; o que está em " +
      "RECADO_GATEWAYS e RECADO_MISTRAL_URL não precisa estar na lista.",
  ];
}

const INVITES = "só por convite (npm run account -- invite)";

async function signupLine({ signup }: Config, { accounts }: Services): Promise<string> {
  if (signup === "open") return "Cadastro: aberto a quem alcançar este endereço (RECADO_SIGNUP=open)";
  if (signup === "invite") return `Cadastro: ${INVITES}`;
  const { open } = await accounts.signupPolicy();
  return open
    ? `Cadastro: a primeira conta pode ser criada agora, por quem chegar primeiro; depois, ${INVITES}`
    : `Cadastro: ${INVITES}; a primeira conta já existe`;
}

function warnings({ host, publicUrl, process: part, proxiesUnsaid }: Config): string[] {
  // We serve only http, so https means a proxy, whose address all clients would share.
  if (part !== "worker" && publicUrl?.startsWith("https:") && proxiesUnsaid)
    return [
      "Há um proxy à frente (RECADO_URL é https), mas RECADO_TRUST_PROXY não diz quantos: todas as pessoas parecem vir do mesmo " +
        "endereço, e quem erra senhas impede a entrada das outras. Com um proxy, defina RECADO_TRUST_PROXY=1.",
    ];
  const named =
    publicUrl === null && !LOOPBACK.test(host)
      ? [
          "Sem RECADO_URL, o Recado atende por localhost e pelo número desta máquina na rede, e recusa nomes: para ser aberto por um " +
            "nome, defina RECADO_URL com o endereço que as pessoas usam, como http://recado.local:3000.",
        ]
      : [];
  const reached = publicUrl === null ? host : new URL(publicUrl).hostname;
  if (publicUrl?.startsWith("https:") || LOOPBACK.test(reached)) return [];
  return [
    ...named,
    "O Recado atende fora desta máquina por http: senhas e mensagens passam sem criptografia pela rede. " +
      "Ponha um proxy com https à frente e defina RECADO_URL=https://…",
  ];
}
