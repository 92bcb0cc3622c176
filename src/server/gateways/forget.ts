import type { Logger } from "pino";
import { record } from "../audit/service.ts";
import type { ConnectionService } from "../connections/service.ts";
import { readHold } from "../db/hold.ts";
import type { Owner } from "../db/owner.ts";
import { keyOf } from "./access.ts";
import type { HookDeps } from "./hook.ts";
import { findReached, listInstances, type Reached } from "./instances-repo.ts";
import { deleteGateway, findGateway } from "./repo.ts";

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
  // In a held copy they are the original's, which may go on.
  const held = (await readHold(owner.db)) !== null;
  const ours = instances.filter(({ hook_state }) => hook_state === "ours" && !held);
  const reached = await Promise.all(ours.map((row) => findReached(owner.db, row.connection_id)));
  const ids = instances.map((row) => row.connection_id);
  const name = (await findGateway(owner, gatewayId))?.name ?? "";
  await deps.connections.forget(owner, ids, async (tx) => {
    await deleteGateway(tx, gatewayId);
    await record(tx, { kind: "gateway_removed", subject: name });
  });
  for (const row of reached) {
    if (row)
      switchOff(deps, row).catch((error: unknown) =>
        deps.log.info({ err: error, name: row.name }, "webhook of a forgotten instance stays"),
      );
  }
}

async function switchOff({ secrets, reach }: ForgetDeps, row: Reached): Promise<void> {
  const client = reach(row.url, keyOf(secrets, row));
  await client.setWebhook(row.name, { enabled: false, url: row.url, headers: {}, events: [] });
}
