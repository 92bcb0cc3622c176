import { randomBytes } from "node:crypto";
import type { Logger } from "pino";
import { hooks } from "../../contract/gateways.ts";
import type { Clock } from "../../domain/clock.ts";
import { AppError } from "../../domain/errors.ts";
import type { Db } from "../db/client.ts";
import type { EvolutionClient } from "../transports/gateway/evolution-client.ts";
import { probeToken, readProbeToken } from "./probe-token.ts";
import { type GatewayRow, readReach, storeReach, storeUnreached } from "./repo.ts";
import { HOOK_SECRET_HEADER } from "./webhook-secret.ts";

/** Stores the result. Never throws for server errors. */
export type Probe = (db: Db, gateway: GatewayRow, client: EvolutionClient) => Promise<void>;

export type ProbeDeps = {
  clock: Clock;
  log: Logger;
  key: Buffer;
  webhookUrl: string;
  waitMs: number;
};

export const isProbe = (name: string): boolean => name.startsWith("recado-teste-");

const LOOK_MS = 40;
const LEFT_MS = 10 * 60_000;

/**
 * Uses an instance of integration EVOLUTION, which reaches no phone but sends webhooks. Servers without it
 * (1.8) keep their known result.
 */
export function webhookProbe(deps: ProbeDeps): Probe {
  const running = new Map<number, Promise<void>>();
  return (db, gateway, client) => {
    // Parallel tests share one result.
    const probe =
      running.get(gateway.id) ?? run(deps, db, gateway, client).finally(() => running.delete(gateway.id));
    running.set(gateway.id, probe);
    return probe;
  };
}

async function run(deps: ProbeDeps, db: Db, { id, reaches_us }: GatewayRow, client: EvolutionClient) {
  const name = `recado-teste-${randomBytes(6).toString("hex")}`;
  try {
    await deleteLeftovers(deps, client);
    await client.createInstance({
      name,
      token: randomBytes(18).toString("base64url"),
      number: null,
      integration: "EVOLUTION",
      webhook: {
        enabled: true,
        url: `${deps.webhookUrl}${hooks.probe.path}`,
        headers: { [HOOK_SECRET_HEADER]: probeToken(deps.key, id, deps.clock.now()) },
        events: ["SEND_MESSAGE"],
      },
    });
  } catch (error) {
    return unknown(deps, id, error);
  }
  try {
    // Only this event may confirm it again.
    await storeReach(db, id, "unknown");
    const { kind } = await client.sendText(name, { to: "5500000000000", text: "Teste de webhook do Recado" });
    if (kind !== "accepted") throw new AppError("gateway_failed", { status: 0, message: kind });
    if (!(await arrives(db, id, deps.waitMs))) await storeUnreached(db, id);
  } catch (error) {
    unknown(deps, id, error);
    await storeReach(db, id, reaches_us);
  } finally {
    await client.deleteInstance(name).catch((error: unknown) => unknown(deps, id, error));
  }
}

function unknown({ log }: ProbeDeps, gatewayId: number, error: unknown): void {
  if (!(error instanceof AppError)) throw error;
  log.info({ gatewayId, code: error.code, ...error.details }, "webhooks of a gateway could not be tried");
}

async function deleteLeftovers({ clock }: ProbeDeps, client: EvolutionClient): Promise<void> {
  const old = clock.now().getTime() - LEFT_MS;
  for (const { name, createdAt } of await client.fetchInstances())
    if (isProbe(name) && createdAt !== null && createdAt.getTime() < old) await client.deleteInstance(name);
}

async function arrives(db: Db, id: number, ms: number): Promise<boolean> {
  const end = performance.now() + ms;
  while ((await readReach(db, id)) !== "yes") {
    if (performance.now() > end) return false;
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
  return true;
}

/** Throws `unauthenticated` for anything else. */
export async function probeArrived(
  { key, clock }: Pick<ProbeDeps, "key" | "clock">,
  db: Db,
  { headers }: Request,
  body: AsyncIterable<unknown>,
): Promise<Response> {
  const id = readProbeToken(key, headers.get(HOOK_SECRET_HEADER) ?? "", clock.now());
  if (id === null) throw new AppError("unauthenticated");
  for await (const _ of body);
  await storeReach(db, id, "yes");
  return new Response(null, { status: 204 });
}
