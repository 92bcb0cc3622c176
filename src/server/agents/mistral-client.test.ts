import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { type MistralStandIn, startMistral } from "../../../simulators/mistral/stand-in.ts";
import { manualClock } from "../../../tests/support/manual-clock.ts";
import { DEFAULT_MISTRAL_URL, DEFAULT_MODEL, DEFAULT_TEMPERATURE } from "../../domain/agent.ts";
import { AppError } from "../../domain/errors.ts";
import { systemClock } from "../base/clock.ts";
import { readPrivateHosts } from "../net/addresses.ts";
import { type GuardOptions, openGuardedFetch } from "../net/guarded-fetch.ts";
import { type MistralOptions, openMistral } from "./mistral-client.ts";
import type { AgentInput, MistralAccess } from "./mistral-types.ts";

const standIn: MistralStandIn = await startMistral({ keys: ["key-of-ana-5f1c", "key-of-bia-77d0"] });
const [ANA = "", BIA = ""] = standIn.keys;
const opened: { close(): Promise<void> }[] = [];

beforeEach(() => standIn.reset());
afterAll(async () => {
  await Promise.all(opened.map((one) => one.close()));
  await standIn.stop();
});

function openFetch(guard: Partial<GuardOptions> = {}) {
  const guardedFetch = openGuardedFetch({ privateHosts: readPrivateHosts(standIn.host), ...guard });
  opened.push(guardedFetch);
  return guardedFetch;
}

const client = (options: Partial<MistralOptions> = {}, guard: Partial<GuardOptions> = {}) =>
  openMistral({ guardedFetch: openFetch(guard), clock: systemClock, timeoutMs: 60_000, ...options });

const account = (options: Partial<MistralOptions> = {}, access: Partial<MistralAccess> = {}) =>
  client(options).forKey({ apiKey: ANA, baseUrl: standIn.url, ...access });

const agent = (changes: Partial<AgentInput> = {}): AgentInput => ({
  name: "Atendente",
  description: "Responde clientes",
  instructions: "Seja breve.",
  model: DEFAULT_MODEL,
  temperature: DEFAULT_TEMPERATURE,
  ...changes,
});

async function errorOf(call: Promise<unknown>): Promise<AppError> {
  const error: unknown = await call.then(
    () => null,
    (error: unknown) => error,
  );
  if (!(error instanceof AppError)) throw new Error(`no error of ours: ${String(error)}`);
  const { message, stack, details, cause } = error;
  const exposed = JSON.stringify([message, stack, details, cause, Object.entries(error)]);
  for (const key of [ANA, BIA]) expect(exposed).not.toContain(key);
  return error;
}

