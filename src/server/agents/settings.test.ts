import { expect, test } from "vitest";
import { testDatabase } from "../../../tests/support/database.ts";
import { makeAccount } from "../../../tests/support/sending.ts";
import { ownerOf } from "../db/owner.ts";
import { createSecrets } from "../db/secrets.ts";
import type { Mistral, MistralAccount } from "./mistral-client.ts";
import type { MistralAccess } from "./mistral-types.ts";
import { MistralSettingsService } from "./settings.ts";

const { db } = await testDatabase();

test("27.8 the operator's Mistral may be inside the network, and no address beside it that an account types", async () => {
  const asked: MistralAccess[] = [];
  const mistral: Mistral = {
    forKey: (access) => {
      asked.push(access);
      return { listModels: async () => [] } as Partial<MistralAccount> as MistralAccount;
    },
  };
  const settings = new MistralSettingsService({
    secrets: createSecrets(Buffer.alloc(32, 7).toString("base64")),
    mistral,
    changes: { mark: () => undefined },
    operator: { apiKey: null, baseUrl: "http://10.0.0.7:9100" },
  });
  const owner = ownerOf(db, await makeAccount(db));
  const configured = async (baseUrl: string) => {
    await settings.save(owner, { apiKey: "chave", baseUrl });
    await settings.access(owner);
    return asked.splice(0).map((access) => access.configured);
  };
  expect(await configured("")).toEqual([true, true]);
  expect(await configured("http://10.0.0.7:9100")).toEqual([true, true]);
  expect(await configured("http://10.0.0.7:9200")).toEqual([false, false]);
});
