import type { Logger } from "pino";
import type { Clock } from "../../../domain/clock.ts";
import { AppError } from "../../../domain/errors.ts";
import { backoffMs } from "../backoff.ts";
import type { LaneHost } from "../transport.ts";
import type { InstanceAccess, NoteProfile, ReadAccess } from "./access.ts";
import type { EvolutionClient } from "./evolution-client.ts";
import { watchFlood } from "./flood.ts";
import type { InstanceTiming } from "./instance-deps.ts";
import type { InstanceScreen } from "./instance-screen.ts";
import { KEY_DOUBT_MS, KeyDoubt } from "./key-doubt.ts";
import { makeLinking } from "./linking.ts";
import { makeLooks } from "./looks.ts";
import type { Reached } from "./reached.ts";
import { type GatewayInstance, phoneOf } from "./shapes.ts";

/** Links on request only, and never does what only a person may request. */
export type Monitor = {
  reached(): Reached | null;
  /** As WhatsApp names it. */
  pairing(): string | null;
  /** Starts looking, or checks whether a person asked again. */
  connect(): Promise<void>;
  requestPairingCode(): Promise<void>;
  poke(): void;
  look(): void;
  /**
   * A send was refused for a reason that waiting does not end: nothing is sent until a look finds it solved.
   */
  refused(cause: string): void;
  accepted(): void;
  end(): void;
};

export type MonitorDeps = {
  host: Pick<LaneHost, "connectionId" | "mayAct">;
  access: ReadAccess;
  clientOf: (access: InstanceAccess) => EvolutionClient;
  noteProfile: NoteProfile;
  clock: Clock;
  after: (ms: number, call: () => void) => () => void;
  random: () => number;
  log: Logger;
  timing: InstanceTiming;
  screen: InstanceScreen;
  setReady: (ready: boolean) => void;
  flush: () => Promise<void>;
  lastSeen: () => Promise<{
    state: string;
    cause: string | null;
    until: Date | null;
    pairing: string | null;
  }>;
};

/** Only a person ends these. */
const RESTING = new Set([
  ...["logged_out", "ended_there", "banned", "temp_banned", "qr_expired", "disconnected_by_user"],
]);

/** WhatsApp codes after which it does not reconnect by itself. */
const ENDED: Readonly<Record<number, string>> = {
  401: "logged_out",
  402: "temp_banned",
  403: "banned",
  406: "banned",
  408: "ended_there",
};

/**
 * The reason stays in the row after a new link; a session that lost only its connection is still `open`
 * there.
 */
function endOf(row: GatewayInstance | null): { cause: string; until: Date | null } | null {
  if (row?.storedState !== "close") return null;
  const cause = row.endedThere ? "ended_there" : ENDED[row.endedBy ?? 0];
  return cause === undefined ? null : { cause, until: row.bannedUntil };
}

/** The gateway is reachable and refuses us. */
const REFUSALS: Readonly<Record<string, string>> = {
  gateway_wrong_key: "wrong_key",
  license_required: "license_required",
  instance_unknown: "gone",
};