describe("agents", () => {
  test("one is made, read, changed and deleted @spec 1.6", async () => {
    const mistral = account();
    const made = await mistral.createAgent(agent({ temperature: 0.5 }));
    expect(made).toMatchObject({ ...agent({ temperature: 0.5 }), version: 0 });
    expect(made.createdAt).toBeInstanceOf(Date);
    expect(standIn.agents(ANA)).toMatchObject([
      { id: made.id, model: "mistral-small-latest", completion_args: { temperature: 0.5 } },
    ]);
    expect(await mistral.getAgent(made.id)).toEqual(made);

    const changed = await mistral.updateAgent(made.id, { name: "Vendedora", temperature: 0 });
    const kept = { instructions: "Seja breve." };
    expect(changed).toMatchObject({ ...kept, name: "Vendedora", temperature: 0, version: 1 });

    await mistral.deleteAgent(made.id);
    expect(standIn.agents(ANA)).toEqual([]);
    for (const call of [mistral.getAgent(made.id), mistral.deleteAgent(made.id)]) {
      expect((await errorOf(call)).code).toBe("mistral_agent_missing");
    }
  });

  test("what was set in Mistral's console beside the temperature survives a change here", async () => {
    const mistral = account();
    const { id } = await mistral.createAgent(agent());
    const [stored] = standIn.agents(ANA);
    Object.assign(stored ?? {}, { completion_args: { temperature: 0, top_p: 0.9, max_tokens: 300 } });
    await mistral.updateAgent(id, { temperature: 1 });
    expect(standIn.agents(ANA)).toMatchObject([
      { completion_args: { temperature: 1, top_p: 0.9, max_tokens: 300 } },
    ]);
  });

  test("all pages are read: 120 agents lie on three", async () => {
    const mistral = account();
    for (let turn = 1; turn <= 120; turn++) await mistral.createAgent(agent({ name: `Robô ${turn}` }));
    const found = await mistral.listAgents();
    expect(found.map(({ name }) => name)).toEqual(
      Array.from({ length: 120 }, (_, index) => `Robô ${120 - index}`),
    );
    expect(standIn.requests().filter(({ path }) => path === "/v1/agents/pages")).toHaveLength(3);
  });

  test("a page that is not full is not the last one while a token follows", async () => {
    const mistral = account();
    await mistral.createAgent(agent({ name: "Única" }));
    const body = { object: "list", data: [], next_page_token: "MA" };
    standIn.fail({ kind: "refuse", status: 200, body }, { times: 1, path: "/v1/agents/pages" });
    expect(await mistral.listAgents()).toMatchObject([{ name: "Única" }]);
  });

  test("a list without an end is given up", async () => {
    const body = { object: "list", data: [], next_page_token: "again" };
    standIn.fail({ kind: "refuse", status: 200, body });
    const error = await errorOf(account().listAgents());
    expect(error).toMatchObject({ code: "mistral_garbage", details: { reason: "endless_list" } });
    expect(standIn.requests()).toHaveLength(2);
  });

  test("two keys see different agents", async () => {
    await account().createAgent(agent());
    expect(await account({}, { apiKey: BIA }).listAgents()).toEqual([]);
    expect(await account().listAgents()).toHaveLength(1);
  });

  test("an id that would be another route is refused", async () => {
    for (const id of ["..", "", "a/b", "a b", `a${"b".repeat(300)}`]) {
      expect((await errorOf(account().deleteAgent(id))).code).toBe("mistral_agent_missing");
    }
    expect(standIn.requests()).toEqual([]);
  });

  test("models that can talk are offered; others and unknown kinds are not", async () => {
    const models = await account().listModels();
    expect(models.map(({ id }) => id)).toEqual([
      "mistral-small-2506",
      DEFAULT_MODEL,
      "mistral-medium-latest",
      "mistral-large-latest",
      "open-mistral-nemo",
      "ft:mistral-small:0a1b2c3d",
    ]);
    expect(models.filter(({ deprecated }) => deprecated)).toMatchObject([{ id: "open-mistral-nemo" }]);
  });
});

