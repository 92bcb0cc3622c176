import { prepareWAMessageMedia, type WASocket } from "baileys";
import { sql } from "kysely";
import type { Logger } from "pino";
import type { Clock } from "../../../domain/clock.ts";
import type { Database } from "../../db/client.ts";
import type { Secrets } from "../../secrets.ts";
import {
  type LaneHost,
  type LaneTransport,
  type OpenTransport,
  type Outcome,
  type OutgoingImage,
  StopError,
} from "../transport.ts";
import { type Acks, trackAcks } from "./acks.ts";
import { baileysLog } from "./baileys-log.ts";
import { buildContent, packMedia, thumbnailOf } from "./content.ts";
import { openDeviceKeys } from "./device-keys.ts";
import { stopOf } from "./faults.ts";
import { type Link, makeLink } from "./link.ts";
import { lookUp } from "./lookup.ts";
import { pairingOf } from "./pairing.ts";
import { trackReceipts } from "./receipts.ts";
import { makeReporter } from "./reporter.ts";
import { makeScreen, type Screen } from "./screen.ts";
import { sendLetter } from "./send.ts";
import { installShims } from "./shims.ts";
import type { WaVersion } from "./wa-version.ts";

/** All in milliseconds. The defaults are what WhatsApp's clients do; tests shorten them. */
export type DeviceTiming = {
  /** How long a written message may stay without WhatsApp's answer before it is in doubt. */
  ackTimeoutMs: number;
  connectTimeoutMs: number;
  keepAliveMs: number;
  queryTimeoutMs: number;
  uploadTimeoutMs: number;
  /** Life of every QR code; null: WhatsApp's own, 60 s then 20 s. */
  qrMs: number | null;
  /** How long to wait for the refusal of a pairing code. */
  pairingAnswerMs: number;
  backoffMs: readonly number[];
  /** How soon to look again when the lease is not fresh enough to connect. */
  leasePauseMs: number;
  /** How long `close` waits for answers to what is on the wire, and for the closing handshake. */
  closeGraceMs: number;
  receiptBatchMs: number;
  receiptRetryMs: number;
};

export const DEVICE_TIMING: DeviceTiming = {
  ackTimeoutMs: 60_000,
  connectTimeoutMs: 20_000,
  keepAliveMs: 30_000,
  queryTimeoutMs: 30_000,
  uploadTimeoutMs: 60_000,
  qrMs: null,
  pairingAnswerMs: 3_000,
  backoffMs: [1_000, 2_000, 5_000, 10_000, 30_000, 60_000],
  leasePauseMs: 500,
  closeGraceMs: 5_000,
  receiptBatchMs: 50,
  receiptRetryMs: 2_000,
};

export type DeviceDeps = {
  database: Pick<Database, "db" | "prepared">;
  secrets: Secrets;
  clock: Clock;
  /** A number in [0, 1), for the spread of reconnections. */
  random: () => number;
  log: Logger;
  waVersion: WaVersion;
  timing?: Partial<DeviceTiming>;
};

/**
 * Opens WhatsApp devices on Baileys. The lane that opens one owns its connection (id and fence in `host`); nothing is connected
 * before `connect()`. Throws only when the stored credentials cannot be read.
 */
export function openDevice(deps: DeviceDeps): OpenTransport {
  installShims();
  const timing = { ...DEVICE_TIMING, ...deps.timing };
  return async (host) => {
    const { database, secrets, clock } = deps;
    const log = deps.log.child({ connectionId: host.connectionId });
    const device = { ...deps, log };
    // The link exists a moment later than those who may end it.
    const parts: { link: Link | null } = { link: null };
    const giveUp = () => {
      host.lost();
      void parts.link?.end();
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
    const screen = makeScreen({ reporter, clock, deviceId: host.deviceId, qrMs: timing.qrMs });
    const receipts = trackReceipts({
      host,
      log,
      now,
      batchMs: timing.receiptBatchMs,
      retryMs: timing.receiptRetryMs,
    });
    const acks = trackAcks({
      timeoutMs: timing.ackTimeoutMs,
      now,
      late: ({ messageId, code, at }) =>
        receipts.add(code ? { messageId, status: "error", code, at } : { messageId, status: "accepted", at }),
    });
    const readiness = makeReadiness(clock);
    const link = makeLink({
      device,
      timing,
      host,
      keys,
      stored: await keys.loadCreds(),
      acks,
      receipts,
      screen,
      lastSeen: () => lastSeen(database, host.connectionId),
      onReady: readiness.set,
    });
    parts.link = link;
    const wire = trackWork();

    const close = async (): Promise<void> => {
      await wire.idle(timing.closeGraceMs);
      await link.end();
      await receipts.close();
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
      close,
      ...calls({ device, timing, host, link, acks, screen, wire }),
    };
  };
}

async function lastSeen(database: DeviceDeps["database"], connectionId: number) {
  const { rows } = await sql<{ state: string; cause: string | null }>`
    select state, cause from connection where id = ${connectionId}`.execute(database.db);
  return rows[0] ?? { state: "disconnected", cause: "disconnected_by_user" };
}

function makeReadiness(clock: Clock) {
  const listeners = new Set<() => void>();
  let readyAt: number | null = null;
  return {
    ready: () => readyAt !== null,
    since: () => (readyAt === null ? 0 : clock.monotonic() - readyAt),
    listen: (listener: () => void) => {
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
      };
    },
    set: (ready: boolean) => {
      if (ready === (readyAt !== null)) return;
      readyAt = ready ? clock.monotonic() : null;
      for (const listener of listeners) listener();
    },
  };
}

