import type { OutwardAccess } from "../accounts/revoke-access.ts";
import { findSetting } from "../agents/settings-repo.ts";
import { endRelays, listOutward } from "../gateways/outward.ts";

/** Lets accounts list data forwarding without importing gateways or agents. */
export const outwardAccess: OutwardAccess = {
  end: endRelays,
  async list(owner) {
    const mistral = await findSetting(owner);
    return [
      ...(await listOutward(owner)),
      ...(mistral ? [{ kind: "mistral" as const, hint: mistral.key_hint }] : []),
    ];
  },
};
