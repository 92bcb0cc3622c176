import { afterAll, expect, test } from "vitest";
import { startMistral } from "../../../simulators/mistral/stand-in.ts";
import { manualClock } from "../../../tests/support/manual-clock.ts";
import { DEFAULT_MODEL } from "../../domain/agent.ts";
import { readPrivateHosts } from "../net/addresses.ts";
import { openGuardedFetch } from "../net/guarded-fetch.ts";
import { openMistral } from "./mistral-client.ts";

const standIn = await startMistral();
const guardedFetch = openGuardedFetch({ privateHosts: readPrivateHosts(standIn.host) });
afterAll(async () => {
  await guardedFetch.close();
  await standIn.stop();
});

test("one account's failures with a key that many share are not the others'", async () => {
  const mistral = openMistral({ guardedFetch, clock: manualClock() });
  const apiKey = standIn.keys[0] ?? "";
  const of = (account: string) => mistral.forKey({ apiKey, baseUrl: standIn.url, account });
  const agent = { name: "Atendente", description: "", instructions: "Seja breve.", temperature: 0 };
  const { id } = await of("a").createAgent({ ...agent, model: DEFAULT_MODEL });
  standIn.answers(({ messages }) =>
    messages.at(-1)?.content === "pense" ? new Promise(() => undefined) : "Pois não",
  );
  const ask = (account: string, content: string, timeoutMs = 30_000) =>
    of(account).complete({ agentId: id, messages: [{ role: "user", content }], timeoutMs });
  for (let nth = 0; nth < 5; nth++)
    await expect(ask("a", "pense", 100)).rejects.toMatchObject({ details: { reason: "timeout" } });
  await expect(ask("a", "Oi")).rejects.toMatchObject({ details: { reason: "resting" } });
  expect((await ask("b", "Oi")).text).toBe("Pois não");
});