describe("an agent's answer", () => {
  test("comes with the whole context, the agent's own model, temperature and instructions", async () => {
    const mistral = account();
    const { id } = await mistral.createAgent(agent());
    const messages = [
      { role: "user" as const, content: "Oi" },
      { role: "assistant" as const, content: "Olá! Como posso ajudar?" },
      { role: "user" as const, content: "Vocês abrem sábado?" },
    ];
    standIn.answers(({ messages: asked }) => ` Sim, ${asked.length} vezes.\n`);
    const answer = await mistral.complete({ agentId: id, messages });
    expect(answer).toEqual({ text: "Sim, 3 vezes.", model: DEFAULT_MODEL, cut: false });
    expect(standIn.completions()).toMatchObject([
      { agentId: id, model: DEFAULT_MODEL, temperature: 0, instructions: "Seja breve.", messages },
    ]);
  });

  test("in pieces is put together, without the model's thoughts", async () => {
    const mistral = account();
    const { id } = await mistral.createAgent(agent());
    const thinking = { type: "thinking", thinking: [{ type: "text", text: "hmm" }] };
    const content = [thinking, { type: "text", text: "Abrimos " }, { type: "text", text: "às 9." }];
    standIn.answers(() => ({ content, finishReason: "length" }));
    const answer = await mistral.complete({ agentId: id, messages: [{ role: "user", content: "?" }] });
    expect(answer).toMatchObject({ text: "Abrimos às 9.", cut: true });
  });

  test("without a text is an error, not an empty message", async () => {
    const mistral = account();
    const { id } = await mistral.createAgent(agent());
    standIn.answers(() => ({ content: "", finishReason: "tool_calls" }));
    const error = await errorOf(
      mistral.complete({ agentId: id, messages: [{ role: "user", content: "?" }] }),
    );
    expect(error.code).toBe("mistral_no_answer");
  });

  test("is refused, with the reason, when the last message is not the user's", async () => {
    const mistral = account();
    const { id } = await mistral.createAgent(agent());
    const messages = [{ role: "assistant" as const, content: "Olá" }];
    const error = await errorOf(mistral.complete({ agentId: id, messages }));
    expect(error).toMatchObject({ code: "mistral_refused", details: { status: 400 } });
    expect(error.details.reason).toContain("Expected last role User");
  });

  test("may take longer than a call at the screen", async () => {
    const { id } = await account().createAgent(agent());
    const mistral = account({ timeoutMs: 150 });
    standIn.fail({ kind: "slow", ms: 400 });
    const messages = [{ role: "user" as const, content: "?" }];
    expect((await errorOf(mistral.complete({ agentId: id, messages }))).code).toBe("mistral_down");
    const answer = await mistral.complete({ agentId: id, messages, timeoutMs: 60_000 });
    expect(answer.text).toBe("Atendente: ? (1)");
  });
});

describe("keys and addresses", () => {
  test("no key, and one that no header can carry, cause no request", async () => {
    for (const apiKey of [null, "", "  "]) {
      expect((await errorOf(account({}, { apiKey }).listModels())).code).toBe("mistral_no_key");
    }
    for (const apiKey of [`${ANA}\r\nx: y`, `${ANA}é`]) {
      expect((await errorOf(account({}, { apiKey }).listModels())).code).toBe("mistral_wrong_key");
    }
    expect(standIn.requests()).toEqual([]);
  });

  test("a wrong key is one, for every call", async () => {
    const mistral = account({}, { apiKey: "stranger" });
    for (const call of [mistral.listModels(), mistral.listAgents(), mistral.getAgent("ag_1")]) {
      expect(await errorOf(call)).toMatchObject({ code: "mistral_wrong_key", details: { status: 401 } });
    }
  });

  test.each(["/", "/v1", "/v1/"])("the address may end in %s", async (end) => {
    expect(await account({}, { baseUrl: standIn.url + end }).listAgents()).toEqual([]);
  });

  test("an address inside the network is refused unless the operator vouches for it", async () => {
    const mistral = client({}, { privateHosts: readPrivateHosts(undefined) });
    const at = (baseUrl: string) => errorOf(mistral.forKey({ apiKey: ANA, baseUrl }).listModels());
    expect((await at("https://127.0.0.1")).code).toBe("url_private");
    expect((await at("https://10.0.0.1/v1")).code).toBe("url_private");
    expect(await at("http://example.com")).toMatchObject({
      code: "url_forbidden",
      details: { reason: "https_required" },
    });
    for (const odd of ["", "mistral", "https://{a}.example.com", "ftp://example.com"]) {
      expect((await at(odd)).code).toBe("url_forbidden");
    }
    expect(standIn.requests()).toEqual([]);
    const operators = mistral.forKey({ apiKey: ANA, baseUrl: standIn.url, configured: true });
    expect(await operators.listAgents()).toEqual([]);
  });

  test("a name that resolves into the network is refused", async () => {
    const lookup: GuardOptions["lookup"] = (_name, _options, callback) =>
      callback(null, [{ address: "127.0.0.1", family: 4 }]);
    const mistral = client({}, { lookup }).forKey({ apiKey: ANA, baseUrl: DEFAULT_MISTRAL_URL });
    expect((await errorOf(mistral.listModels())).code).toBe("url_private");
  });

  test("a redirect is not followed, and takes the key nowhere", async () => {
    standIn.fail({ kind: "redirect", to: `${standIn.url}/v1/agents` });
    const error = await errorOf(account().listModels());
    expect(error).toMatchObject({ code: "mistral_garbage", details: { reason: "redirect" } });
    expect(standIn.requests()).toHaveLength(1);
  });
});

