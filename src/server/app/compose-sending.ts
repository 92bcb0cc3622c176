import type { Logger } from "pino";
import type { Clock } from "../../domain/clock.ts";
import type { Config } from "../base/config.ts";
import { scaled } from "../base/time-scale.ts";
import type { Changes } from "../db/live-updates.ts";
import { instanceAccess, noteProfile } from "../gateways/access.ts";
import { gatewayBacklogs } from "../gateways/backlog.ts";
import { GAP_TIMES } from "../gateways/gap-check.ts";
import type { Intake } from "../gateways/webhook-effects.ts";
import { eventsProcessedCheck, waitingByAccount } from "../gateways/webhook-repo.ts";
import type { GuardedFetch } from "../net/guarded-fetch.ts";
import type { Storage } from "../postgres/storage.ts";
import { type SendingDeps as Needs, openSending, type Sending } from "../sending/sending.ts";
import type { DeviceDeps } from "../transports/device/device-deps.ts";
import { DEVICE_TIMING } from "../transports/device/timing.ts";
import { EvolutionClient } from "../transports/gateway/evolution-client.ts";
import { openInstance } from "../transports/gateway/instance.ts";
import { INSTANCE_TIMING } from "../transports/gateway/instance-deps.ts";
import type { OpenTransport } from "../transports/transport.ts";

/** A login takes a second: 100 numbers of one account reconnect in seconds, with room for others. */
const LOGINS = { running: 40, runningOfAccount: 30, waitingOfAccount: 100_000 };

type SendingDeps = Pick<
  Needs,
  "queues" | "messages" | "groupNamed" | "outdated" | "receipts" | "messageKey" | "dataFolder" | "figures"
> & {
  config: Config;
  storage: Storage;
  clock: Clock;
  log: Logger;
  changes: Pick<Changes, "mark" | "publishAll">;
  instanceFetch: GuardedFetch;
  intake: Omit<Intake, "readElsewhere">;
};

/** Sending over devices and gateways, as the environment configures them. */
export function composeSending(deps: SendingDeps): Promise<Sending> {
  const { config, storage, clock, log, changes, instanceFetch, intake, ...lanesDeps } = deps;
  const { database, secrets } = storage;
  // Not scaled: a gateway is as slow in a test run as elsewhere.
  const { callMs, createMs } = INSTANCE_TIMING;
  return openSending({
    database,
    clock,
    log,
    ...lanesDeps,
    random: Math.random,
    open: {
      device: deviceWhenAsked(config.waVersion, {
        database,
        secrets,
        clock,
        log,
        random: Math.random,
        timing: scaled(DEVICE_TIMING, config.timeScale),
        logins: lanesDeps.queues.open({ name: "device_logins", ...LOGINS }),
      }),
      instance: openInstance({
        db: database.db,
        clock,
        log,
        guardedFetch: instanceFetch,
        random: Math.random,
        access: instanceAccess(database.db, secrets),
        noteProfile: noteProfile(database.db),
        timing: { ...scaled(INSTANCE_TIMING, config.timeScale), callMs, createMs },
      }),
    },
    changes,
    timeScale: config.timeScale,
    resend: config.resend,
    eventsProcessed: (accountId) => eventsProcessedCheck(database.db, accountId),
    oldestUnread: () => waitingByAccount(database.db),
    openBacklog: gatewayBacklogs({
      ...intake,
      db: database.db,
      clock,
      access: instanceAccess(database.db, secrets),
      clientOf: ({ baseUrl, apiKey, provided }) =>
        new EvolutionClient({
          guardedFetch: instanceFetch,
          baseUrl,
          apiKey,
          provided,
          now: () => clock.now(),
        }),
      backMs: GAP_TIMES.back,
    }),
  });
}

/** Loaded with the first device: Baileys takes 25 MB and a third of a second. */
function deviceWhenAsked(fixed: Config["waVersion"], deps: Omit<DeviceDeps, "waVersion">): OpenTransport {
  let loaded: Promise<OpenTransport> | null = null;
  async function load(): Promise<OpenTransport> {
    const [{ openDevice }, { loadWaVersion }] = await Promise.all([
      import("../transports/device/device.ts"),
      import("../transports/device/wa-version.ts"),
    ]);
    const { database, clock, log } = deps;
    return openDevice({ ...deps, waVersion: await loadWaVersion({ db: database.db, clock, log, fixed }) });
  }
  return async (host) => {
    loaded ??= load().catch((error: unknown) => {
      // The database may have been down; the next call retries.
      loaded = null;
      throw error;
    });
    return (await loaded)(host);
  };
}
