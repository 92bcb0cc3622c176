import {
  type AuthenticationCreds,
  type ConnectionState as BaileysUpdate,
  initAuthCreds,
  makeWASocket,
  type WASocket,
} from "baileys";
import { backoffMs } from "../backoff.ts";
import type { LaneHost } from "../transport.ts";
import type { Acks } from "./acks.ts";
import { boundedCache, boundMappings } from "./bounded-cache.ts";
import { banEnd, type CloseAction, closeVerdict } from "./close-codes.ts";
import type { DeviceDeps } from "./device-deps.ts";
import type { DeviceKeys } from "./device-keys.ts";
import { codeOf, textOf } from "./errors.ts";
import { containFaults } from "./hand-over.ts";
import type { Messages } from "./messages.ts";
import { isPaired, PairingRefused, pairingOf, requestCode, watchQrCodes } from "./pairing.ts";
import type { AskedGroups } from "./prefetch.ts";
import { boundCatchUp, boundLogin, endRefusedUpgrade } from "./raw-socket.ts";
import type { Receipts } from "./receipts.ts";
import type { Screen } from "./screen.ts";
import { socketConfig } from "./socket-config.ts";
import { boundClosing, endSocket } from "./socket-end.ts";
import type { Timelocks } from "./timelock.ts";
import type { DeviceTiming } from "./timing.ts";

/** At most one socket, reopened after every loss until a reason to rest. */
export type Link = {
  /** Null unless logged in. */
  open(): WASocket | null;
  creds(): AuthenticationCreds;
  connect(): Promise<void>;
  requestPairingCode(): Promise<void>;
  logout(): Promise<void>;
  /** For good: ownership lost, or process stop. */
  end(): Promise<void>;
};

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
  groups: AskedGroups;
  /** Shows whether a person requested a connection since it came to rest. */
  lastSeen: () => Promise<{ state: string; cause: string | null }>;
  onReady: (ready: boolean) => void;
};

/** Only a person ends these: retrying is useless or harmful. */
const RESTING = new Set([
  "qr_expired",
  "logged_out",
  "banned",
  "temp_banned",
  "replaced",
  "disconnected_by_user",
  "key_lost",
]);
/** Also hold for a paired device. */
const RESTING_PAIRED = new Set(["banned", "temp_banned", "replaced"]);

/** 812 one-time keys plus sessions; about 3 MB per device. */
const CACHED_KEYS = 2_000;

/** After this long, the next loss restarts the back-off. */
const SOUND_MS = 60_000;

/** The kernel still delivers what a closed socket had written. */
const LATE_LOGIN_MS = 120_000;

/** Connecting and login each. */
const LOGIN_STEPS = 2;