export function makeMonitor(deps: MonitorDeps): Monitor {
  const { host, clock, timing, screen, log, setReady } = deps;
  const { connectionId } = host;
  const now = () => clock.monotonic();
  const flood = watchFlood(now);
  const linking = makeLinking({ clock, timing, screen });
  const looks = makeLooks(deps, look);
  const key = new KeyDoubt(deps.clientOf, now);
  let reached: Reached | null = null;
  let pairing: string | null = null;
  let started = false;
  let asking = false;
  /** Open under this or the previous owner: it reconnects, or its session ended. */
  let linked = false;
  let failures = 0;
  let refusals = 0;
  let awaySince: number | null = null;
  let closedSince: number | null = null;
  let looping = false;

  /** Returns the next delay, in ms. */
  async function look(): Promise<number> {
    if (!host.mayAct()) return timing.leasePauseMs;
    return lookOnce().catch(onFault);
  }

  async function lookOnce(): Promise<number> {
    const access = await deps.access(connectionId);
    if (!access) {
      reached = null;
      return away("withdrawn");
    }
    reached = { access, client: deps.clientOf(access) };
    const state = await reached.client.connectionState(access.name);
    key.worked(access.apiKey);
    const row = await rowOf(reached).catch((error: unknown) => {
      if (state === "open") return null;
      throw error;
    });
    // Ended during the look: the last report stands.
    if (looks.ended()) return 0;
    failures = 0;
    if (state === "open") return onOpen(reached, row);
    setReady(false);
    flood.seen(state);
    awaySince ??= now();
    if (state === "connecting") closedSince = null;
    else closedSince ??= now();
    return state === "connecting" ? onConnecting(reached, row) : onClosed(reached, row, state);
  }

  async function rowOf({ access, client }: Reached): Promise<GatewayInstance | null> {
    const rows = await client.fetchInstances(access.name);
    return rows.find((row) => row.name === access.name) ?? null;
  }

  function onOpen({ access }: Reached, row: GatewayInstance | null): number {
    if (row) note(row);
    calmDown();
    linking.stop();
    linked = true;
    // The phone is already known without the row.
    screen.connected(pairing, row?.phone ?? phoneOf(pairing), access.number);
    setReady(true);
    return timing.steadyMs;
  }

  function note({ ownerJid, phone, profileName, pictureUrl }: GatewayInstance): void {
    pairing = ownerJid ?? pairing;
    deps
      .noteProfile(connectionId, { phone, profileName, pictureUrl })
      .catch((error: unknown) => log.warn({ err: error }, "profile of an instance not stored"));
  }

  function calmDown(): void {
    flood.forget();
    [awaySince, closedSince, looping] = [null, null, false];
  }

  /** Reconnects, or waits for a scan. */
  async function onConnecting(at: Reached, row: GatewayInstance | null): Promise<number> {
    // Connect's code was used long ago.
    if (row !== null && row.ownerJid !== null && row.storedState === "open") return onItsWay();
    const end = endOf(row);
    if (linked) return end ? rest(end.cause, end.until) : onItsWay();
    // Another person may be linking it.
    return linking.wanted() ? askForCode(at) : timing.steadyMs;
  }

  async function onClosed(at: Reached, row: GatewayInstance | null, state: string): Promise<number> {
    const closedMs = now() - (closedSince ?? now());
    if (linked) {
      const end = endOf(row);
      if (end) return rest(end.cause, end.until);
      return closedMs >= timing.pushMs && !flood.is() ? push(at) : onItsWay();
    }
    if (!linking.wanted()) return timing.steadyMs;
    if (state !== "refused" && !linking.hasCode()) return askForCode(at);
    // Longer than just after a scan: no more codes follow.
    return state === "refused" || closedMs >= timing.closedMs ? rest("qr_expired") : timing.busyMs;
  }

  function onItsWay(): number {
    if (isLooping()) return loop();
    screen.connecting("network");
    return timing.busyMs;
  }

  /** After a failed restart its gateway leaves it closed. */
  async function push({ access, client }: Reached): Promise<number> {
    closedSince = null;
    const answer = await client.connect(access.name);
    if (looks.ended()) return 0;
    return answer.kind === "qr" || answer.kind === "pairing" ? rest("ended_there") : onItsWay();
  }

  async function askForCode(at: Reached): Promise<number> {
    if (linking.isOver()) return rest("qr_expired");
    if (isLooping()) return loop();
    // It would start another attempt beside the failing ones.
    if (!flood.is()) await linking.ask(at);
    return timing.busyMs;
  }

  const isLooping = () =>
    flood.is() && !linking.hasCode() && awaySince !== null && now() - awaySince >= timing.loopAfterMs;

  /** Each connect would start another loop. */
  function loop(): number {
    if (!looping) log.warn("an instance loops without a way to WhatsApp");
    looping = true;
    screen.connecting("offline_loop");
    return timing.loopMs;
  }

  function rest(cause: string, until: Date | null = null): number {
    linked = false;
    linking.stop();
    return away(cause, until);
  }

  function away(cause: string, until: Date | null = null): number {
    calmDown();
    setReady(false);
    screen.disconnected(cause, until);
    return timing.steadyMs;
  }

  /** Its server may be faulty. */
  const isKeyDoubtful = () => reached !== null && key.isDoubtful(reached.access.apiKey, linked);

  async function onKeyRefused(at: Reached): Promise<number> {
    const { cause, quick } = await key.judge(at);
    if (looks.ended()) return 0;
    failures += 1;
    // A single refusal is not reported.
    if (cause === "wrong_key" || failures > 1 || screen.shown() !== "connected") away(cause);
    return quick ? backoffMs(failures - 1, deps.random, KEY_DOUBT_MS) : timing.steadyMs;
  }

  function onFault(error: unknown): number | Promise<number> {
    if (looks.ended()) return 0;
    const code = error instanceof AppError ? error.code : null;
    if (code === "gateway_wrong_key" && reached && isKeyDoubtful()) return onKeyRefused(reached);
    const cause = code === null ? undefined : REFUSALS[code];
    if (cause) return away(cause);
    failures += 1;
    // Not reported: a single failed look at an open instance, and an error of our own database.
    if (code && (failures > 1 || screen.shown() !== "connected")) away("unreachable");
    log.info(code ? { code } : { err: error }, "an instance could not be looked at");
    return backoffMs(failures - 1, deps.random, timing.backoffMs);
  }

  /** Also true the first time. */
  async function isAsked(): Promise<boolean> {
    // Store our report before reading whether a person has changed the state.
    await deps.flush();
    const { state, cause, until, ...seen } = await deps.lastSeen();
    const rests = cause !== null && RESTING.has(cause);
    const first = !started;
    if (first) {
      pairing = seen.pairing;
      linked = state === "connected" || (pairing !== null && cause !== null && !rests);
      if (state === "disconnected" && rests) screen.disconnected(cause, until);
    }
    if (state === "disconnected" && (rests || !first)) return first;
    screen.forget();
    calmDown();
    [refusals, failures] = [0, 0];
    if (!linked) linking.begin();
    return true;
  }

  return {
    reached: () => reached,
    pairing: () => pairing,
    connect: async () => {
      if (asking || looks.ended() || (started && screen.shown() !== "disconnected")) return;
      asking = true;
      try {
        const asked = await isAsked();
        started = true;
        if (asked) looks.now();
      } finally {
        asking = false;
      }
    },
    requestPairingCode: async () => {
      linking.wantPairingCode();
      if (started) looks.soon();
    },
    poke: () => {
      flood.reported();
      if (started && !looping) looks.soon();
    },
    look: () => looks.soon(),
    refused: (cause) => {
      if (looks.ended()) return;
      const doubtful = cause === "wrong_key" && isKeyDoubtful();
      if (doubtful) setReady(false);
      else away(cause);
      looks.notBefore(backoffMs(refusals++, deps.random, doubtful ? KEY_DOUBT_MS : timing.backoffMs));
    },
    accepted: () => {
      refusals = 0;
    },
    end: () => {
      looks.end();
      // A pending code would appear after the last report.
      linking.stop();
      setReady(false);
    },
  };
}
