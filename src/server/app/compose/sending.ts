import type { Config } from "../../base/config.ts";
import { scaled } from "../../base/time-scale.ts";
import type { FileFetcher } from "../../chat/file-fetcher.ts";
import { groupNamer } from "../../chat/group-names.ts";
import type { Spool } from "../../contacts/spool.ts";
import type { ByteStore } from "../../files/byte-store.ts";
import { findOutgoing } from "../../files/repo.ts";
import { instanceAccess, noteProfile } from "../../gateways/access.ts";
import { gatewayBacklogs } from "../../gateways/backlog.ts";
import { GAP_TIMES } from "../../gateways/gap-check.ts";
import type { Intake } from "../../gateways/webhook-effects.ts";
import { eventsProcessedCheck, waitingByAccount } from "../../gateways/webhook-repo.ts";
import { type OpenGatewayBacklog, openSending, type Sending } from "../../sending/sending.ts";
import type { DeviceDeps } from "../../transports/device/device-deps.ts";
import { DEVICE_TIMING } from "../../transports/device/timing.ts";
import { EvolutionClient } from "../../transports/gateway/evolution-client.ts";
import { openInstance } from "../../transports/gateway/instance.ts";
import { INSTANCE_TIMING } from "../../transports/gateway/instance-deps.ts";
import type { OpenTransport } from "../../transports/transport.ts";
import type { Common } from "./common.ts";
import type { Fetches } from "./fetches.ts";
import type { ComposedIncoming } from "./incoming.ts";

/** A login takes a second: 100 numbers of one account reconnect in seconds, with room for others. */
const LOGINS = { running: 40, runningOfAccount: 30, waitingOfAccount: 100_000 };

type Parts = {
  fetches: Fetches;
  incoming: ComposedIncoming;
  spool: Spool;
  store: ByteStore;
  fetcher: FileFetcher;
};

/** Sending over devices and gateways, as the environment configures them. */
export function composeSending(
  common: Common,
  { fetches, incoming, spool, store, fetcher }: Parts,
): Promise<Sending> {
  const { config, database, clock, log, changes, queues, outdated } = common;
  const { messages, messageKey, phone, hidden, intake, settleKnownReceipts } = incoming;
  return openSending({
    database,
    clock,
    log,
    changes,
    queues,
    messages,
    messageKey,
    groupNamed: groupNamer({ db: database.db, changes }),
    fetchFiles: (at, transport) => fetcher.look(at, transport),
    receipts: { ...phone, hidden },
    figures: common.figures,
    ...(outdated ? { outdated } : {}),
    dataFolder: spool.folderId,
    random: Math.random,
    readFile: (db, id) => findOutgoing(db, id, store),
    open: transportsOf(common, fetches),
    timeScale: config.timeScale,
    resend: config.resend,
    plansNewNumbers: config.numberPlan === "recommended",
    eventsProcessed: (accountId) => eventsProcessedCheck(database.db, accountId),
    oldestUnread: () => waitingByAccount(database.db),
    openBacklog: backlogsOf(common, fetches, { ...intake, settleReceipts: settleKnownReceipts }),
  });
}

function transportsOf({ config, database, secrets, clock, log, queues }: Common, fetches: Fetches) {
  // Not scaled: a gateway is as slow in a test run as elsewhere.
  const { callMs, createMs } = INSTANCE_TIMING;
  return {
    device: deviceWhenAsked(config.waVersion, {
      database,
      secrets,
      clock,
      log,
      random: Math.random,
      timing: scaled(DEVICE_TIMING, config.timeScale),
      logins: queues.open({ name: "device_logins", ...LOGINS }),
    }),
    instance: openInstance({
      db: database.db,
      clock,
      log,
      guardedFetch: fetches.instance,
      random: Math.random,
      access: instanceAccess(database.db, secrets),
      noteProfile: noteProfile(database.db),
      timing: { ...scaled(INSTANCE_TIMING, config.timeScale), callMs, createMs },
    }),
  };
}

function backlogsOf(
  { database: { db }, secrets, clock }: Common,
  fetches: Fetches,
  intake: Omit<Intake, "readElsewhere">,
): OpenGatewayBacklog {
  return gatewayBacklogs({
    ...intake,
    db,
    clock,
    access: instanceAccess(db, secrets),
    clientOf: ({ baseUrl, apiKey, provided }) =>
      new EvolutionClient({
        guardedFetch: fetches.instance,
        baseUrl,
        apiKey,
        provided,
        now: () => clock.now(),
      }),
    backMs: GAP_TIMES.back,
  });
}

/** Loaded with the first device: Baileys takes 25 MB and a third of a second. */
function deviceWhenAsked(fixed: Config["waVersion"], deps: Omit<DeviceDeps, "waVersion">): OpenTransport {
  let loaded: Promise<OpenTransport> | null = null;
  async function load(): Promise<OpenTransport> {
    const [{ openDevice }, { loadWaVersion }] = await Promise.all([
      import("../../transports/device/device.ts"),
      import("../../transports/device/wa-version.ts"),
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