export function makeLink(deps: LinkDeps): Link {
  const { device, timing, host, keys, acks, receipts, messages, screen, groups, lastSeen, onReady } = deps;
  const { clock, random, waVersion, log } = device;
  let keyCache = boundedCache(CACHED_KEYS);
  const retryCounts = boundedCache(1_000);
  let creds = deps.stored ?? initAuthCreds();
  let sock: WASocket | null = null;
  let isOpen = false;
  let caughtUp = false;
  let openedAt = 0;
  let failures = 0;
  let resting = false;
  let ended = false;
  /** A pending change ends in a socket or at rest; no other may start. */
  let busy = false;
  let asking = false;
  let codeWanted = false;
  let refreshed = false;
  let timer: NodeJS.Timeout | undefined;
  let callOffLimits = () => {};
  let waitingForTurn: AbortController | null = null;
  let endTurn = () => {};
  /** A login given up before WhatsApp answered. */
  let unansweredAt: number | null = null;

  function tellReady(): void {
    onReady(isOpen && caughtUp);
  }

  const isBusy = () => ended || busy || sock !== null || timer !== undefined || waitingForTurn !== null;

  function connectIn(delayMs: number): void {
    clearTimeout(timer);
    timer = setTimeout(start, delayMs);
  }

  function start(): void {
    timer = undefined;
    if (ended || sock || waitingForTurn) return;
    if (!host.mayAct()) {
      connectIn(timing.leasePauseMs);
      return;
    }
    resting = false;
    waVersion.refreshIfStale();
    screen.connecting();
    const turn = new AbortController();
    waitingForTurn = turn;
    const logInNow = () => (waitingForTurn === turn ? logIn() : Promise.resolve());
    device.logins.run(host.accountId, logInNow, turn.signal).catch((error: unknown) => {
      if (turn.signal.aborted) return;
      log.warn({ err: error }, "no login to WhatsApp");
      waitingForTurn = null;
      waitAfter("network");
    });
  }

  /**
   * Resolves when WhatsApp lets us in or shows a code, the socket is gone, or it blocks the queue too long.
   */
  function logIn(): Promise<void> {
    waitingForTurn = null;
    // The wait may have been longer than a lease.
    if (!host.mayAct()) {
      connectIn(timing.leasePauseMs);
      return Promise.resolve();
    }
    const over = Promise.withResolvers<void>();
    const limit = setTimeout(over.resolve, timing.loginTurnMs);
    endTurn = () => {
      clearTimeout(limit);
      over.resolve();
    };
    openSocket();
    return over.promise;
  }

  function openSocket(): void {
    const current = makeSocket();
    sock = current;
    const giveUp = (why: string) => {
      if (sock !== current) return;
      onClose(new Error(why));
      abandon(current);
    };
    const limit = LOGIN_STEPS * timing.connectTimeoutMs;
    const callOffLogin = boundLogin(current, limit, () => host.mayAct(), {
      unanswered: () => {
        unansweredAt = clock.monotonic();
        giveUp("no answer to the login");
      },
      notOurs: () => giveUp("not certainly ours at the login"),
    });
    current.ws.once("CB:success", endTurn);
    current.ws.once("CB:iq,type:set,pair-device", endTurn);
    const own = creds;
    current.ev.on("creds.update", () => {
      if (sock === current && isPaired(own)) keys.saveCreds(own);
    });
    current.ev.on("connection.update", (update) => {
      if (sock === current) onUpdate(current, update);
    });
    watchQrCodes(current, own, (qr, fresh) => {
      if (sock === current) onQr(current, qr, fresh);
    });
    acks.listen(current);
    receipts.listen(current);
    messages.listen(current);
    const callOffCatchUp = boundCatchUp(current, timing.catchUpMs, () =>
      giveUp("pending stanzas not reported"),
    );
    callOffLimits = () => {
      callOffLogin();
      callOffCatchUp();
    };
  }

  function makeSocket(): WASocket {
    const made = makeWASocket(
      socketConfig({
        creds,
        keys: keys.ofPairing(),
        keyCache,
        retryCounts,
        version: waVersion.current(),
        timing,
        host,
        groups,
        log,
      }),
    );
    containFaults(made, log);
    endRefusedUpgrade(made, log);
    boundClosing(made, timing.closeGraceMs);
    boundMappings(made);
    return made;
  }

  function onUpdate(current: WASocket, update: Partial<BaileysUpdate>): void {
    if (update.isNewLogin) screen.linked();
    if (update.reachoutTimeLock) deps.timelocks.reported(current, update.reachoutTimeLock);
    if (update.connection === "open") {
      isOpen = true;
      openedAt = clock.monotonic();
      refreshed = false;
      screen.connected(pairingOf(creds), creds.me?.id ?? "");
    }
    if (update.receivedPendingNotifications === true) {
      // Unstored receipts cannot settle a doubt, and unstored replies cannot stop messages to people who opt
      // out.
      receipts.whenStored(() =>
        messages.whenStored(() => {
          if (sock !== current) return;
          caughtUp = true;
          tellReady();
        }),
      );
    }
    if (update.connection === "open") tellReady();
    if (update.connection === "close") onClose(update.lastDisconnect?.error);
  }

  function onQr(current: WASocket, qr: string, fresh: boolean): void {
    screen.qr(qr, fresh);
    if (codeWanted) void showCode(current);
  }

  async function showCode(current: WASocket): Promise<void> {
    codeWanted = false;
    try {
      const code = await requestCode(current, host.deviceId, timing.pairingAnswerMs);
      if (sock === current) screen.pairingCode(code);
    } catch (error) {
      if (sock !== current) return;
      log.info({ err: error }, "no pairing code");
      screen.refusedCode(error instanceof PairingRefused ? "pairing_refused" : "network");
      restartPairing();
    }
  }

  /** New credentials: after a pairing code request they name a phone. */
  function restartPairing(): void {
    const old = sock;
    leave();
    creds = initAuthCreds();
    connectIn(0);
    if (old) abandon(old);
  }

  function abandon(old: WASocket): void {
    endSocket(old).catch((error: unknown) => log.debug({ err: error }, "socket not ended"));
  }

  /** Later events of the socket are ignored. */
  function leave(): void {
    clearTimeout(timer);
    timer = undefined;
    callOffLimits();
    waitingForTurn?.abort();
    waitingForTurn = null;
    endTurn();
    sock = null;
    isOpen = false;
    caughtUp = false;
    acks.closeAll();
    tellReady();
  }

  function onClose(error: unknown): void {
    const lasted = isOpen ? clock.monotonic() - openedAt : 0;
    const { action, cause } = closeVerdict(codeOf(error), textOf(error));
    leave();
    if (ended) return;
    if (lasted >= SOUND_MS) failures = 0;
    if (!isPaired(creds)) creds = initAuthCreds();
    log.info({ cause, action }, "connection to WhatsApp closed");
    follow(action, cause, cause === "temp_banned" ? banEnd(error, clock.now()) : null);
  }

  function follow(action: CloseAction, cause: string, until: Date | null): void {
    switch (action) {
      case "again":
        // The first restart is normal in linking; a repeated one counts as failure.
        connectIn(failures === 0 ? 0 : backoffMs(failures, random, timing.backoffMs));
        failures += 1;
        break;
      case "wait":
        waitAfter(cause);
        break;
      case "outdated":
        void renewVersion(cause);
        break;
      case "forget":
        void forget(cause);
        break;
      case "replaced":
        // Replaced by our own late login: no one else uses it, and no person would know to look.
        if (unansweredAt !== null && clock.monotonic() - unansweredAt < LATE_LOGIN_MS) {
          unansweredAt = null;
          waitAfter("network");
          break;
        }
        ended = true;
        screen.atRest(cause);
        void screen.flush().then(() => host.lost());
        break;
      case "rest":
        resting = true;
        screen.atRest(cause, until);
    }
  }

  function waitAfter(cause: string): void {
    screen.waiting(cause);
    connectIn(backoffMs(failures++, random, timing.backoffMs));
  }

  async function renewVersion(cause: string): Promise<void> {
    busy = true;
    const changed = !refreshed && (await waVersion.refresh());
    busy = false;
    refreshed = true;
    if (ended) return;
    if (changed) {
      connectIn(0);
      return;
    }
    failures = timing.backoffMs.length;
    log.error("WhatsApp refuses this client's version");
    waitAfter(cause);
  }

  async function forget(cause: string): Promise<void> {
    resting = true;
    busy = true;
    codeWanted = false;
    creds = initAuthCreds();
    // The old socket may still write to its cache.
    keyCache = boundedCache(CACHED_KEYS);
    await keys
      .forget()
      .catch((error: unknown) => log.warn({ err: error }, "keys of an ended pairing not deleted"));
    screen.atRest(cause);
    // After the report at rest: before it, the number would be shown as connected.
    screen.timelock(null);
    busy = false;
    if (codeWanted && !ended) restartPairing();
  }

  return {
    open: () => (isOpen ? sock : null),
    creds: () => creds,
    connect: async () => {
      if (asking || isBusy()) return;
      asking = true;
      try {
        // Store our report before reading whether a person has changed the state.
        await screen.flush();
        const { state, cause } = await lastSeen();
        const rests = isPaired(creds) ? RESTING_PAIRED : RESTING;
        const atRest = state === "disconnected" && cause !== null && rests.has(cause);
        if (atRest || isBusy()) return;
        if (resting) failures = 0;
        start();
      } finally {
        asking = false;
      }
    },
    requestPairingCode: async () => {
      if (ended || isPaired(creds)) return;
      codeWanted = true;
      // A new socket gives the full time to type. A pending change opens one itself.
      if (!busy) restartPairing();
    },
    logout: async () => {
      const current = sock;
      const wasOpen = isOpen;
      busy = true;
      leave();
      if (current && wasOpen) await current.logout().catch(() => undefined);
      if (current) await endSocket(current);
      await forget("disconnected_by_user");
    },
    end: async () => {
      ended = true;
      const current = sock;
      leave();
      if (current) await endSocket(current);
      keyCache.flushAll();
    },
  };
}
