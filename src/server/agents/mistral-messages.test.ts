import { afterAll, expect, test } from "vitest";
import { startMistral } from "../../../simulators/mistral/stand-in.ts";
import { DEFAULT_MODEL } from "../../domain/agent.ts";
import { systemClock } from "../base/clock.ts";
import { readPrivateHosts } from "../net/addresses.ts";
import { openGuardedFetch } from "../net/guarded-fetch.ts";
import { openMistral } from "./mistral-client.ts";

const standIn = await startMistral();
const guardedFetch = openGuardedFetch({ privateHosts: readPrivateHosts(standIn.host) });
const mistral = openMistral({ guardedFetch, clock: systemClock, timeoutMs: 60_000 }).forKey({
  apiKey: standIn.keys[0] ?? "",
  baseUrl: standIn.url,
});
afterAll(async () => {
  await guardedFetch.close();
  await standIn.stop();
});

const CALL = {
  role: "assistant",
  content: "Vou procurar.",
  tool_calls: [{ id: "c1", type: "function", function: { name: "web_search", arguments: "{}" } }],
};
const FOUND = { role: "tool", tool_call_id: "c1", content: "Abre às 9" };

async function answerOf(messages: readonly object[], finishReason: string) {
  const agent = {
    name: "Atendente",
    description: "",
    instructions: "",
    model: DEFAULT_MODEL,
    temperature: 0,
  };
  const { id } = await mistral.createAgent(agent);
  standIn.answers(() => ({ messages, finishReason }));
  return mistral.complete({ agentId: id, messages: [{ role: "user", content: "Que horas abre?" }] });
}

test("of several messages in place of the one, as an agent with Mistral's own tools has, the last is the answer", async () => {
  const said = { role: "assistant", content: [{ type: "text", text: "Abrimos às 9." }] };
  expect(await answerOf([CALL, FOUND, said], "stop")).toMatchObject({ text: "Abrimos às 9.", cut: false });
});

test("text beside a tool call, or from a tool, is no answer", async () => {
  await expect(answerOf([CALL], "tool_calls")).rejects.toMatchObject({ code: "mistral_no_answer" });
  await expect(answerOf([CALL, FOUND, { role: "assistant", content: "" }], "stop")).rejects.toMatchObject({
    code: "mistral_no_answer",
  });
});
