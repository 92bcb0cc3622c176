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
  /** A key for accounts without one, and Mistral's address. */
  operator: { apiKey: string | null; baseUrl: string | null };
};

/** With the operator's key only the agents it created. */
export type Access = { source: z.infer<typeof MistralSettings>["source"]; mistral: MistralAccount };

export const mistralKeyPlace = (accountId: string) => `mistral_setting/${accountId}`;

/** Own keys are stored sealed and never returned. */
export function mistralSettings({ secrets, mistral, changes, operator }: SettingsDeps) {
  const elsewhere = operator.baseUrl ?? DEFAULT_MISTRAL_URL;
  const as = (owner: Owner, apiKey: string | null, baseUrl: string | null) =>
    mistral.forKey({
      ...{ apiKey, baseUrl: baseUrl ?? elsewhere, account: owner.accountId },
      // True also for a form that sends back the shown address.
      configured: operator.baseUrl !== null && (baseUrl ?? elsewhere) === operator.baseUrl,
    });

  /** Null also when not open to this account. */
  async function operatorKey(owner: Owner): Promise<string | null> {
    const { apiKey } = operator;
    return apiKey !== null && (await mayUse(owner, "mistral")) ? apiKey : null;
  }

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

    /** Without a key, calls throw `mistral_no_key`. */
    access: async (owner: Owner): Promise<Access> => {
      const own = await findSetting(owner);
      if (!own) {
        const apiKey = await operatorKey(owner);
        return { source: apiKey === null ? "none" : "operator", mistral: as(owner, apiKey, null) };
      }
      const apiKey = secrets.open(own.api_key, mistralKeyPlace(owner.accountId)).toString();
      return { source: "account", mistral: as(owner, apiKey, own.base_url) };
    },

    /** Needs the key: a stored one must not go to a newly typed address. */
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