describe("a provider in trouble", () => {
  const clock = manualClock(new Date("2026-11-20T12:00:00Z"));

  test.each([
    ["7", 7],
    [undefined, 30],
    ["Fri, 20 Nov 2026 12:01:30 GMT", 90],
    ["soon", 30],
    ["0", 1],
    ["999999", 3_600],
  ])("F43 rate limited, Retry-After %s: again in %d s", async (retryAfter, seconds) => {
    standIn.fail({ kind: "rate_limited", ...(retryAfter === undefined ? {} : { retryAfter }) });
    const error = await errorOf(account({ clock }).listModels());
    const retryAt = new Date(clock.now().getTime() + seconds * 1_000).toISOString();
    expect(error).toMatchObject({ code: "mistral_rate_limited", details: { retryAt, seconds } });
    expect(standIn.requests()).toHaveLength(1);
  });

  test.each([500, 502, 503, 408])("F43 status %d is down, and asked once", async (status) => {
    standIn.fail({ kind: "server_error", status });
    const error = await errorOf(account().createAgent(agent()));
    expect(error).toMatchObject({ code: "mistral_down", details: { reason: "status", status, sent: true } });
    expect(standIn.requests()).toHaveLength(1);
  });

  test("F43 one that hangs is given up within the limit, a list of pages as a whole", async () => {
    const guardedFetch = openFetch();
    await account({ guardedFetch }).listModels();
    await new Promise((resolve) => setImmediate(resolve));
    standIn.fail({ kind: "hang" });
    const started = performance.now();
    const error = await errorOf(account({ guardedFetch, timeoutMs: 200 }).createAgent(agent()));
    expect(error).toMatchObject({ code: "mistral_down", details: { reason: "timeout", sent: true } });
    expect(performance.now() - started).toBeLessThan(9_000);

    standIn.heal();
    const body = { object: "list", data: [], next_page_token: "MA" };
    standIn.fail({ kind: "refuse", status: 200, body }, { times: 1 });
    standIn.fail({ kind: "slow", ms: 2_000 });
    const again = performance.now();
    expect((await errorOf(account({ timeoutMs: 300 }).listAgents())).code).toBe("mistral_down");
    expect(performance.now() - again).toBeLessThan(9_000);
  });

  test("one that is not there, or closes without an answer", async () => {
    const gone = await startMistral();
    await gone.stop();
    const mistral = client({}, { privateHosts: readPrivateHosts(gone.host) });
    const error = await errorOf(mistral.forKey({ apiKey: ANA, baseUrl: gone.url }).listModels());
    expect(error).toMatchObject({ code: "mistral_down", details: { reason: "network", sent: false } });
    standIn.fail({ kind: "reset" });
    expect(await errorOf(account().createAgent(agent()))).toMatchObject({
      code: "mistral_down",
      details: { reason: "network", sent: true },
    });
  });

  test.each(["garbage", "html", "flood"] as const)(
    "F43 an answer that is %s is not Mistral's",
    async (kind) => {
      standIn.fail({ kind });
      for (const call of [
        () => account().listModels(),
        () => account().listAgents(),
        () => account().createAgent(agent()),
      ]) {
        expect((await errorOf(call())).code).toBe("mistral_garbage");
      }
    },
  );

  test.each([{ id: "ag_1" }, [], null, "ok", { object: "list", data: [{ id: 1 }] }])(
    "JSON of another shape is not Mistral's: %j",
    async (body) => {
      standIn.fail({ kind: "refuse", status: 200, body });
      for (const call of [() => account().listAgents(), () => account().createAgent(agent())]) {
        expect((await errorOf(call())).code).toBe("mistral_garbage");
      }
    },
  );
});

