import { sql } from "kysely";
import { RESTRICTIONS } from "../../../domain/campaign.ts";
import { callAfter } from "../../base/clock.ts";
import { Readiness } from "../readiness.ts";
import { Reporter } from "../reporter.ts";
import { FileError, type LaneHost, type LaneTransport, type OpenTransport } from "../transport.ts";
import { WorkTracker } from "../work-tracker.ts";
import { Acks } from "./acks.ts";
import { DeviceCalls } from "./calls.ts";
import type { DeviceDeps } from "./device-deps.ts";
import { DeviceKeys } from "./device-keys.ts";
import { fetchFile } from "./fetch-file.ts";
import { Link } from "./link.ts";
import { Messages } from "./messages.ts";
import { NewChatQuota } from "./new-chats.ts";
import { isPaired, pairingOf } from "./pairing.ts";
import type { AskedGroups } from "./prefetch.ts";
import { Receipts } from "./receipts.ts";
import { Screen, type Timelock, UNKNOWN_LOCK_MS } from "./screen.ts";
import { installShims } from "./shims.ts";
import { keepTimelock, keptTimelock, Timelocks } from "./timelock.ts";
import { DEVICE_TIMING, type DeviceTiming } from "./timing.ts";

/**
 * The lane owns the connection (id and fence in `host`); nothing connects before `connect()`. Throws only
 * when credentials cannot be read.
 */
export function openDevice(deps: DeviceDeps): OpenTransport {
  installShims();
  const timing = { ...DEVICE_TIMING, ...deps.timing };
  return async (host) => {
    const log = deps.log.child({ connectionId: host.connectionId });
    const seen = await lastSeen(deps.database, host.connectionId);
    return new Device({ ...deps, log }, timing, host, seen).open();
  };
}

/** The parts of one device and what they report to each other. */
class Device {
  readonly #deps: DeviceDeps;
  readonly #timing: DeviceTiming;
  readonly #host: LaneHost;
  readonly #seen: Seen;
  readonly #wire = new WorkTracker();
  readonly #readiness: Readiness;
  readonly #keys: DeviceKeys;
  readonly #screen: Screen;
  readonly #acks: Acks;
  readonly #receipts: Receipts;
  readonly #messages: Messages;
  readonly #newChats: NewChatQuota;
  #link: Link | null = null;

