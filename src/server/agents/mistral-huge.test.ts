import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeEach, expect, onTestFinished, test } from "vitest";
import { startMistral } from "../../../simulators/mistral/stand-in.ts";
import { Agent } from "../../contract/agents.ts";
import { AGENT_INSTRUCTIONS_MAX, DEFAULT_MODEL } from "../../domain/agent.ts";
import { systemClock } from "../base/clock.ts";
import { readPrivateHosts } from "../net/addresses.ts";
import { openGuardedFetch } from "../net/guarded-fetch.ts";
import { openMistral } from "./mistral-client.ts";

const standIn = await startMistral();
const guardedFetch = openGuardedFetch({ privateHosts: readPrivateHosts(standIn.host) });
beforeEach(() => standIn.reset());
afterAll(async () => {
  await guardedFetch.close();
  await standIn.stop();
});

const mistral = openMistral({ guardedFetch, clock: systemClock, timeoutMs: 120_000 }).forKey({
  apiKey: standIn.keys[0] ?? "",
  baseUrl: standIn.url,
});
const question = { agentId: "ag_1", messages: [{ role: "user" as const, content: "Oi" }] };

test.each([
  ["objects", Array.from({ length: 12_000 }, () => ({}))],
  ["numbers", Array.from({ length: 100_000 }, () => 1)],
])("of a list of so many %s that each would be reported on, none is", async (_, data) => {
  standIn.fail({ kind: "refuse", status: 200, body: { object: "list", data } });
  const tooLarge = { code: "mistral_garbage", details: { reason: "too_large" } };
  await expect(mistral.listAgents()).rejects.toMatchObject(tooLarge);
  await expect(mistral.listModels()).rejects.toMatchObject(tooLarge);
  standIn.fail({ kind: "refuse", status: 422, body: { detail: data } });
  await expect(mistral.complete(question)).rejects.toMatchObject(tooLarge);
});

test("long instructions full of signs are read, a page of them", async () => {
  const instructions = '{"a": [1, 2, 3]}, '.repeat(AGENT_INSTRUCTIONS_MAX / 18).trim();
  const named = (name: string) => ({ name, description: "", instructions, temperature: 0 });
  for (const name of ["Ana", "Bia", "Caio"])
    await mistral.createAgent({ ...named(name), model: DEFAULT_MODEL });
  expect((await mistral.listAgents()).map((one) => one.instructions)).toEqual(Array(3).fill(instructions));
});

test("an agent made in a year that our own answers cannot name hides no other: they tell the nearest that they can", async () => {
  const named = { name: "Ana", description: "", instructions: "", temperature: 0 };
  await mistral.createAgent({ ...named, model: DEFAULT_MODEL });
  const [stored] = standIn.agents(standIn.keys[0] ?? "");
  const far = { created_at: "0000-01-01T00:00:00+01:00", updated_at: "9999-12-31T23:59:59-12:00" };
  standIn.fail({ kind: "refuse", status: 200, body: { object: "list", data: [{ ...stored, ...far }] } });
  const [agent] = await mistral.listAgents();
  expect(Agent.shape.created_at.parse(agent?.createdAt.toISOString())).toBe("0000-01-01T00:00:00.000Z");
  expect(Agent.shape.updated_at.parse(agent?.updatedAt.toISOString())).toBe("9999-12-31T23:59:59.999Z");
});

async function listFrom(answer: (asked: number) => { status: number; text: string }) {
  let asked = 0;
  const server = createServer((_, response) => {
    const { status, text } = answer(++asked);
    response.writeHead(status, { "content-type": "application/json" }).end(text);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const own = openGuardedFetch({ privateHosts: readPrivateHosts(host) });
  onTestFinished(async () => {
    await own.close();
    server.close();
  });
  const access = { apiKey: "key", baseUrl: `http://${host}` };
  const list = openMistral({ guardedFetch: own, clock: systemClock, timeoutMs: 120_000 })
    .forKey(access)
    .listAgents();
  return { list, asked: () => asked };
}

test("pages upon pages of large agents are given up once they are more than a list of them is", async () => {
  const { list, asked } = await listFrom((nth) => ({
    status: 200,
    text: JSON.stringify({ object: "list", data: [], next_page_token: `${nth}`, of: "x".repeat(8_000_000) }),
  }));
  await expect(list).rejects.toMatchObject({
    code: "mistral_garbage",
    details: { reason: "too_large" },
  });
  expect(asked()).toBe(4);
});

test("a refusal whose words lie in thousands of lists is one without words", async () => {
  const { list } = await listFrom(() => ({
    status: 400,
    text: `{"detail":${"[".repeat(9_900)}"deep"${"]".repeat(9_900)}}`,
  }));
  const refused = { code: "mistral_refused", details: { status: 400, reason: "HTTP 400" } };
  await expect(list).rejects.toMatchObject(refused);
});
