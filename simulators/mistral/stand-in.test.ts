import { Mistral } from "@mistralai/mistralai";
import { afterAll, beforeEach, expect, test } from "vitest";
import { startMistral } from "./stand-in.ts";

const standIn = await startMistral({ now: () => new Date("2026-11-20T12:00:00Z"), random: () => 0.5 });
const [key = "", other = ""] = standIn.keys;
const sdk = new Mistral({ apiKey: key, serverURL: standIn.url });

beforeEach(() => standIn.reset());
afterAll(() => standIn.stop());

const ask = (path: string, init: RequestInit = {}, apiKey = key) =>
  fetch(standIn.url + path, { ...init, headers: { authorization: `Bearer ${apiKey}` } });

test("Mistral's own SDK reads its answers: models, an agent's life, a completion", async () => {
  const { data } = await sdk.models.list();
  expect(data?.map(({ type }) => type)).toContain("fine-tuned");
  const made = await sdk.beta.agents.create({ name: "Ana", model: "mistral-small-latest" });
  expect(made).toMatchObject({ id: `ag_${"8".repeat(32)}`, version: 0, versions: [0], source: "api" });
  await sdk.beta.agents.update({ agentId: made.id, updateAgentRequest: { instructions: "Breve." } });
  expect(await sdk.beta.agents.get({ agentId: made.id })).toMatchObject({ version: 1, versions: [0, 1] });
  const { choices } = await sdk.agents.complete({
    agentId: made.id,
    messages: [{ role: "user", content: "Oi" }],
  });
  expect(choices).toMatchObject([{ message: { content: "Ana: Oi (1)" }, finishReason: "stop" }]);
  expect(standIn.completions()).toMatchObject([{ key, instructions: "Breve.", temperature: null }]);
  await sdk.beta.agents.delete({ agentId: made.id });
  expect(standIn.agents(key)).toEqual([]);
});

test("agents are listed by page number as by token, newest first, for their key alone", async () => {
  const own = await startMistral();
  const mistral = new Mistral({ apiKey: key, serverURL: own.url });
  for (const name of ["1", "2", "3", "4", "5"]) {
    await mistral.beta.agents.create({ name, model: "mistral-small-latest" });
  }
  const byNumber: string[][] = [];
  for (const page of [0, 1, 2, 3]) {
    const agents: { name: string }[] = await (
      await fetch(`${own.url}/v1/agents?page=${page}&page_size=2`, {
        headers: { authorization: `Bearer ${key}` },
      })
    ).json();
    byNumber.push(agents.map(({ name }) => name));
  }
  expect(byNumber).toEqual([["5", "4"], ["3", "2"], ["1"], []]);
  const byToken: string[][] = [];
  for await (const { result } of await mistral.beta.agents.listPages({ pageSize: 2 })) {
    byToken.push(result.data.map(({ name }) => name));
  }
  expect(byToken).toEqual([["5", "4"], ["3", "2"], ["1"]]);
  expect(own.agents(other)).toEqual([]);
  await own.stop();
});

test("faults are worded as Mistral words them", async () => {
  const answer = async (response: Promise<Response>) => [
    (await response).status,
    await (await response).json(),
  ];
  expect(await answer(ask("/v1/models", {}, "stranger"))).toEqual([401, { detail: "Unauthorized" }]);
  const [status, { detail }] = await answer(ask("/v1/agents", { method: "POST", body: '{"name":"x"}' }));
  expect([status, detail]).toMatchObject([
    422,
    [{ type: "missing", loc: ["body", "model"], msg: "Field required" }],
  ]);
  expect(await answer(ask("/v1/agents?page=-1"))).toMatchObject([
    422,
    { detail: [{ loc: ["query", "page"] }] },
  ]);
  expect(await answer(ask("/v1/agents/ag_none"))).toMatchObject([
    404,
    { object: "error", type: "not_found" },
  ]);
  expect(await answer(ask("/v1/nothing"))).toEqual([404, { detail: "Not Found" }]);
  const completion = { method: "POST", body: '{"agent_id":"a","messages":[1]}' };
  expect(await answer(ask("/v1/agents/completions", completion))).toMatchObject([
    422,
    { detail: [{ loc: ["body", "messages", 0] }] },
  ]);
});

test("a fault lasts as many requests as said, and only where said", async () => {
  standIn.fail({ kind: "rate_limited", retryAfter: 3 }, { times: 1, path: "/v1/agents" });
  expect((await ask("/v1/models")).status).toBe(200);
  const limited = await ask("/v1/agents");
  expect([limited.status, limited.headers.get("retry-after")]).toEqual([429, "3"]);
  expect((await ask("/v1/agents")).status).toBe(200);
  expect(standIn.requests().map(({ path, status }) => [path, status])).toEqual([
    ["/v1/models", 200],
    ["/v1/agents", 429],
    ["/v1/agents", 200],
  ]);
});
