import { sql } from "kysely";
import { callAfter } from "../../base/clock.ts";
import type { Db } from "../../db/client.ts";
import type { GuardedFetch } from "../../net/guarded-fetch.ts";
import { Readiness } from "../readiness.ts";
import { Reporter } from "../reporter.ts";
import type { LaneHost, LaneTransport, OpenTransport } from "../transport.ts";
import { WorkTracker } from "../work-tracker.ts";
import type { InstanceAccess } from "./access.ts";
import { deleteThere, logOutThere } from "./end-there.ts";
import { EvolutionClient } from "./evolution-client.ts";
import { BAILEYS, InstanceCalls } from "./instance-calls.ts";
import { INSTANCE_TIMING, type InstanceDeps, type InstanceTiming } from "./instance-deps.ts";
import { InstanceScreen } from "./instance-screen.ts";
import { Interruptions, noticeSilence } from "./interruptions.ts";
import { Monitor } from "./monitor.ts";

/** A gateway answers in 20 ms, behind a proxy in 100. */
const SLOTS = 4;

/**
 * Nothing is queried before `connect()`; then the instance is followed, linked or not. Throws only when the
 * database does not answer.
 */
export function openInstance(deps: InstanceDeps): OpenTransport {
  const timing = { ...INSTANCE_TIMING, ...deps.timing };
  return async (host) => {
    const log = deps.log.child({ connectionId: host.connectionId });
    const instance = new Instance({ ...deps, log }, timing, host);
    const access = await deps.access(host.connectionId);
    return instance.transport(access?.integration ?? BAILEYS);
  };
}

/** The parts of one instance and what they report to each other. */
class Instance {
  readonly #deps: InstanceDeps;
  readonly #timing: InstanceTiming;
  readonly #host: LaneHost;
  readonly #guardedFetch: Pick<GuardedFetch, "fetch">;
  readonly #interruptions = new Interruptions();
  readonly #wire = new WorkTracker();
  readonly #readiness: Readiness;
  readonly #reporter: Reporter;
  readonly #screen: InstanceScreen;
  readonly #monitor: Monitor;
  readonly #calls: InstanceCalls;

  constructor(deps: InstanceDeps, timing: InstanceTiming, host: LaneHost) {
    this.#deps = deps;
    this.#timing = timing;
    this.#host = host;
    this.#guardedFetch = noticeSilence(deps.guardedFetch, () => this.#interruptions.notify());
    this.#readiness = new Readiness(deps.clock);
    this.#reporter = new Reporter(host, deps.log, () => this.#onLost());
    this.#screen = new InstanceScreen(this.#reporter);
    this.#monitor = this.#makeMonitor();
    this.#calls = new InstanceCalls({
      monitor: this.#monitor,
      wire: this.#wire,
      clock: deps.clock,
      mayCall: () => host.mayAct() && this.#readiness.isReady,
      notOpen: () => this.#interruptions.notify(),
    });
  }

  transport(integration: string): LaneTransport {
    const calls = this.#calls;
    const monitor = this.#monitor;
    return {
      takesOurIds: false,
      slots: SLOTS,
      pairing: () => monitor.pairing(),
      ready: () => this.#readiness.isReady,
      readyFor: () => this.#readiness.readyFor(),
      onReady: (listener) => this.#readiness.listen(listener),
      onInterrupted: (listener) => this.#interruptions.listen(listener),
      connect: () => monitor.connect(),
      requestPairingCode: () => monitor.requestPairingCode(),
      poke: () => this.#poke(),
      look: () => monitor.look(),
      holds: (why, now) => this.#screen.holds(why, now),
      logout: () => this.#logOut(),
      remove: async () => void (await this.#endThere(deleteThere)),
      send: (message) => calls.send(message),
      sentTo: (address, since) => calls.sentTo(address, since),
      groupSubject: (jid) => calls.groupSubject(jid),
      fetchFile: (wanted) => calls.fetchFile(wanted),
      filesInMemory: true,
      typing: (jid, ms) => calls.typing(jid, ms),
      // Other channels have no lookup.
      ...(integration === BAILEYS ? { lookup: (phone) => calls.lookup(phone) } : {}),
      close: () => this.#close(),
    };
  }

  #poke(): void {
    // Even if open at the next poll: it may have been away.
    this.#interruptions.notify();
    this.#monitor.poke();
  }

  async #logOut(): Promise<void> {
    const screen = this.#screen;
    try {
      const ended = await this.#endThere(logOutThere);
      screen.forget();
      screen.disconnected(ended ? "disconnected_by_user" : "withdrawn");
    } catch (error) {
      // The number may still be linked.
      screen.forget();
      screen.connecting("ending");
      throw error;
    } finally {
      await this.#reporter.flush();
    }
  }

  /** False: server forgotten or withdrawn. */
  async #endThere(call: (client: EvolutionClient, name: string) => Promise<unknown>): Promise<boolean> {
    this.#monitor.close();
    const access = await this.#deps.access(this.#host.connectionId);
    if (!access) return false;
    await call(this.#clientOf(access), access.name);
    return true;
  }

  async #close(): Promise<void> {
    this.#monitor.close();
    await this.#wire.idle(this.#timing.closeGraceMs);
    await this.#reporter.close();
  }

  #onLost(): void {
    this.#monitor.close();
    this.#host.lost();
  }

  #makeMonitor(): Monitor {
    const { access, noteProfile, clock, random, log, after, db } = this.#deps;
    return new Monitor({
      host: this.#host,
      access,
      clientOf: (one) => this.#clientOf(one),
      noteProfile,
      clock,
      after: after ?? callAfter,
      random,
      log,
      timing: this.#timing,
      screen: this.#screen,
      setReady: (ready) => this.#readiness.set(ready),
      flush: () => this.#reporter.flush(),
      lastSeen: () => lastSeen(db, this.#host.connectionId),
    });
  }

  #clientOf({ baseUrl, apiKey, provided }: InstanceAccess): EvolutionClient {
    return new EvolutionClient({
      guardedFetch: this.#guardedFetch,
      baseUrl,
      apiKey,
      provided,
      now: () => this.#deps.clock.now(),
      limits: this.#timing,
    });
  }
}

async function lastSeen(db: Db, connectionId: number) {
  const { rows } = await sql<{
    state: string;
    cause: string | null;
    until: Date | null;
    pairing: string | null;
  }>`select state, state_reason as cause, state_reason_until as until, pairing from connection where id = ${connectionId}`.execute(
    db,
  );
  return rows[0] ?? { state: "disconnected", cause: "disconnected_by_user", until: null, pairing: null };
}
