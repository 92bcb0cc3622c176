import { AppError } from "../../domain/errors.ts";
import { record } from "../audit/service.ts";
import type { FillPlace } from "../db/account-limits.ts";
import { isUniqueViolation } from "../db/errors.ts";
import type { Owner } from "../db/owner.ts";
import type { Secrets } from "../db/secrets.ts";
import { wake } from "../sending/sending.ts";
import { cleanText } from "../transports/content/own-values.ts";
import type { GatewayInstance } from "../transports/gateway/instance-rows.ts";
import { tokenPlace } from "./access.ts";
import { holderOf, insertInstance, type NewRow, noteRelay, storeFacts } from "./instances-repo.ts";
import { hookChanged } from "./webhook-hooks.ts";
import { hookSecretPlace, makeHookId, makeHookSecret } from "./webhook-secret.ts";

/** Connection and instance in one commit. Throws `instance_taken`. */
export async function storeInstance(
  secrets: Pick<Secrets, "seal">,
  owner: Owner,
  row: NewRow,
  { token, hookSecret }: { token: string | null; hookSecret: string },
  kind: "instance_created" | "instance_added",
  fill: FillPlace = async () => undefined,
): Promise<number> {
  try {
    return await owner.db.transaction().execute(async (tx) => {
      const id = await insertInstance(owner.in(tx), row, (connectionId) => ({
        token: token === null ? null : secrets.seal(token, tokenPlace(connectionId)),
        hookSecret: secrets.seal(hookSecret, hookSecretPlace(connectionId)),
      }));
      await fill(tx);
      await record(owner.in(tx), { kind, subject: row.name });
      if (row.relayUrl !== null) await noteRelay(owner.in(tx), row.name, row.relayUrl);
      await wake(tx, id);
      await hookChanged(tx, id);
      return id;
    });
  } catch (error) {
    throw isUniqueViolation(error) ? new AppError("instance_taken") : error;
  }
}

/** For the server's account or the operator's choice; its webhook is not set yet. Throws `instance_taken`. */
export async function takeIn(
  secrets: Pick<Secrets, "seal">,
  owner: Owner,
  gateway: { id: number; url: string },
  there: GatewayInstance,
  fill?: FillPlace,
): Promise<number> {
  const { name, token, phone, profileName, pictureUrl } = there;
  if ((await holderOf(owner.db, gateway.url, name)) !== null) throw new AppError("instance_taken");
  const row: NewRow = {
    gatewayId: gateway.id,
    gatewayUrl: gateway.url,
    name,
    integration: cleanText(there.integration, 60),
    number: there.number && cleanText(there.number, 60),
    hookId: makeHookId(),
    hookState: "unset",
    relayUrl: null,
  };
  const id = await storeInstance(
    secrets,
    owner,
    row,
    { token, hookSecret: makeHookSecret() },
    "instance_added",
    fill,
  );
  await storeFacts(owner.db, id, { phone, profileName, pictureUrl });
  return id;
}
