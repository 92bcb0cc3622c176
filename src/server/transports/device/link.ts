import {
  type AuthenticationCreds,
  type ConnectionState as BaileysUpdate,
  initAuthCreds,
  type WASocket,
} from "baileys";
import type { LaneHost } from "../transport.ts";
import type { Acks } from "./acks.ts";
import { isAtRest } from "./at-rest.ts";
import { boundedCache } from "./bounded-cache.ts";
import { banEnd, type CloseAction, closeVerdict } from "./close-codes.ts";
import type { DeviceDeps } from "./device-deps.ts";
import type { DeviceKeys } from "./device-keys.ts";
import { DeviceSocket } from "./device-socket.ts";
import { codeOf, textOf } from "./errors.ts";
import { LoginTurn } from "./login-turn.ts";
import type { Messages } from "./messages.ts";
import type { NewChatQuota } from "./new-chats.ts";
import { NextAttempt } from "./next-attempt.ts";
import { isPaired, PairingRefused, pairingOf, requestCode } from "./pairing.ts";
import type { AskedGroups } from "./prefetch.ts";
import type { Receipts } from "./receipts.ts";
import type { Screen } from "./screen.ts";
import { socketConfig } from "./socket-config.ts";
import { endSocket } from "./socket-end.ts";
import type { Timelocks } from "./timelock.ts";
import type { DeviceTiming } from "./timing.ts";

type LinkDeps = {
  device: DeviceDeps;
  timing: DeviceTiming;
  host: LaneHost;
  keys: DeviceKeys;
  stored: AuthenticationCreds | null;
  acks: Acks;
  receipts: Receipts;
  messages: Messages;
  screen: Screen;
  timelocks: Timelocks;
  newChats: NewChatQuota;
  groups: AskedGroups;
  /** Shows whether a person requested a connection since it came to rest. */
  lastSeen: () => Promise<{ state: string; cause: string | null }>;
  onReady: (ready: boolean) => void;
};

/** 812 one-time keys plus sessions; about 3 MB per device. */
const CACHED_KEYS = 2_000;

/** After this long, the next loss restarts the back-off. */
const SOUND_MS = 60_000;

/** The kernel still delivers what a closed socket had written. */
const LATE_LOGIN_MS = 120_000;

/** At most one socket, reopened after every loss until a reason to rest. */
export class Link {
  readonly #deps: LinkDeps;
  readonly #retryCounts = boundedCache(1_000);
  #keyCache = boundedCache(CACHED_KEYS);
  readonly #turn: LoginTurn;
  readonly #next: NextAttempt;
  #creds: AuthenticationCreds;
  #socket: DeviceSocket | null = null;
  #resting = false;
  #closed = false;
  /** A pending change ends in a socket or at rest; no other may start. */
  #busy = false;
  #asking = false;
  #codeWanted = false;
  #versionRefreshed = false;
  #unansweredAt: number | null = null;

  constructor(deps: LinkDeps) {
    this.#deps = deps;
    this.#creds = deps.stored ?? initAuthCreds();
    this.#turn = new LoginTurn(deps);
    this.#next = new NextAttempt(() => this.#start(), deps.device.random, deps.timing.backoffMs);
  }

  open(): WASocket | null {
    return this.#socket?.isOpen ? this.#socket.sock : null;
  }

  creds(): AuthenticationCreds {
    return this.#creds;
  }