describe("a refusal tells the provider's reason", () => {
  test("T18 a model that is not allowed, and T17 a temperature that is none", async () => {
    const model = await errorOf(account().createAgent(agent({ model: "gpt-9" })));
    expect(model).toMatchObject({
      code: "mistral_refused",
      details: { status: 400, reason: "Invalid model: gpt-9" },
    });
    const hot = await errorOf(account().createAgent(agent({ temperature: 3 })));
    expect(hot.details).toEqual({
      status: 422,
      reason: "completion_args.temperature: Input should be less than or equal to 1.5",
    });
    const none = await errorOf(account().createAgent(agent({ temperature: Number.NaN })));
    expect(none.code).toBe("mistral_refused");
    expect(standIn.agents(ANA)).toEqual([]);
  });

  test.each([
    [{ message: { detail: [{ loc: ["body", "name"], msg: "too long", type: "x" }] } }, "name: too long"],
    [{ detail: "Not enabled" }, "Not enabled"],
    [{ message: `seen ${ANA}\n\u0007 here` }, "seen ••• here"],
    [{ message: "x".repeat(1_000) }, `${"x".repeat(299)}…`],
    [{ other: 1 }, "HTTP 409"],
    ["plain", "plain"],
  ])("%j", async (body, reason) => {
    standIn.fail({ kind: "refuse", status: 409, body });
    const error = await errorOf(account().createAgent(agent()));
    expect(error).toMatchObject({ code: "mistral_refused", details: { status: 409, reason } });
  });
});

describe("a provider that stays down", () => {
  test("F43 is left alone for 30 s after five failures in a row, then one call tries", async () => {
    const clock = manualClock();
    const mistral = client({ clock });
    const ana = mistral.forKey({ apiKey: ANA, baseUrl: standIn.url });
    const bia = mistral.forKey({ apiKey: BIA, baseUrl: standIn.url });
    standIn.fail({ kind: "server_error" });
    for (let turn = 0; turn < 5; turn++) await errorOf(ana.listModels());
    expect(standIn.requests()).toHaveLength(5);

    const resting = await errorOf(ana.listModels());
    expect(resting).toMatchObject({ code: "mistral_down", details: { reason: "resting", seconds: 30 } });
    expect(standIn.requests()).toHaveLength(5);
    expect((await errorOf(bia.listModels())).details.reason).toBe("status");
    expect(standIn.requests()).toHaveLength(6);

    clock.advance(30_000);
    const both = await Promise.all([errorOf(ana.listModels()), errorOf(ana.listModels())]);
    expect(both.map(({ details }) => details.reason).sort()).toEqual(["resting", "status"]);
    expect(standIn.requests()).toHaveLength(7);

    standIn.heal();
    expect((await errorOf(ana.listModels())).details.reason).toBe("resting");
    clock.advance(30_000);
    expect(await ana.listModels()).not.toEqual([]);
    expect(await ana.listAgents()).toEqual([]);
  });

  test("any answer between failures ends the count", async () => {
    const mistral = account({ clock: manualClock() });
    for (let turn = 0; turn < 3; turn++) {
      standIn.fail({ kind: "server_error" }, { times: 4 });
      for (let failure = 0; failure < 4; failure++) await errorOf(mistral.listModels());
      standIn.fail({ kind: "rate_limited" }, { times: 1 });
      expect((await errorOf(mistral.listModels())).code).toBe("mistral_rate_limited");
    }
    expect(standIn.requests()).toHaveLength(15);
  });
});
