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

/** The life of one device's connection: at most one socket at a time, made again after every loss until a reason to rest. */
export type Link = {
  /** The socket while WhatsApp has let us in, else null. */
  open(): WASocket | null;
  creds(): AuthenticationCreds;
  connect(): Promise<void>;
  requestPairingCode(): Promise<void>;
  logout(): Promise<void>;
  /** Ends the socket for good: the ownership is gone or the process stops. */
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
  /** What the database last said of this connection: whether a person asked anew since it came to rest. */
  lastSeen: () => Promise<{ state: string; cause: string | null }>;
  onReady: (ready: boolean) => void;
};

/** Causes that only a person ends: nothing is gained by trying again, or trying does harm. */
const RESTING = new Set([
  "qr_expired",
  "logged_out",
  "banned",
  "temp_banned",
  "replaced",
  "disconnected_by_user",
  "key_lost",
]);
/** Of these, the ones that hold even for a device with a pairing. */
const RESTING_PAIRED = new Set(["banned", "temp_banned", "replaced"]);

/** Its 812 one-time keys and the sessions in use; about 3 MB a device. */
const CACHED_KEYS = 2_000;

/** A connection that lasted this long was sound: the next loss starts the back-off anew. */
const SOUND_MS = 60_000;

/** A login that was given up may still arrive, for so long: the kernel goes on bringing what a socket had written after it is closed. */
const LATE_LOGIN_MS = 120_000;

/** To connect and to log in may each take the time that connecting may. */
const LOGIN_STEPS = 2;

/** Follows one connection by the rules of close-codes.ts. */
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
  /** A change is under way that ends in a socket or at rest by itself: nobody else may start one. */
  let busy = false;
  let asking = false;
  let codeWanted = false;
  let refreshed = false;
  let timer: NodeJS.Timeout | undefined;
  let callOffLimits = () => {};
  /** Its turn to log in has not come yet. */
  let waitingForTurn: AbortController | null = null;
  let endTurn = () => {};
  /** When a login of ours was given up that WhatsApp had not answered. */
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

  /** Resolves when the turn is over: WhatsApp has let us in or shows a code, the socket is gone, or it takes too long to keep others waiting. */
  function logIn(): Promise<void> {
    waitingForTurn = null;
    // It may have waited for longer than a lease lasts.
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
    const callOffCatchUp = boundCatchUp(current, timing.catchUpMs, () => giveUp("not told what waited"));
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
    if (update.reachoutTimeLock) deps.timelocks.told(current, update.reachoutTimeLock);
    if (update.connection === "open") {
      isOpen = true;
      openedAt = clock.monotonic();
      refreshed = false;
      screen.connected(pairingOf(creds), creds.me?.id ?? "");
    }
    if (update.receivedPendingNotifications === true) {
      // Before they are stored, the receipts among them could not yet settle a doubt, nor a reply stop what it asks to be spared.
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
      beginAnew();
    }
  }

  /** Another socket with credentials that nobody has seen: those that were asked a code for name a phone. */
  function beginAnew(): void {
    const old = sock;
    leave();
    creds = initAuthCreds();
    connectIn(0);
    if (old) abandon(old);
  }

  function abandon(old: WASocket): void {
    endSocket(old).catch((error: unknown) => log.debug({ err: error }, "socket not ended"));
  }

  /** Takes the socket out of service; what it still says is not heard. */
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
        // Once without a pause: it is how linking goes on. A server that repeats it is treated as a failing one.
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
        // By ourselves: nobody else is linked with it, and nobody would think of looking.
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
    // A new one: what the old socket still puts into its cache must not reach the next pairing.
    keyCache = boundedCache(CACHED_KEYS);
    await keys
      .forget()
      .catch((error: unknown) => log.warn({ err: error }, "keys of an ended pairing not deleted"));
    screen.atRest(cause);
    // It belonged to the number that was linked; the next one may be another. Not before: that number would be said to be connected.
    screen.timelock(null);
    busy = false;
    if (codeWanted && !ended) beginAnew();
  }

  return {
    open: () => (isOpen ? sock : null),
    creds: () => creds,
    connect: async () => {
      if (asking || isBusy()) return;
      asking = true;
      try {
        // What we last said of it must be stored before we read whether a person has said something since.
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
      // A new socket gives the person the full time to type. What is under way would write over it, and comes to one itself.
      if (!busy) beginAnew();
    },
    logout: async () => {
      const current = sock;
      const told = isOpen;
      busy = true;
      leave();
      if (current && told) await current.logout().catch(() => undefined);
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