  async connect(): Promise<void> {
    if (this.#asking || this.#isBusy()) return;
    this.#asking = true;
    try {
      // Store our report before reading whether a person has changed the state.
      await this.#deps.screen.flush();
      const atRest = isAtRest(await this.#deps.lastSeen(), isPaired(this.#creds));
      if (atRest || this.#isBusy()) return;
      if (this.#resting) this.#next.forgetFailures();
      this.#start();
    } finally {
      this.#asking = false;
    }
  }

  async requestPairingCode(): Promise<void> {
    if (this.#closed || isPaired(this.#creds)) return;
    this.#codeWanted = true;
    // A new socket gives the full time to type. A pending change opens one itself.
    if (!this.#busy) this.#restartPairing();
  }

  async logout(): Promise<void> {
    const current = this.#socket?.sock ?? null;
    const wasOpen = this.#socket?.isOpen === true;
    this.#busy = true;
    this.#leave();
    if (current && wasOpen) await current.logout().catch(() => undefined);
    if (current) await endSocket(current);
    await this.#forget("disconnected_by_user");
  }

  async close(): Promise<void> {
    this.#closed = true;
    const current = this.#socket;
    this.#leave();
    if (current) await endSocket(current.sock);
    this.#keyCache.flushAll();
  }

  #isBusy(): boolean {
    return (
      this.#closed || this.#busy || this.#socket !== null || this.#next.isPlanned || this.#turn.isAwaited
    );
  }

  #start(): void {
    const { device, timing, host, screen } = this.#deps;
    if (this.#closed || this.#socket || this.#turn.isAwaited) return;
    if (!host.mayAct()) {
      this.#next.in(timing.leasePauseMs);
      return;
    }
    this.#resting = false;
    device.waVersion.refreshIfStale();
    screen.connecting();
    this.#turn.wait(
      (end) => this.#logIn(end),
      () => this.#waitAfter("network"),
    );
  }

  #logIn(endTurn: () => void): void {
    const { host, timing } = this.#deps;
    if (host.mayAct()) {
      this.#openSocket(endTurn);
      return;
    }
    this.#next.in(timing.leasePauseMs);
    endTurn();
  }

  #openSocket(endTurn: () => void): void {
    const { device, timing, host, keys, acks, receipts, messages, newChats, groups } = this.#deps;
    const creds = this.#creds;
    const config = socketConfig({
      creds,
      keys: keys.ofPairing(),
      keyCache: this.#keyCache,
      retryCounts: this.#retryCounts,
      version: device.waVersion.current(),
      timing,
      host,
      groups,
      log: device.log,
    });
    const current = new DeviceSocket({ config, creds, timing, host, clock: device.clock, log: device.log });
    this.#socket = current;
    current.listen([acks, receipts, messages, newChats], {
      answered: endTurn,
      unanswered: () => {
        this.#unansweredAt = device.clock.monotonic();
      },
      credsChanged: () => {
        if (isPaired(creds)) keys.saveCreds(creds);
      },
      update: (update) => this.#onUpdate(current, update),
      qr: (qr, fresh) => this.#onQr(current, qr, fresh),
      gaveUp: (error) => {
        this.#onClose(error);
        this.#abandon(current);
      },
    });
  }

  #onUpdate(current: DeviceSocket, update: Partial<BaileysUpdate>): void {
    const { screen, timelocks } = this.#deps;
    if (update.isNewLogin) screen.linked();
    if (update.reachoutTimeLock) timelocks.reported(current.sock, update.reachoutTimeLock);
    if (update.connection === "open") {
      current.opened();
      this.#versionRefreshed = false;
      screen.connected(pairingOf(this.#creds), this.#creds.me?.id ?? "");
    }
    if (update.receivedPendingNotifications === true) this.#awaitStored(current);
    if (update.connection === "open") this.#reportReady();
    if (update.connection === "close") this.#onClose(update.lastDisconnect?.error);
  }

  /**
   * Unstored receipts cannot settle a doubt, and unstored replies cannot stop messages to people who opt out.
   */
  #awaitStored(current: DeviceSocket): void {
    const { receipts, messages } = this.#deps;
    receipts.whenStored(() =>
      messages.whenStored(() => {
        if (this.#socket !== current) return;
        current.caughtUp = true;
        this.#reportReady();
      }),
    );
  }

  #reportReady(): void {
    this.#deps.onReady(this.#socket?.isOpen === true && this.#socket.caughtUp);
  }

  #onQr(current: DeviceSocket, qr: string, fresh: boolean): void {
    this.#deps.screen.qr(qr, fresh);
    if (this.#codeWanted) void this.#showCode(current);
  }

  async #showCode(current: DeviceSocket): Promise<void> {
    const { device, timing, host, screen } = this.#deps;
    this.#codeWanted = false;
    try {
      const code = await requestCode(current.sock, host.deviceId, timing.pairingAnswerMs);
      if (this.#socket === current) screen.pairingCode(code);
    } catch (error) {
      if (this.#socket !== current) return;
      device.log.info({ err: error }, "no pairing code");
      screen.refusedCode(error instanceof PairingRefused ? "pairing_refused" : "network");
      this.#restartPairing();
    }
  }

  /** New credentials: after a pairing code request they name a phone. */
  #restartPairing(): void {
    const old = this.#socket;
    this.#leave();
    this.#creds = initAuthCreds();
    this.#next.in(0);
    if (old) this.#abandon(old);
  }

  #abandon({ sock }: DeviceSocket): void {
    const { log } = this.#deps.device;
    endSocket(sock).catch((error: unknown) => log.debug({ err: error }, "socket not ended"));
  }

  #leave(): void {
    this.#next.cancel();
    this.#socket?.leave();
    this.#turn.leave();
    this.#socket = null;
    this.#deps.acks.closeAll();
    this.#reportReady();
  }

