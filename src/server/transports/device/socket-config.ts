import {
  type AuthenticationCreds,
  Browsers,
  type CacheStore,
  makeCacheableSignalKeyStore,
  type makeWASocket,
  type SignalKeyStore,
  type WAVersion,
} from "baileys";
import type { Logger } from "pino";
import type { LaneHost } from "../transport.ts";
import { baileysLog } from "./baileys-log.ts";
import { buildContent, sidesOf } from "./content.ts";
import { isIgnored } from "./ignored.ts";
import { pairingOf } from "./pairing.ts";
import type { AskedGroups } from "./prefetch.ts";
import type { DeviceTiming } from "./timing.ts";

type SocketParts = {
  creds: AuthenticationCreds;
  keys: SignalKeyStore;
  keyCache: CacheStore;
  retryCounts: CacheStore;
  version: WAVersion;
  timing: DeviceTiming;
  host: LaneHost;
  groups: AskedGroups;
  log: Logger;
};

/** The address of WhatsApp is Baileys' default: no setting of the product changes it. */
export function socketConfig(parts: SocketParts): Parameters<typeof makeWASocket>[0] {
  const { creds, keys, keyCache, retryCounts, version, timing, host, groups, log } = parts;
  const logger = baileysLog(log);
  return {
    auth: { creds, keys: makeCacheableSignalKeyStore(keys, logger, keyCache) },
    logger,
    version,
    browser: Browsers.macOS("Chrome"),
    // When online, the person's phone would stop notifying.
    markOnlineOnConnect: false,
    syncFullHistory: false,
    // With true, the event of our own message hides a refusal that arrives within 100 ms of the send.
    emitOwnEvents: false,
    fireInitQueries: true,
    countryCode: "BR",
    connectTimeoutMs: timing.connectTimeoutMs,
    keepAliveIntervalMs: timing.keepAliveMs,
    defaultQueryTimeoutMs: timing.queryTimeoutMs,
    ...(timing.qrMs === null ? {} : { qrTimeout: timing.qrMs }),
    // The frame is sent before keys are stored; Baileys' ten tries of 3 s would block the account that long.
    transactionOpts: { maxCommitRetries: 3, delayBetweenTriesMs: 200 },
    msgRetryCounterCache: retryCounts,
    shouldIgnoreJid: isIgnored,
    cachedGroupMetadata: async (jid) => groups.get(jid),
    getMessage: async ({ id, remoteJid }) => {
      const content = id ? await host.contentOf(id, pairingOf(creds)) : null;
      return id && content
        ? buildContent(content, id, creds.advSecretKey, sidesOf(creds.me, remoteJid ?? ""))
        : undefined;
    },
  };
}
