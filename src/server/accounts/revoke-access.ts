import type { Access } from "../../contract/accounts.ts";
import type { Clock } from "../../domain/clock.ts";
import { record } from "../audit/service.ts";
import type { Owner } from "../db/owner.ts";
import { deleteLinksOf } from "./link-repo.ts";
import { listLivingApiKeys, revokeApiKeys, storePendingEmail } from "./repo.ts";

/** What brings an account's messages elsewhere, besides API keys. */
export type OutwardAccess = {
  /** Ends the addresses to which messages go; answers which there were. Inside a transaction. */
  end(owner: Owner): Promise<Access[]>;
  /** All there is now: these addresses, servers of the account's own, a Mistral key of its own. */
  list(owner: Owner): Promise<Access[]>;
};

export type RevokeDeps = { clock: Pick<Clock, "now">; outward: OutwardAccess };

/** `ended`: what was revoked. `living`: what is still there, and has to be looked at. */
export type AccessChange = { ended: Access[]; living: Access[] };

/**
 * Ends what a thief may have left behind: every API key, every address that gets messages, a change of e-mail that waits. Own servers and
 * the Mistral key stay, as the account's numbers and agents run over them: they are named. Inside a transaction.
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

/** Nothing is revoked: everything is named. */
export async function keepAccess({ clock, outward }: RevokeDeps, owner: Owner): Promise<AccessChange> {
  const keys = await listLivingApiKeys(owner, clock.now());
  return { ended: [], living: [...keys.map(keyAccess), ...(await outward.list(owner))] };
}

const keyAccess = ({ name, prefix }: { name: string; prefix: string }): Access => ({
  kind: "key",
  name,
  prefix,
});
