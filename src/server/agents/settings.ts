import type { z } from "zod";
import type { agents, MistralSettings } from "../../contract/agents.ts";
import { DEFAULT_MISTRAL_URL } from "../../domain/agent.ts";
import { record } from "../audit/service.ts";
import type { Db } from "../db/client.ts";
import type { Changes } from "../db/live-updates.ts";
import { mayUse } from "../db/operator-services.ts";
import type { Owner } from "../db/owner.ts";
import { keyHint, type Secrets } from "../db/secrets.ts";
import { fieldError } from "../http/errors.ts";
import type { Mistral, MistralAccount } from "./mistral-client.ts";
import {
  deleteSetting,
  findSetting,
  findUnreadableSettings,
  replaceKey,
  storeSetting,
} from "./settings-repo.ts";

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

type SettingsShown = z.input<typeof MistralSettings>;

/** Seals `placeholder` in place of keys that these secrets cannot open; returns their number. */
export async function replaceUnreadableKeys(tx: Db, secrets: Secrets, placeholder: string): Promise<number> {
  const accounts = await findUnreadableSettings(tx, secrets);
  for (const account of accounts)
    await replaceKey(tx, account, secrets.seal(placeholder, mistralKeyPlace(account)));
  return accounts.length;
}

/** Own keys are stored sealed and never returned. */
export class MistralSettingsService {
  readonly #deps: SettingsDeps;
  readonly #defaultUrl: string;

  constructor(deps: SettingsDeps) {
    this.#deps = deps;
    this.#defaultUrl = deps.operator.baseUrl ?? DEFAULT_MISTRAL_URL;
  }

  async show(owner: Owner): Promise<SettingsShown> {
    const own = await findSetting(owner);
    const defaultUrl = this.#defaultUrl;
    if (own)
      return {
        source: "account",
        operatorClosed: false,
        keyHint: own.key_hint,
        baseUrl: own.base_url ?? defaultUrl,
        defaultUrl,
      };
    const source = (await this.#operatorKey(owner)) === null ? "none" : "operator";
    const operatorClosed = source === "none" && this.#deps.operator.apiKey !== null;
    return { source, operatorClosed, keyHint: null, baseUrl: defaultUrl, defaultUrl };
  }

  /** Without a key, calls throw `mistral_no_key`. */
  async access(owner: Owner): Promise<Access> {
    const own = await findSetting(owner);
    if (!own) {
      const apiKey = await this.#operatorKey(owner);
      return { source: apiKey === null ? "none" : "operator", mistral: this.#accountAt(owner, apiKey, null) };
    }
    const apiKey = this.#deps.secrets.open(own.api_key, mistralKeyPlace(owner.accountId)).toString();
    return { source: "account", mistral: this.#accountAt(owner, apiKey, own.base_url) };
  }

  /** Needs the key: a stored one must not go to a newly typed address. */
  async save(owner: Owner, body: z.output<typeof agents.saveSettings.body>): Promise<SettingsShown> {
    const apiKey = body.apiKey.trim();
    const typedUrl = body.baseUrl.trim();
    const baseUrl = typedUrl === "" ? null : typedUrl;
    if (apiKey === "") throw fieldError({ apiKey: "required" });
    await this.#accountAt(owner, apiKey, baseUrl).listModels();
    await owner.db.transaction().execute(async (tx) => {
      await storeSetting(owner.in(tx), {
        api_key: this.#deps.secrets.seal(apiKey, mistralKeyPlace(owner.accountId)),
        key_hint: keyHint(apiKey),
        base_url: baseUrl,
      });
      const details = baseUrl === null ? {} : { details: { host: new URL(baseUrl).host } };
      await record(owner.in(tx), { kind: "mistral_set", ...details });
    });
    return this.#publish(owner);
  }

  async remove(owner: Owner): Promise<SettingsShown> {
    await owner.db.transaction().execute(async (tx) => {
      if (await deleteSetting(owner.in(tx))) await record(owner.in(tx), { kind: "mistral_removed" });
    });
    return this.#publish(owner);
  }

  #publish(owner: Owner): Promise<SettingsShown> {
    this.#deps.changes.mark(owner.accountId, "agents");
    return this.show(owner);
  }

  /** Null also when not open to this account. */
  async #operatorKey(owner: Owner): Promise<string | null> {
    const { apiKey } = this.#deps.operator;
    return apiKey !== null && (await mayUse(owner, "mistral")) ? apiKey : null;
  }

  #accountAt(owner: Owner, apiKey: string | null, ownUrl: string | null): MistralAccount {
    const baseUrl = ownUrl ?? this.#defaultUrl;
    // True also for a form that sends back the shown address.
    const configured = this.#deps.operator.baseUrl === baseUrl;
    return this.#deps.mistral.forKey({ apiKey, baseUrl, account: owner.accountId, configured });
  }
}
