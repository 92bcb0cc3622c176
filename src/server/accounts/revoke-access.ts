import type { Access } from "../../contract/accounts.ts";
import type { Clock } from "../../domain/clock.ts";
import { record } from "../audit/service.ts";
import type { Owner } from "../db/owner.ts";
import { deleteLinksOf } from "./link-repo.ts";
import { listLivingApiKeys, revokeApiKeys, storePendingEmail } from "./repo.ts";

export type OutwardAccess = {
  /** Inside a transaction. */
  end(owner: Owner): Promise<Access[]>;
  list(owner: Owner): Promise<Access[]>;
};

export type RevokeDeps = { clock: Pick<Clock, "now">; outward: OutwardAccess };

/** `living`: still valid, to be checked by the owner. */
export type AccessChange = { ended: Access[]; living: Access[] };

/**
 * Ends keys, message addresses and a pending e-mail. Own servers and the Mistral key, which numbers and
 * agents need, are only reported. Inside a transaction.
 */
export async function revokeAccess({ clock, outward }: RevokeDeps, owner: Owner): Promise<AccessChange> {
  const keys = await revokeApiKeys(owner, clock.now());
  for (const { name } of keys) await record(owner, { kind: "key_revoked", subject: name });
  await storePendingEmail(owner, null);
  await deleteLinksOf(owner, "confirmation");
  return {
    ended: [...keys.map(keyAccess), ...(await outward.end(owner))],
    living: await outward.list(owner),
  };
}

/** Only reports. */
export async function keepAccess({ clock, outward }: RevokeDeps, owner: Owner): Promise<AccessChange> {
  const keys = await listLivingApiKeys(owner, clock.now());
  return { ended: [], living: [...keys.map(keyAccess), ...(await outward.list(owner))] };
}

const keyAccess = ({ name, prefix }: { name: string; prefix: string }): Access => ({
  kind: "key",
  name,
  prefix,
});
