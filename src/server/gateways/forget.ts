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
 * Forgets a server and the connections of its instances. The instances themselves stay at the server: nobody here may end their sessions,
 * so the server's row goes in the same commit in which their lanes are taken over. Their webhooks are switched off at leisure; a server
 * that does not answer keeps posting to an address that knows it no more.
 */
export async function forgetGateway(deps: ForgetDeps, owner: Owner, gatewayId: number): Promise<void> {
  const instances = await listInstances(owner, gatewayId);
  const reached = await hooksOf(owner, instances);
  const ids = instances.map((row) => row.connection_id);
  const name = (await findGateway(owner, gatewayId))?.name ?? "";
  try {
    await deps.connections.forget(owner, ids, async (tx) => {
      await holdGateway(tx, gatewayId);
      // Taken into use meanwhile: without its server it would be a connection to nothing.
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

/** Another instance came after they were listed. */
class Newcomer extends Error {}

/** Those whose webhook is ours to switch off. */
async function hooksOf(owner: Owner, instances: readonly InstanceRow[]): Promise<Reached[]> {
  // In a held copy they are the original's, which may go on.
  if ((await readRestoreLock(owner.db)) !== null) return [];
  const ours = instances.filter(({ hook_state }) => hook_state === "ours");
  const rows = await Promise.all(ours.map((row) => findReached(owner.db, row.connection_id)));
  return rows.filter((row) => row !== undefined);
}

async function switchOff({ secrets, reach }: ForgetDeps, row: Reached): Promise<void> {
  const client = reach({ url: row.url, provided: !row.own }, keyOf(secrets, row));
  await client.setWebhook(row.name, { enabled: false, url: row.url, headers: {}, events: [] });
}
