import { afterAll } from "vitest";
import { startMistral } from "../../simulators/mistral/stand-in.ts";

/** The operator's environment for a simulated Mistral, so that no test calls the real one. */
export async function mistralForTests(): Promise<Record<string, string>> {
  const mistral = await startMistral();
  afterAll(() => mistral.stop());
  return {
    RECADO_MISTRAL_KEY: mistral.keys[0] ?? "",
    RECADO_MISTRAL_FOR: "all",
    RECADO_MISTRAL_URL: mistral.url,
    RECADO_PRIVATE_HOSTS: mistral.host,
  };
}
