import type { z } from "zod";
import type { agents, MistralSettings } from "../../contract/agents.ts";
import { DEFAULT_MISTRAL_URL } from "../../domain/agent.ts";
import { record } from "../audit/service.ts";
import type { Changes } from "../db/live-updates.ts";
import { mayUse } from "../db/operator-services.ts";
import type { Owner } from "../db/owner.ts";
import { keyHint, type Secrets } from "../db/secrets.ts";
import { fieldError } from "../http/errors.ts";
import type { Mistral, MistralAccount } from "./mistral-client.ts";
import { deleteSetting, findSetting, storeSetting } from "./settings-repo.ts";

export type MistralSettingsService = ReturnType<typeof mistralSettings>;

export type SettingsDeps = {
  secrets: Pick<Secrets, "seal" | "open">;
  mistral: Mistral;
  changes: Pick<Changes, "mark">;
  /** What the operator's environment says: a key for whoever has none, and another place than Mistral's own. */
  operator: { apiKey: string | null; baseUrl: string | null };
};

/** An account's way to Mistral. With the operator's key it shares a workspace with other accounts, and only sees the agents that it made. */
export type Access = { source: z.infer<typeof MistralSettings>["source"]; mistral: MistralAccount };

export const mistralKeyPlace = (accountId: string) => `mistral_setting/${accountId}`;

/** With which key, and where, an account speaks to Mistral: its own goes in and never comes out. */
export function mistralSettings({ secrets, mistral, changes, operator }: SettingsDeps) {
  const elsewhere = operator.baseUrl ?? DEFAULT_MISTRAL_URL;
  const as = (owner: Owner, apiKey: string | null, baseUrl: string | null) =>
    mistral.forKey({
      ...{ apiKey, baseUrl: baseUrl ?? elsewhere, account: owner.accountId },
      // Also where a form was sent with the address that it showed.
      configured: operator.baseUrl !== null && (baseUrl ?? elsewhere) === operator.baseUrl,
    });

  /** Null where there is none, or where it is not open to this account. */
  async function operatorKey(owner: Owner): Promise<string | null> {
    const { apiKey } = operator;
    return apiKey !== null && (await mayUse(owner, "mistral")) ? apiKey : null;
  }

  /** With another key there are other agents. */
  const tell = ({ accountId }: Owner) => changes.mark(accountId, "agents");

  async function show(owner: Owner): Promise<z.input<typeof MistralSettings>> {
    const own = await findSetting(owner);
    const defaultUrl = elsewhere;
    if (own)
      return {
        ...{ source: "account", operatorClosed: false, keyHint: own.key_hint },
        ...{ baseUrl: own.base_url ?? elsewhere, defaultUrl },
      };
    const source = (await operatorKey(owner)) === null ? "none" : "operator";
    const operatorClosed = source === "none" && operator.apiKey !== null;
    return { source, operatorClosed, keyHint: null, baseUrl: elsewhere, defaultUrl };
  }

  return {
    show,

    /** Whoever has no key gets an access on which every call throws `mistral_no_key`. */
    access: async (owner: Owner): Promise<Access> => {
      const own = await findSetting(owner);
      if (!own) {
        const apiKey = await operatorKey(owner);
        return { source: apiKey === null ? "none" : "operator", mistral: as(owner, apiKey, null) };
      }
      const apiKey = secrets.open(own.api_key, mistralKeyPlace(owner.accountId)).toString();
      return { source: "account", mistral: as(owner, apiKey, own.base_url) };
    },

    /** The key is asked for with every change: a stored one must not be sent to an address that somebody types now. */
    save: async (owner: Owner, body: z.output<typeof agents.saveSettings.body>) => {
      const apiKey = body.apiKey.trim();
      const baseUrl = body.baseUrl.trim();
      if (apiKey === "") throw fieldError({ apiKey: "required" });
      await as(owner, apiKey, baseUrl === "" ? null : baseUrl).listModels();
      await owner.db.transaction().execute(async (tx) => {
        await storeSetting(owner.in(tx), {
          api_key: secrets.seal(apiKey, mistralKeyPlace(owner.accountId)),
          key_hint: keyHint(apiKey),
          base_url: baseUrl === "" ? null : baseUrl,
        });
        const details = baseUrl === "" ? {} : { details: { host: new URL(baseUrl).host } };
        await record(owner.in(tx), { kind: "mistral_set", ...details });
      });
      tell(owner);
      return show(owner);
    },

    remove: async (owner: Owner) => {
      await owner.db.transaction().execute(async (tx) => {
        if (await deleteSetting(owner.in(tx))) await record(owner.in(tx), { kind: "mistral_removed" });
      });
      tell(owner);
      return show(owner);
    },
  };
}
