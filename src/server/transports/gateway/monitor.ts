import type { Logger } from "pino";
import type { Clock } from "../../../domain/clock.ts";
import { AppError } from "../../../domain/errors.ts";
import { backoffMs } from "../backoff.ts";
import type { LaneHost } from "../transport.ts";
import type { InstanceAccess, NoteProfile, ReadAccess } from "./access.ts";
import type { EvolutionClient } from "./evolution-client.ts";
import { Flood } from "./flood.ts";
import type { InstanceTiming } from "./instance-deps.ts";
import { type GatewayInstance, phoneOf } from "./instance-rows.ts";
import type { InstanceScreen } from "./instance-screen.ts";
import { KEY_RETRY_MS, KeyCheck } from "./key-check.ts";
import { Linking } from "./linking.ts";
import { Poller } from "./poller.ts";
import type { Reached } from "./reached.ts";
import { endOf, REFUSALS, RESTING } from "./session-end.ts";

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

/** Follows one instance. Links on request only, and never does what only a person may request. */
export class Monitor {
  readonly #deps: MonitorDeps;
  readonly #flood: Flood;
  readonly #linking: Linking;
  readonly #poller: Poller;
  readonly #key: KeyCheck;
  #reached: Reached | null = null;
  #pairing: string | null = null;
  #started = false;
  #asking = false;
  /** Open under this or the previous owner: it reconnects, or its session ended. */
  #linked = false;
  #failures = 0;
  #refusals = 0;
  #awaySince: number | null = null;
  #closedSince: number | null = null;
  #looping = false;

  constructor(deps: MonitorDeps) {
    const now = () => deps.clock.monotonic();
    this.#deps = deps;
    this.#flood = new Flood(now);
    this.#linking = new Linking(deps);
    this.#poller = new Poller(deps, () => this.#poll());
    this.#key = new KeyCheck(deps.clientOf, now);
  }

  reached(): Reached | null {
    return this.#reached;
  }

  pairing(): string | null {
    return this.#pairing;
  }