  #onClose(error: unknown): void {
    const { clock, log } = this.#deps.device;
    const lasted = this.#socket?.openFor() ?? 0;
    const { action, cause } = closeVerdict(codeOf(error), textOf(error));
    this.#leave();
    if (this.#closed) return;
    if (lasted >= SOUND_MS) this.#next.forgetFailures();
    if (!isPaired(this.#creds)) this.#creds = initAuthCreds();
    log.info({ cause, action }, "connection to WhatsApp closed");
    this.#follow(action, cause, cause === "temp_banned" ? banEnd(error, clock.now()) : null);
  }

  #follow(action: CloseAction, cause: string, until: Date | null): void {
    switch (action) {
      case "again":
        // The first restart is normal in linking; a repeated one counts as failure.
        this.#next.afterRestart();
        break;
      case "wait":
        this.#waitAfter(cause);
        break;
      case "outdated":
        void this.#renewVersion(cause);
        break;
      case "forget":
        void this.#forget(cause);
        break;
      case "replaced":
        this.#onReplaced(cause);
        break;
      case "rest":
        this.#resting = true;
        this.#deps.screen.atRest(cause, until);
    }
  }

  #onReplaced(cause: string): void {
    const { device, host, screen } = this.#deps;
    // Replaced by our own late login: no one else uses it, and no person would know to look.
    if (this.#unansweredAt !== null && device.clock.monotonic() - this.#unansweredAt < LATE_LOGIN_MS) {
      this.#unansweredAt = null;
      this.#waitAfter("network");
      return;
    }
    this.#closed = true;
    screen.atRest(cause);
    void screen.flush().then(() => host.lost());
  }

  #waitAfter(cause: string): void {
    this.#deps.screen.waiting(cause);
    this.#next.afterFailure();
  }

  async #renewVersion(cause: string): Promise<void> {
    const { device } = this.#deps;
    this.#busy = true;
    const changed = !this.#versionRefreshed && (await device.waVersion.refresh());
    this.#busy = false;
    this.#versionRefreshed = true;
    if (this.#closed) return;
    if (changed) {
      this.#next.in(0);
      return;
    }
    this.#next.slowDown();
    device.log.error("WhatsApp refuses this client's version");
    this.#waitAfter(cause);
  }

  async #forget(cause: string): Promise<void> {
    const { device, keys, screen } = this.#deps;
    this.#resting = true;
    this.#busy = true;
    this.#codeWanted = false;
    this.#creds = initAuthCreds();
    // The old socket may still write to its cache.
    this.#keyCache = boundedCache(CACHED_KEYS);
    await keys
      .forget()
      .catch((error: unknown) => device.log.warn({ err: error }, "keys of an ended pairing not deleted"));
    screen.forgetNewChats();
    screen.atRest(cause);
    // After the report at rest: before it, the number would be shown as connected.
    screen.timelock(null);
    this.#busy = false;
    if (this.#codeWanted && !this.#closed) this.#restartPairing();
  }
}
