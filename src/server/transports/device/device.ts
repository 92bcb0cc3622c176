import { sql } from "kysely";
import { RESTRICTIONS } from "../../../domain/campaign.ts";
import { makeReadiness } from "../readiness.ts";
import { makeReporter } from "../reporter.ts";
import { trackWork } from "../track-work.ts";
import type { OpenTransport } from "../transport.ts";
import { trackAcks } from "./acks.ts";
import { calls } from "./calls.ts";
import type { DeviceDeps } from "./device-deps.ts";
import { openDeviceKeys } from "./device-keys.ts";
import { type Link, makeLink } from "./link.ts";
import { trackMessages } from "./messages.ts";
import { isPaired, pairingOf } from "./pairing.ts";
import type { AskedGroups } from "./prefetch.ts";
import { trackReceipts } from "./receipts.ts";
import { makeScreen, type Timelock, UNKNOWN_LOCK_MS } from "./screen.ts";
import { installShims } from "./shims.ts";
import { followTimelock, keepTimelock, keptTimelock } from "./timelock.ts";
import { DEVICE_TIMING } from "./timing.ts";

/**
 * The lane owns the connection (id and fence in `host`); nothing connects before `connect()`. Throws only
 * when credentials cannot be read.
 */
export function openDevice(deps: DeviceDeps): OpenTransport {
  installShims();
  const timing = { ...DEVICE_TIMING, ...deps.timing };
  return async (host) => {
    const { database, secrets, clock } = deps;
    const log = deps.log.child({ connectionId: host.connectionId });
    const device = { ...deps, log };
    const parts: { link: Link | null } = { link: null };
    const giveUp = () => {
      host.lost();
      parts.link?.end().catch((error: unknown) => log.warn({ err: error }, "socket not ended"));
    };
    const keys = openDeviceKeys({
      database,
      secrets,
      log,
      connectionId: host.connectionId,
      fence: host.fence,
      onFenceLost: giveUp,
    });
    const now = () => clock.now();
    const reporter = makeReporter(host, log, giveUp);
    const readiness = makeReadiness(clock);
    const seen = await lastSeen(database, host.connectionId);
    const screen = makeScreen({
      trouble: outageOf(seen),
      ...{ reporter, clock, deviceId: host.deviceId, qrMs: timing.qrMs },
      unlocked: readiness.tell,
      locked: (lock) => {
        const creds = parts.link?.creds();
        if (!creds || !isPaired(creds)) return;
        keepTimelock(creds, lock);
        keys.saveCreds(creds);
      },
    });
    const timelocks = followTimelock({ screen, clock, log });
    const receipts = trackReceipts({
      host,
      log,
      now,
      // A receipt proves a message whose ack was lost; otherwise the lane would wait until its time limit.
      heard: ({ messageId, at }) => acks.proven(messageId, at),
      batchMs: timing.receiptBatchMs,
      retryMs: timing.receiptRetryMs,
    });
    const messages = trackMessages({
      host,
      log,
      keyFailures: keys.failures,
      batchMs: timing.receiptBatchMs,
      retryMs: timing.receiptRetryMs,
    });
    const acks = trackAcks({
      timeoutMs: timing.ackTimeoutMs,
      now,
      late: ({ messageId, code, at }) =>
        receipts.add(code ? { messageId, status: "error", code, at } : { messageId, status: "accepted", at }),
    });
    const groups: AskedGroups = new Map();
    const stored = await keys.loadCreds();
    const link = makeLink({
      device,
      timing,
      host,
      keys,
      stored,
      acks,
      receipts,
      messages,
      screen,
      timelocks,
      groups,
      lastSeen: () => lastSeen(database, host.connectionId),
      onReady: readiness.set,
    });
    parts.link = link;
    // A restriction must survive a restart.
    const kept = keptTimelock(stored);
    screen.timelock(kept === undefined ? lockOf(seen) : kept);
    const wire = trackWork();

    const close = async (): Promise<void> => {
      await wire.idle(timing.closeGraceMs);
      await link.end();
      await receipts.close();
      await messages.close();
      await screen.close();
      await keys.close();
    };
    return {
      takesOurIds: true,
      slots: 1,
      pairing: () => pairingOf(link.creds()),
      ready: readiness.ready,
      readyFor: readiness.since,
      onReady: readiness.listen,
      connect: link.connect,
      logout: link.logout,
      requestPairingCode: link.requestPairingCode,
      holds: screen.holds,
      typing: async (jid, ms) => {
        const sock = link.open();
        if (!sock) return;
        await sock.sendPresenceUpdate("composing", jid);
        // WhatsApp ends the typing state itself later.
        setTimeout(() => void sock.sendPresenceUpdate("paused", jid).catch(() => undefined), ms).unref();
      },
      groupSubject: async (jid) => {
        const sock = host.mayAct() ? link.open() : null;
        return sock ? (await sock.groupMetadata(jid)).subject : null;
      },
      close,
      ...calls({ device, timing, host, link, acks, screen, timelocks, groups, wire }),
    };
  };
}

type Seen = { state: string; cause: string | null; until: Date | null; since: Date };

async function lastSeen(database: DeviceDeps["database"], connectionId: number): Promise<Seen> {
  const { rows } =
    await sql<Seen>`select state, state_reason as cause, state_reason_until as until, state_since as since
    from connection where id = ${connectionId}`.execute(database.db);
  return rows[0] ?? { state: "disconnected", cause: "disconnected_by_user", until: null, since: new Date(0) };
}

const OUTAGES = new Set(["network", "untrusted_server", "client_outdated"]);

/** An outage keeps its start time across restarts, until the cause changes. */
const outageOf = ({ state, cause }: Seen): string | null =>
  state === "connecting" && cause !== null && OUTAGES.has(cause) ? cause : null;

function lockOf({ cause, until, since }: Seen): Timelock | null {
  const restriction = RESTRICTIONS.find((one) => one === cause);
  if (!restriction) return null;
  const everybody = restriction === "replies_refused";
  return until
    ? { until, known: restriction === "timelocked", everybody }
    : { until: new Date(since.getTime() + UNKNOWN_LOCK_MS), known: false, everybody };
}
