import path from "node:path";
import type { Logger } from "pino";
import { sessionCookieName } from "./accounts/auth.ts";
import { systemClock } from "./clock.ts";
import type { Config } from "./config.ts";
import type { Db } from "./db/client.ts";
import { readHold } from "./db/hold.ts";
import { isDiskLow } from "./disk.ts";
import { healthOf } from "./health.ts";
import { createApp } from "./http/app.ts";
import { hostRule } from "./http/host.ts";
import { listenHttp } from "./http/listen.ts";
import { mountMetrics } from "./http/metrics-door.ts";
import { mountRoutes } from "./http/routes.ts";
import { mountStatic } from "./http/static.ts";
import { mountHealth, mountSystem } from "./http/system.ts";
import { openMetrics } from "./metrics/metrics.ts";
import { unboundPrivateHosts } from "./net/addresses.ts";
import { ROOT_FOLDER } from "./root-folder.ts";
import { livingWorkers } from "./sending/workers.ts";
import { composeServices } from "./services.ts";
import { openStorage, readVersion } from "./storage.ts";

const DIST = path.join(ROOT_FOLDER, "dist");
/** How long running answers may take to end when we stop; a send on the wire is among them. */
const GRACE_MS = 25_000;
/** And how long any step of stopping may take in all. */
const STEP_LIMIT_MS = GRACE_MS + 5_000;

export type Running = {
  /** Where it listens, `http://host:port`; null for a process that only works and has no port. */
  url: string | null;
  /** What the person who starts us should read, in words. */
  notices: string[];
  /** HTTP first, then the work in the background, the database last. */
  stop(): Promise<void>;
};

/**
 * Starts the whole product: storage, features, HTTP. Whatever was started is ended again when a later step fails. `signal`: nobody wants
 * it any more, and a database that is not there is not waited for.
 */
export async function startServer(config: Config, log: Logger, signal: AbortSignal): Promise<Running> {
  const version = readVersion();
  const clock = systemClock;
  const metrics = config.metricsToken === null ? null : openMetrics(() => clock.monotonic());
  const storage = await openStorage(config, log, { failed: metrics?.statementFailed, signal });
  const stops = [storage.close];
  let stopping = false;
  try {
    const services = await composeServices({ config, storage, clock, log, figures: metrics?.sending });
    stops.unshift(services.endStreams, services.stopSending, services.stop);
    const app = createApp({
      db: storage.database.db,
      log,
      authenticate: services.accounts.authenticate,
      ...(metrics ? { answered: metrics.answered } : {}),
      publicOrigin: config.publicUrl,
      hosts: hostRule({ ...config, bound: config.host }),
      trustedProxies: config.trustedProxies,
    });
    const health = healthOf({ storage, lanes: services.lanes, process: config.process, version, clock });
    metrics?.watch(storage.database.db, { ...services, pool: storage.database.pool });
    mountMetrics(app, metrics && { ...metrics, token: config.metricsToken ?? "" });
    if (config.process === "worker")
      mountHealth(app, { health, token: config.metricsToken, stopping: () => stopping });
    else {
      mountSystem(app, {
        version,
        sessionCookie: sessionCookieName(config.publicUrl ?? ""),
        health,
        token: config.metricsToken,
        stopping: () => stopping,
        hold: () => readHold(storage.database.db),
        diskLow: () => isDiskLow(storage.dataFolder),
        idle: async () => config.process === "web" && (await livingWorkers(storage.database.db)) === 0,
      });
      mountRoutes(app, services);
      mountStatic(app, DIST);
    }
    const http = config.port === null ? null : await listenHttp(app, config.host, config.port);
    return {
      url: http && `http://${config.host.includes(":") ? `[${config.host}]` : config.host}:${http.port}`,
      notices: [
        ...storage.notices,
        ...unboundHosts(config),
        ...warnings(config),
        ...(await heldNotice(storage.database.db)),
      ],
      async stop() {
        stopping = true;
        const step = (name: string, work: Promise<void>) => within(STEP_LIMIT_MS, name, work, log);
        const closed = http?.stop(GRACE_MS) ?? Promise.resolve();
        await step("streams", services.endStreams());
        // At once, not after the last request: nothing new may be claimed while we wait for answers.
        await Promise.all([step("http", closed), step("sending", services.stopSending())]);
        await step("services", services.stop());
        await storage.close();
      },
    };
  } catch (error) {
    for (const stop of stops) await stop();
    throw error;
  }
}

/** One step of stopping that fails or hangs must not keep the next ones, and the database above all, from ending in order. */
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

const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|::1)$/;

async function heldNotice(db: Db): Promise<string[]> {
  if (!(await readHold(db))) return [];
  return [
    "Os dados vieram de uma cópia, e nada é enviado nem conectado até a liberação. " +
      "Com a instalação original desligada: npm run restore -- --release",
  ];
}

/** Entries of the old form work as they did, since messages go through them; they open more than was meant. */
function unboundHosts({ privateHosts }: Config): string[] {
  const items = unboundPrivateHosts(privateHosts);
  if (items.length === 0) return [];
  return [
    `RECADO_PRIVATE_HOSTS abre ${items.join(", ")} para tudo que qualquer conta informar: gateways, Mistral, webhooks e imagens. ` +
      "Diga para que serve cada um e em que porta, como gateway:evolution.interno:8080 ou relay:n8n.interno:5678; o que está em " +
      "RECADO_GATEWAYS e RECADO_MISTRAL_URL não precisa estar na lista.",
  ];
}

/** What works and yet should not stay so. */
function warnings({ host, publicUrl, process: part, proxiesUnsaid }: Config): string[] {
  // We serve http alone: whatever is reached by https has somebody in front of it, and everybody comes from there.
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