  async connect(): Promise<void> {
    if (this.#asking || this.#poller.isClosed) return;
    if (this.#started && this.#deps.screen.shown() !== "disconnected") return;
    this.#asking = true;
    try {
      const asked = await this.#isAsked();
      this.#started = true;
      if (asked) this.#poller.now();
    } finally {
      this.#asking = false;
    }
  }

  async requestPairingCode(): Promise<void> {
    this.#linking.wantPairingCode();
    if (this.#started) this.#poller.soon();
  }

  poke(): void {
    this.#flood.reported();
    if (this.#started && !this.#looping) this.#poller.soon();
  }

  look(): void {
    this.#poller.soon();
  }

  /**
   * A send was refused for a reason that waiting does not end: nothing is sent until a poll finds it solved.
   */
  refused(cause: string): void {
    if (this.#poller.isClosed) return;
    const { random, timing, setReady } = this.#deps;
    const doubtful = cause === "wrong_key" && this.#isKeyDoubtful();
    if (doubtful) setReady(false);
    else this.#away(cause);
    const delays = doubtful ? KEY_RETRY_MS : timing.backoffMs;
    this.#poller.notBefore(backoffMs(this.#refusals, random, delays));
    this.#refusals += 1;
  }

  accepted(): void {
    this.#refusals = 0;
  }

  close(): void {
    this.#poller.close();
    // A pending code would appear after the last report.
    this.#linking.stop();
    this.#deps.setReady(false);
  }

  async #poll(): Promise<number> {
    const { host, timing } = this.#deps;
    if (!host.mayAct()) return timing.leasePauseMs;
    return this.#pollOnce().catch((error: unknown) => this.#onError(error));
  }

  async #pollOnce(): Promise<number> {
    const { access: accessOf, clientOf, host } = this.#deps;
    const access = await accessOf(host.connectionId);
    if (!access) {
      this.#reached = null;
      return this.#away("withdrawn");
    }
    const at = { access, client: clientOf(access) };
    this.#reached = at;
    const state = await at.client.connectionState(access.name);
    this.#key.worked(access.apiKey);
    const row = await rowOf(at).catch((error: unknown) => {
      if (state === "open") return null;
      throw error;
    });
    // Ended during the poll: the last report stands.
    if (this.#poller.isClosed) return 0;
    this.#failures = 0;
    return state === "open" ? this.#onOpen(at, row) : this.#onNotOpen(at, row, state);
  }

  #onOpen({ access }: Reached, row: GatewayInstance | null): number {
    const { screen, setReady, timing } = this.#deps;
    if (row) this.#note(row);
    this.#calmDown();
    this.#linking.stop();
    this.#linked = true;
    // The phone is already known without the row.
    screen.connected(this.#pairing, row?.phone ?? phoneOf(this.#pairing), access.number);
    setReady(true);
    return timing.steadyMs;
  }

  #note({ ownerJid, phone, profileName, pictureUrl }: GatewayInstance): void {
    const { host, noteProfile, log } = this.#deps;
    this.#pairing = ownerJid ?? this.#pairing;
    noteProfile(host.connectionId, { phone, profileName, pictureUrl }).catch((error: unknown) =>
      log.warn({ err: error }, "profile of an instance not stored"),
    );
  }

  #onNotOpen(at: Reached, row: GatewayInstance | null, state: string): Promise<number> {
    this.#deps.setReady(false);
    this.#flood.seen(state);
    this.#awaySince ??= this.#now();
    if (state === "connecting") {
      this.#closedSince = null;
      return this.#onConnecting(at, row);
    }
    this.#closedSince ??= this.#now();
    return this.#onClosed(at, row, state);
  }

  async #onConnecting(at: Reached, row: GatewayInstance | null): Promise<number> {
    // Connect's code was used long ago.
    if (row !== null && row.ownerJid !== null && row.storedState === "open") return this.#onItsWay();
    const end = endOf(row);
    if (this.#linked) return end ? this.#rest(end.cause, end.until) : this.#onItsWay();
    return this.#linking.isWanted ? this.#askForCode(at) : this.#deps.timing.steadyMs;
  }

  async #onClosed(at: Reached, row: GatewayInstance | null, state: string): Promise<number> {
    const { timing } = this.#deps;
    const closedMs = this.#now() - (this.#closedSince ?? this.#now());
    if (this.#linked) {
      const end = endOf(row);
      if (end) return this.#rest(end.cause, end.until);
      const mayPush = closedMs >= timing.pushMs && !this.#flood.isRunning;
      return mayPush ? this.#push(at) : this.#onItsWay();
    }
    if (!this.#linking.isWanted) return timing.steadyMs;
    if (state !== "refused" && !this.#linking.hasCode) return this.#askForCode(at);
    // Longer than just after a scan: no more codes follow.
    const isOver = state === "refused" || closedMs >= timing.closedMs;
    return isOver ? this.#rest("qr_expired") : timing.busyMs;
  }

  #onItsWay(): number {
    if (this.#isLooping()) return this.#loop();
    this.#deps.screen.connecting("network");
    return this.#deps.timing.busyMs;
  }

  /** After a failed restart its gateway leaves it closed. */
  async #push({ access, client }: Reached): Promise<number> {
    this.#closedSince = null;
    const answer = await client.connect(access.name);
    if (this.#poller.isClosed) return 0;
    const isUnlinked = answer.kind === "qr" || answer.kind === "pairing";
    return isUnlinked ? this.#rest("ended_there") : this.#onItsWay();
  }

  async #askForCode(at: Reached): Promise<number> {
    if (this.#linking.isOver) return this.#rest("qr_expired");
    if (this.#isLooping()) return this.#loop();
    // It would start another attempt beside the failing ones.
    if (!this.#flood.isRunning) await this.#linking.ask(at);
    return this.#deps.timing.busyMs;
  }

  #isLooping(): boolean {
    if (!this.#flood.isRunning || this.#linking.hasCode || this.#awaySince === null) return false;
    return this.#now() - this.#awaySince >= this.#deps.timing.loopAfterMs;
  }

  /** Each connect would start another loop. */
  #loop(): number {
    const { log, screen, timing } = this.#deps;
    if (!this.#looping) log.warn("an instance loops without a way to WhatsApp");
    this.#looping = true;
    screen.connecting("offline_loop");
    return timing.loopMs;
  }

  #rest(cause: string, until: Date | null = null): number {
    this.#linked = false;
    this.#linking.stop();
    return this.#away(cause, until);
  }

  #away(cause: string, until: Date | null = null): number {
    const { setReady, screen, timing } = this.#deps;
    this.#calmDown();
    setReady(false);
    screen.disconnected(cause, until);
    return timing.steadyMs;
  }

  #calmDown(): void {
    this.#flood.forget();
    this.#awaySince = null;
    this.#closedSince = null;
    this.#looping = false;
  }

  #onError(error: unknown): number | Promise<number> {
    const { log, random, timing } = this.#deps;
    if (this.#poller.isClosed) return 0;
    const code = error instanceof AppError ? error.code : null;
    if (code === "gateway_wrong_key" && this.#reached && this.#isKeyDoubtful())
      return this.#onKeyRefused(this.#reached);
    const cause = code === null ? undefined : REFUSALS[code];
    if (cause) return this.#away(cause);
    this.#failures += 1;
    // Not reported: a single failed poll of an open instance, and an error of our own database.
    if (code && this.#isWorthReporting()) this.#away("unreachable");
    log.info(code ? { code } : { err: error }, "an instance could not be looked at");
    return backoffMs(this.#failures - 1, random, timing.backoffMs);
  }

  async #onKeyRefused(at: Reached): Promise<number> {
    const { random, timing } = this.#deps;
    const { cause, quick } = await this.#key.verify(at);
    if (this.#poller.isClosed) return 0;
    this.#failures += 1;
    if (cause === "wrong_key" || this.#isWorthReporting()) this.#away(cause);
    return quick ? backoffMs(this.#failures - 1, random, KEY_RETRY_MS) : timing.steadyMs;
  }

  #isWorthReporting(): boolean {
    return this.#failures > 1 || this.#deps.screen.shown() !== "connected";
  }

  #isKeyDoubtful(): boolean {
    return this.#reached !== null && this.#key.isDoubtful(this.#reached.access.apiKey, this.#linked);
  }

  async #isAsked(): Promise<boolean> {
    const { flush, lastSeen, screen } = this.#deps;
    // Store our report before reading whether a person has changed the state.
    await flush();
    const { state, cause, until, ...seen } = await lastSeen();
    const rests = cause !== null && RESTING.has(cause);
    const first = !this.#started;
    if (first) {
      this.#pairing = seen.pairing;
      this.#linked = state === "connected" || (this.#pairing !== null && cause !== null && !rests);
      if (state === "disconnected" && rests) screen.disconnected(cause, until);
    }
    if (state === "disconnected" && (rests || !first)) return first;
    screen.forget();
    this.#calmDown();
    this.#refusals = 0;
    this.#failures = 0;
    if (!this.#linked) this.#linking.begin();
    return true;
  }

  #now(): number {
    return this.#deps.clock.monotonic();
  }
}

async function rowOf({ access, client }: Reached): Promise<GatewayInstance | null> {
  const rows = await client.fetchInstances(access.name);
  return rows.find((row) => row.name === access.name) ?? null;
}