/** Counts what is on the wire, so that closing can wait for it. */
function trackWork() {
  const running = new Set<Promise<unknown>>();
  return {
    async run<T>(work: () => Promise<T>): Promise<T> {
      const promise = work();
      running.add(promise);
      try {
        return await promise;
      } finally {
        running.delete(promise);
      }
    },
    async idle(limitMs: number): Promise<void> {
      let timer: NodeJS.Timeout | undefined;
      const limit = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, limitMs);
      });
      await Promise.race([Promise.allSettled([...running]), limit]);
      clearTimeout(timer);
    },
  };
}

type CallDeps = {
  device: DeviceDeps;
  timing: DeviceTiming;
  host: LaneHost;
  link: Link;
  acks: Acks;
  screen: Screen;
  wire: ReturnType<typeof trackWork>;
};

const NOT_CONNECTED = { kind: "stop", cause: "not_connected", retryAt: null } as const;

/** What a lane asks of an open device. */
function calls(deps: CallDeps): Pick<Required<LaneTransport>, "lookup" | "upload" | "send"> {
  const { device, timing, host, link, acks, wire } = deps;
  const { clock, log } = device;
  const now = () => clock.now();
  const usable = (): WASocket | null => (host.mayAct() ? link.open() : null);

  return {
    lookup: async (phone) => {
      const sock = usable();
      return sock ? wire.run(() => lookUp(sock, phone, now())) : NOT_CONNECTED;
    },
    upload: (image) =>
      wire.run(async () => {
        const sock = usable();
        if (!sock) throw new StopError("not_connected");
        try {
          return await uploadImage(sock, image, timing.uploadTimeoutMs, log);
        } catch (error) {
          log.warn({ err: error }, "image not uploaded");
          throw new StopError(
            link.open() ? (stopOf(error, now())?.cause ?? "upload_failed") : "not_connected",
          );
        }
      }),
    send: (message): Promise<Outcome> =>
      wire.run(async () => {
        const sock = usable();
        if (!sock) return NOT_CONNECTED;
        const content = buildContent(message, message.messageId, link.creds().advSecretKey);
        const timelockEnds = () => askTimelock(sock, deps.screen);
        return sendLetter(
          { sock, acks, now, log, timelockEnds },
          { jid: message.to.jid, messageId: message.messageId, content },
        );
      }),
  };
}

async function uploadImage(sock: WASocket, image: OutgoingImage, timeoutMs: number, log: Logger) {
  const jpegThumbnail = (await thumbnailOf(image)).toString("base64");
  const message = await prepareWAMessageMedia(
    {
      image: Buffer.from(image.bytes),
      mimetype: image.mime,
      width: image.width,
      height: image.height,
      jpegThumbnail,
    },
    { upload: sock.waUploadToServer, logger: baileysLog(log), mediaUploadTimeoutMs: timeoutMs },
  );
  return packMedia(message);
}

/** Baileys never asks by itself after a refusal 463 (its branch cannot be reached), and the end is what a lane must wait for. */
async function askTimelock(sock: WASocket, screen: Screen): Promise<Date | null> {
  const known = screen.timelockedUntil();
  if (known) return known;
  try {
    const lock = await sock.fetchAccountReachoutTimelock();
    return lock.isActive ? (lock.timeEnforcementEnds ?? null) : null;
  } catch {
    return null;
  }
}
