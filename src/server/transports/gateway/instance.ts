import { sql } from "kysely";
import { AppError } from "../../../domain/errors.ts";
import { callAfter } from "../../clock.ts";
import type { Db } from "../../db/client.ts";
import { makeReadiness } from "../readiness.ts";
import { makeReporter } from "../reporter.ts";
import { trackWork } from "../track-work.ts";
import type { OpenTransport } from "../transport.ts";
import type { InstanceAccess } from "./access.ts";
import { type EvolutionClient, evolutionClient } from "./evolution-client.ts";
import { BAILEYS, instanceCalls } from "./instance-calls.ts";
import { INSTANCE_TIMING, type InstanceDeps } from "./instance-deps.ts";
import { makeInstanceScreen } from "./instance-screen.ts";
import { makeInterruptions, noticeSilence } from "./interruptions.ts";
import { makeMonitor } from "./monitor.ts";

/** Sends on the wire at once: a gateway answers in 20 ms, and a proxy in front of it in 100. */
const SLOTS = 4;

/**
 * Opens connections of kind `instance`: instances of an Evolution gateway. Nothing is asked of the gateway before `connect()`; from then
 * on the instance is followed, whether or not it is linked. Throws only when the database does not answer.
 */
export function openInstance(deps: InstanceDeps): OpenTransport {
  const timing = { ...INSTANCE_TIMING, ...deps.timing };
  const { clock } = deps;

  return async (host) => {
    const { connectionId } = host;
    const interruptions = makeInterruptions();
    const watchedFetch = noticeSilence(deps.guardedFetch, interruptions.tell);
    const clientOf = ({ baseUrl, apiKey }: InstanceAccess): EvolutionClient =>
      evolutionClient({
        ...{ guardedFetch: watchedFetch, baseUrl, apiKey },
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

    /**
     * Asks the gateway for something that ends what we know of the instance; that it has no such thing is as good. Throws what else it
     * says. False: nobody here speaks for it any more, so that nothing was asked.
     */
    async function endThere(
      call: (client: EvolutionClient, name: string) => Promise<void>,
    ): Promise<boolean> {
      monitor.end();
      const access = await deps.access(connectionId);
      if (!access) return false;
      await call(clientOf(access), access.name).catch((error: unknown) => {
        const code = error instanceof AppError ? error.code : null;
        // A session that is closed already cannot be ended: 400 before 2.4.
        const done = code === "instance_unknown" || (code === "gateway_failed" && isNotConnected(error));
        if (!done) throw error;
      });
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
      // Also where it is open at the next look: it may have been away in between.
      poke: () => {
        interruptions.tell();
        monitor.poke();
      },
      look: monitor.look,
      holds: screen.holds,
      logout: async () => {
        try {
          const told = await endThere((client, name) => client.logout(name));
          screen.forget();
          screen.disconnected(told ? "disconnected_by_user" : "withdrawn");
        } catch (error) {
          // The number may still be linked over there.
          screen.forget();
          screen.connecting("ending");
          throw error;
        } finally {
          await reporter.flush();
        }
      },
      remove: async () => void (await endThere((client, name) => client.deleteInstance(name))),
      close: async () => {
        monitor.end();
        await wire.idle(timing.closeGraceMs);
        await reporter.close();
      },
      ...calls,
      // Other channels cannot be asked: there the number is the address.
      ...(integration === BAILEYS ? { lookup } : {}),
    };
  };
}

function isNotConnected(error: unknown): boolean {
  return error instanceof AppError && /is not connected/.test(String(error.details.message));
}

async function lastSeen(db: Db, connectionId: number) {
  const { rows } = await sql<{
    state: string;
    cause: string | null;
    until: Date | null;
    pairing: string | null;
  }>`select state, cause, cause_until as until, pairing from connection where id = ${connectionId}`.execute(
    db,
  );
  return rows[0] ?? { state: "disconnected", cause: "disconnected_by_user", until: null, pairing: null };
}
