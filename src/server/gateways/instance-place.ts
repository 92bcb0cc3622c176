import { AppError } from "../../domain/errors.ts";
import type { Owner } from "../db/owner.ts";
import type { Secrets } from "../db/secrets.ts";
import type { EvolutionClient } from "../transports/gateway/evolution-client.ts";
import type { GatewayInstance } from "../transports/gateway/instance-rows.ts";
import { apiKeyPlace } from "./access.ts";
import { findInstance, type InstanceRow } from "./instances-repo.ts";
import { findGateway, type GatewayRow, serverOf } from "./repo.ts";
import type { ReachServer } from "./server.ts";

/** A server as one account sees it. */
export type Place = { owner: Owner; gateway: GatewayRow; client: EvolutionClient };

export async function placeOf(
  { secrets, reach }: { secrets: Pick<Secrets, "open">; reach: ReachServer },
  owner: Owner,
  gatewayId: number,
): Promise<Place> {
  const gateway = await findGateway(owner, gatewayId);
  if (!gateway) throw new AppError("not_found");
  const apiKey = secrets.open(gateway.api_key, apiKeyPlace(gateway.id)).toString();
  return { owner, gateway, client: reach(serverOf(gateway), apiKey, owner.accountId) };
}

/** An own server's key opens all instances; the operator's only the account's. */
export const isOwn = ({ owner, gateway }: Place) => gateway.account_id === owner.accountId;

export async function needUsed({ owner, gateway }: Place, name: string): Promise<InstanceRow> {
  const row = await findInstance(owner, gateway.id, name);
  if (!row) throw new AppError("not_found");
  return row;
}

/** As the gateway lists it; null: not there. */
export async function found({ client }: Place, name: string): Promise<GatewayInstance | null> {
  const rows = await client.fetchInstances(name).catch((error: unknown) => {
    if (error instanceof AppError && error.code === "instance_unknown") return [];
    throw error;
  });
  return rows.find((row) => row.name === name) ?? null;
}

export function expectedNull(error: unknown): null {
  expected(error);
  return null;
}

/** Gateway refusals are stored; other errors are ours. */
export function expected(error: unknown): void {
  if (!(error instanceof AppError)) throw error;
}
