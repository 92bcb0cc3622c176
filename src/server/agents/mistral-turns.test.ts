import { afterAll, expect, test } from "vitest";
import { startMistral } from "../../../simulators/mistral/stand-in.ts";
import { DEFAULT_MODEL } from "../../domain/agent.ts";
import { systemClock } from "../base/clock.ts";
import { readPrivateHosts } from "../net/addresses.ts";
import { openGuardedFetch } from "../net/guarded-fetch.ts";
import { openMistral } from "./mistral-client.ts";

const standIn = await startMistral();
const guardedFetch = openGuardedFetch({ privateHosts: readPrivateHosts(standIn.host), connections: 16 });
afterAll(async () => {
  await guardedFetch.close();
  await standIn.stop();
});

test("one account's questions to a Mistral that takes its time leave the others their connections", async () => {
  const mistral = openMistral({ guardedFetch, clock: systemClock, timeoutMs: 60_000 });
  const of = (account: string) =>
    mistral.forKey({ apiKey: standIn.keys[0] ?? "", baseUrl: standIn.url, account });
  const agent = { name: "Atendente", description: "", instructions: "Seja breve.", temperature: 0 };
  const { id } = await of("a").createAgent({ ...agent, model: DEFAULT_MODEL });
  const held: (() => void)[] = [];
  standIn.answers(() => new Promise((resolve) => held.push(() => resolve("Pois não"))));
  const ask = (content: string, timeoutMs = 120_000) =>
    of("a").complete({ agentId: id, messages: [{ role: "user", content }], timeoutMs });

  const all = Array.from({ length: 16 }, (_, nth) => ask(`Oi ${nth}`));
  await expect.poll(() => held.length).toBeGreaterThanOrEqual(12);
  expect(await of("b").listAgents()).toHaveLength(1);
  await expect(ask("Tarde", 50)).rejects.toMatchObject({
    code: "mistral_down",
    details: { reason: "timeout", sent: false },
  });
  for (let answered = 0; answered < 16; answered++) {
    await expect.poll(() => held.length).toBeGreaterThan(answered);
    held[answered]?.();
  }
  expect(await Promise.all(all)).toMatchObject(Array(16).fill({ text: "Pois não" }));
  expect(held).toHaveLength(16);
});
