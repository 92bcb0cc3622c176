import type { Logger } from "pino";
import { record } from "../audit/service.ts";
import type { ConnectionService } from "../connections/service.ts";
import type { Owner } from "../db/owner.ts";
import { readRestoreLock } from "../db/restore-lock.ts";
import { keyOf } from "./access.ts";
import type { HookDeps } from "./hook.ts";
import { findReached, type InstanceRow, listInstances, type Reached } from "./instances-repo.ts";
import { deleteGateway, findGateway, holdGateway } from "./repo.ts";

export type ForgetDeps = Pick<HookDeps, "secrets" | "reach"> & {
  log: Logger;
  connections: Pick<ConnectionService, "forget">;
};

/**
 * Its instances stay at the server. The row goes in the commit that takes over the lanes, so no lane can end
 * a session; webhooks are switched off later.
 */
export async function forgetGateway(deps: ForgetDeps, owner: Owner, gatewayId: number): Promise<void> {
  const instances = await listInstances(owner, gatewayId);
  const reached = await hooksOf(owner, instances);
  const ids = instances.map((row) => row.connection_id);
  const name = (await findGateway(owner, gatewayId))?.name ?? "";
  try {
    await deps.connections.forget(owner, ids, async (tx) => {
      await holdGateway(tx, gatewayId);
      // Without its server the new instance's connection would be useless.
      if ((await listInstances(tx, gatewayId)).length > 0) throw new Newcomer();
      await deleteGateway(tx, gatewayId);
      await record(tx, { kind: "gateway_removed", subject: name });
    });
  } catch (error) {
    if (error instanceof Newcomer) return forgetGateway(deps, owner, gatewayId);
    throw error;
  }
  for (const row of reached) {
    switchOff(deps, row).catch((error: unknown) =>
      deps.log.info({ err: error, name: row.name }, "webhook of a forgotten instance stays"),
    );
  }
}

class Newcomer extends Error {}

async function hooksOf(owner: Owner, instances: readonly InstanceRow[]): Promise<Reached[]> {
  // A held copy's webhooks belong to the original.
  if ((await readRestoreLock(owner.db)) !== null) return [];
  const ours = instances.filter(({ hook_state }) => hook_state === "ours");
  const rows = await Promise.all(ours.map((row) => findReached(owner.db, row.connection_id)));
  return rows.filter((row) => row !== undefined);
}

async function switchOff({ secrets, reach }: ForgetDeps, row: Reached): Promise<void> {
  const client = reach({ url: row.url, provided: !row.own }, keyOf(secrets, row));
  await client.setWebhook(row.name, { enabled: false, url: row.url, headers: {}, events: [] });
}
