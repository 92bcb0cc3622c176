import type { Db } from "../db/client.ts";
import type { Secrets } from "../db/secrets.ts";
import type { NoteProfile, ReadAccess } from "../transports/gateway/access.ts";
import { findReached, type Reached, storeFacts } from "./instances-repo.ts";

export const apiKeyPlace = (gatewayId: number) => `gateway/${gatewayId}/api_key`;
export const tokenPlace = (connectionId: number) => `instance/${connectionId}/token`;

/** The instance's own token opens only this instance; else the server's key. */
export function keyOf(secrets: Pick<Secrets, "open">, row: Reached): string {
  const { token, api_key, connection_id, gateway_id } = row;
  const [sealed, place] = token ? [token, tokenPlace(connection_id)] : [api_key, apiKeyPlace(gateway_id)];
  return secrets.open(sealed, place).toString();
}

/** Null once the server was forgotten or withdrawn. */
export function instanceAccess(db: Db, secrets: Pick<Secrets, "open">): ReadAccess {
  return async (connectionId) => {
    const row = await findReached(db, connectionId);
    if (!row || row.withdrawn) return null;
    const { url, name, integration, number } = row;
    const serverKey =
      row.own && row.token ? secrets.open(row.api_key, apiKeyPlace(row.gateway_id)).toString() : null;
    const server = { baseUrl: url, provided: !row.own };
    return { ...server, apiKey: keyOf(secrets, row), serverKey, name, integration, number };
  };
}

export function noteProfile(db: Db): NoteProfile {
  return (connectionId, profile) => storeFacts(db, connectionId, profile);
}
