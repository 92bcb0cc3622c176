import { sql } from "kysely";
import { callAfter } from "../../base/clock.ts";
import type { Db } from "../../db/client.ts";
import { makeReadiness } from "../readiness.ts";
import { makeReporter } from "../reporter.ts";
import { trackWork } from "../track-work.ts";
import type { OpenTransport } from "../transport.ts";
import type { InstanceAccess } from "./access.ts";
import { deleteThere, logOutThere } from "./end-there.ts";
import { type EvolutionClient, evolutionClient } from "./evolution-client.ts";
import { BAILEYS, instanceCalls } from "./instance-calls.ts";
import { INSTANCE_TIMING, type InstanceDeps } from "./instance-deps.ts";
import { makeInstanceScreen } from "./instance-screen.ts";
import { makeInterruptions, noticeSilence } from "./interruptions.ts";
import { makeMonitor } from "./monitor.ts";

/** A gateway answers in 20 ms, behind a proxy in 100. */
const SLOTS = 4;

/**
 * Nothing is queried before `connect()`; then the instance is followed, linked or not. Throws only when the
 * database does not answer.
 */
export function openInstance(deps: InstanceDeps): OpenTransport {
  const timing = { ...INSTANCE_TIMING, ...deps.timing };
  const { clock } = deps;

  return async (host) => {
    const { connectionId } = host;
    const interruptions = makeInterruptions();
    const watchedFetch = noticeSilence(deps.guardedFetch, interruptions.tell);
    const clientOf = ({ baseUrl, apiKey, provided }: InstanceAccess): EvolutionClient =>
      evolutionClient({
        ...{ guardedFetch: watchedFetch, baseUrl, apiKey, provided },
        ...{ now: () => clock.now(), limits: timing },
      });
    const log = deps.log.child({ connectionId });
    const parts: { end: () => void } = { end: () => undefined };
    const reporter = makeReporter(host, log, () => {
      parts.end();
      host.lost();
    });
    const screen = makeInstanceScreen(reporter);
    const readiness = makeReadiness(clock);
    const monitor = makeMonitor({
      ...{ host, clientOf, clock, log, timing },
      ...{ access: deps.access, noteProfile: deps.noteProfile, random: deps.random },
      after: deps.after ?? callAfter,
      screen,
      setReady: readiness.set,
      flush: reporter.flush,
      lastSeen: () => lastSeen(deps.db, connectionId),
    });
    parts.end = monitor.end;
    const wire = trackWork();
    const mayCall = () => host.mayAct() && readiness.ready();
    const { lookup, ...calls } = instanceCalls({
      ...{ monitor, wire, clock, mayCall },
      notOpen: interruptions.tell,
    });
    const integration = (await deps.access(connectionId))?.integration ?? BAILEYS;

    /** False: server forgotten or withdrawn. */
    async function endThere(
      call: (client: EvolutionClient, name: string) => Promise<unknown>,
    ): Promise<boolean> {
      monitor.end();
      const access = await deps.access(connectionId);
      if (!access) return false;
      await call(clientOf(access), access.name);
      return true;
    }

    return {
      takesOurIds: false,
      slots: SLOTS,
      pairing: monitor.pairing,
      ready: readiness.ready,
      readyFor: readiness.since,
      onReady: readiness.listen,
      connect: monitor.connect,
      requestPairingCode: monitor.requestPairingCode,
      onInterrupted: interruptions.listen,
      // Even if open at the next look: it may have been away.
      poke: () => {
        interruptions.tell();
        monitor.poke();
      },
      look: monitor.look,
      holds: screen.holds,
      logout: async () => {
        try {
          const ended = await endThere(logOutThere);
          screen.forget();
          screen.disconnected(ended ? "disconnected_by_user" : "withdrawn");
        } catch (error) {
          // The number may still be linked.
          screen.forget();
          screen.connecting("ending");
          throw error;
        } finally {
          await reporter.flush();
        }
      },
      remove: async () => void (await endThere(deleteThere)),
      close: async () => {
        monitor.end();
        await wire.idle(timing.closeGraceMs);
        await reporter.close();
      },
      ...calls,
      // Other channels have no lookup.
      ...(integration === BAILEYS ? { lookup } : {}),
    };
  };
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