  constructor(deps: DeviceDeps, timing: DeviceTiming, host: LaneHost, seen: Seen) {
    this.#deps = deps;
    this.#timing = timing;
    this.#host = host;
    this.#seen = seen;
    this.#readiness = new Readiness(deps.clock);
    this.#keys = this.#makeKeys();
    this.#screen = this.#makeScreen();
    this.#acks = this.#makeAcks();
    this.#receipts = this.#makeReceipts();
    this.#newChats = this.#makeNewChats();
    this.#messages = new Messages({
      host,
      log: deps.log,
      keyFailures: () => this.#keys.failures(),
      batchMs: timing.receiptBatchMs,
      retryMs: timing.receiptRetryMs,
    });
  }

  async open(): Promise<LaneTransport> {
    const stored = await this.#keys.loadCreds();
    const { clock, log } = this.#deps;
    const parts: LinkedParts = {
      device: this.#deps,
      timing: this.#timing,
      host: this.#host,
      acks: this.#acks,
      screen: this.#screen,
      timelocks: new Timelocks({ screen: this.#screen, clock, log }),
      newChats: this.#newChats,
      groups: new Map(),
    };
    const link = new Link({
      ...parts,
      keys: this.#keys,
      stored,
      receipts: this.#receipts,
      messages: this.#messages,
      lastSeen: () => lastSeen(this.#deps.database, this.#host.connectionId),
      onReady: (ready) => {
        this.#readiness.set(ready);
        this.#newChats.follow(ready);
      },
    });
    this.#link = link;
    if (!isPaired(link.creds())) this.#screen.forgetNewChats();
    // A restriction must survive a restart.
    const kept = keptTimelock(stored);
    this.#screen.timelock(kept === undefined ? lockOf(this.#seen) : kept);
    return this.#transport(link, new DeviceCalls({ ...parts, link, wire: this.#wire }));
  }

  #transport(link: Link, calls: DeviceCalls): LaneTransport {
    return {
      takesOurIds: true,
      slots: 1,
      pairing: () => pairingOf(link.creds()),
      ready: () => this.#readiness.isReady,
      readyFor: () => this.#readiness.readyFor(),
      onReady: (listener) => this.#readiness.listen(listener),
      connect: () => link.connect(),
      logout: () => link.logout(),
      requestPairingCode: () => link.requestPairingCode(),
      holds: (why, now) => this.#screen.holds(why, now),
      typing: (jid, ms) => typing(link, jid, ms),
      groupSubject: async (jid) => {
        const sock = this.#host.mayAct() ? link.open() : null;
        return sock ? (await sock.groupMetadata(jid)).subject : null;
      },
      fetchFile: async (wanted) => {
        const sock = this.#host.mayAct() ? link.open() : null;
        if (!sock) throw new FileError("unreachable", "not connected");
        const { fileSilenceMs: silenceMs, filePhoneMs: phoneMs } = this.#timing;
        return fetchFile(sock, wanted, { silenceMs, phoneMs });
      },
      coldWaitsUntil: () => calls.coldWaitsUntil(),
      campaignBegins: () => this.#newChats.ask(),
      lookup: (phone, isWarm) => calls.lookup(phone, isWarm),
      upload: (image) => calls.upload(image),
      lasts: (media) => calls.lasts(media),
      send: (message) => calls.send(message),
      close: () => this.#close(link),
    };
  }

  async #close(link: Link): Promise<void> {
    await this.#wire.idle(this.#timing.closeGraceMs);
    await link.close();
    await this.#receipts.close();
    await this.#messages.close();
    await this.#screen.close();
    await this.#keys.close();
  }

  #giveUp(): void {
    const { log } = this.#deps;
    this.#host.lost();
    this.#link?.close().catch((error: unknown) => log.warn({ err: error }, "socket not ended"));
  }

  #makeKeys(): DeviceKeys {
    const { database, secrets, log } = this.#deps;
    const { connectionId, fence } = this.#host;
    return new DeviceKeys({
      database,
      secrets,
      log,
      connectionId,
      fence,
      onFenceLost: () => this.#giveUp(),
    });
  }

  #makeScreen(): Screen {
    const { clock, log } = this.#deps;
    return new Screen({
      trouble: outageOf(this.#seen),
      reporter: new Reporter(this.#host, log, () => this.#giveUp()),
      clock,
      deviceId: this.#host.deviceId,
      qrMs: this.#timing.qrMs,
      unlocked: () => this.#readiness.notify(),
      locked: (lock) => this.#keepLock(lock),
    });
  }

  #makeNewChats(): NewChatQuota {
    const { clock, log } = this.#deps;
    return new NewChatQuota({
      open: () => this.#link?.open() ?? null,
      screen: this.#screen,
      clock,
      after: callAfter,
      everyMs: this.#timing.newChatsMs,
      log,
    });
  }

  #makeAcks(): Acks {
    return new Acks({
      timeoutMs: this.#timing.ackTimeoutMs,
      now: () => this.#deps.clock.now(),
      late: ({ messageId, code, at }) =>
        this.#receipts.add(
          code ? { messageId, status: "error", code, at } : { messageId, status: "accepted", at },
        ),
    });
  }

  #makeReceipts(): Receipts {
    return new Receipts({
      host: this.#host,
      log: this.#deps.log,
      now: () => this.#deps.clock.now(),
      // A receipt proves a message whose ack was lost; otherwise the lane would wait until its time limit.
      heard: ({ messageId, at }) => this.#acks.proven(messageId, at),
      batchMs: this.#timing.receiptBatchMs,
      retryMs: this.#timing.receiptRetryMs,
    });
  }

  #keepLock(lock: Timelock | null): void {
    const creds = this.#link?.creds();
    if (!creds || !isPaired(creds)) return;
    keepTimelock(creds, lock);
    this.#keys.saveCreds(creds);
  }
}

/** What the link and the calls have in common. */
type LinkedParts = {
  device: DeviceDeps;
  timing: DeviceTiming;
  host: LaneHost;
  acks: Acks;
  screen: Screen;
  timelocks: Timelocks;
  newChats: NewChatQuota;
  groups: AskedGroups;
};

async function typing(link: Link, jid: string, ms: number): Promise<void> {
  const sock = link.open();
  if (!sock) return;
  await sock.sendPresenceUpdate("composing", jid);
  // WhatsApp ends the typing state itself later.
  setTimeout(() => void sock.sendPresenceUpdate("paused", jid).catch(() => undefined), ms).unref();
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
