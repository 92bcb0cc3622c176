import { ZodObject, type ZodType } from "zod";
import { Change, type Topic } from "../../../src/contract/events.ts";
import type { ErrorCode } from "../../../src/domain/errors.ts";
import type { EndpointKey } from "../../../src/web/api/call.ts";
import {
  type Call,
  type Handler,
  type Handlers,
  Refusal,
  ROUTES,
  type Route,
  type When,
} from "./endpoints.ts";
import { FakeStreams } from "./fake-streams.ts";
import { type World, world } from "./world.ts";
import { answerFrom } from "./world-answers.ts";

type AnyCall = { params: unknown; query: unknown; body: unknown };
type AnyHandler = (call: AnyCall) => unknown;
type Rule = {
  /** Null: of any endpoint. */
  key: string | null;
  when: (call: AnyCall, key: string) => boolean;
  act: (call: AnyCall) => Promise<void> | void;
};

/** What stands between a request and its answer, until `stop`. */
export type Obstacle<K extends EndpointKey> = {
  /** Requests that met it so far. */
  met: Call<K>[];
  stop: () => void;
};
export type Hold<K extends EndpointKey> = {
  met: Call<K>[];
  asked: Promise<Call<K>>;
  release: () => void;
};

const notMe = (_: AnyCall, key: string) => key !== "GET /api/me";

const dropped = () => new TypeError("Failed to fetch");

let current: FakeServer | null = null;
const { fetch: realFetch, EventSource: RealEventSource } = globalThis;

export function currentServer(): FakeServer | null {
  return current;
}

/** One at a time: it replaces `fetch` and `EventSource`. */
export function fakeServer(state: World = world(), handlers: Handlers = {}): FakeServer {
  current?.close();
  current = new FakeServer(state, handlers);
  return current;
}

export class FakeServer {
  readonly world: World;
  readonly streams = new FakeStreams();
  readonly #handlers = new Map<string, AnyHandler>();
  #rules: Rule[] = [];
  readonly #log: { key: string; call: AnyCall }[] = [];
  readonly #problems = new Set<string>();

  constructor(state: World, handlers: Handlers) {
    this.world = state;
    for (const given of [answerFrom(state), handlers])
      for (const [key, handler] of Object.entries(given)) this.#handlers.set(key, handler as AnyHandler);
    globalThis.fetch = (input, init) => this.#fetch(input, init);
    globalThis.EventSource = this.streams.source;
  }

  on<K extends EndpointKey>(key: K, handler: Handler<K>): void {
    this.#handlers.set(key, handler as AnyHandler);
  }

  hold<K extends EndpointKey>(key: K, when?: When<K>): Hold<K> {
    const gate = Promise.withResolvers<void>();
    const first = Promise.withResolvers<Call<K>>();
    const met: Call<K>[] = [];
    const rule = this.#add(key, when, (call) => {
      met.push(call);
      first.resolve(call);
      return gate.promise;
    });
    const release = () => {
      this.#remove(rule);
      gate.resolve();
    };
    return { met, asked: first.promise, release };
  }

  refuse<K extends EndpointKey>(key: K, code: ErrorCode, when?: When<K>): Obstacle<K> {
    return this.#obstruct(key, when, () => {
      throw new Refusal(code);
    });
  }

  /** None of them reaches a handler. */
  drop<K extends EndpointKey>(key: K, when?: When<K>): Obstacle<K> {
    return this.#obstruct(key, when, () => {
      throw dropped();
    });
  }

  holdAll(): void {
    this.#rules.push({ key: null, when: notMe, act: () => new Promise(() => {}) });
  }

  refuseAll(code: ErrorCode): void {
    const act = () => {
      throw new Refusal(code);
    };
    this.#rules.push({ key: null, when: notMe, act });
  }

  requests<K extends EndpointKey>(key: K): Call<K>[] {
    return this.#log.filter((each) => each.key === key).map(({ call }) => call as Call<K>);
  }

  /** As the server after a commit: `id` is the changed row, null any number of them. */
  publish(topic: Topic, id: number | null = null): Promise<void> {
    return this.streams.send(Change.parse({ topic, id }));
  }

  /** Returns what was wrong. */
  close(): string[] {
    if (current === this) {
      current = null;
      globalThis.fetch = realFetch;
      globalThis.EventSource = RealEventSource;
    }
    this.streams.close();
    return [...this.#problems];
  }

  #obstruct<K extends EndpointKey>(key: K, when: When<K> | undefined, act: () => never): Obstacle<K> {
    const met: Call<K>[] = [];
    const rule = this.#add(key, when, (call) => {
      met.push(call);
      act();
    });
    return { met, stop: () => this.#remove(rule) };
  }

  #add<K extends EndpointKey>(
    key: K,
    when: When<K> = () => true,
    act: (call: Call<K>) => Promise<void> | void,
  ): Rule {
    const rule = { key, when, act } as unknown as Rule;
    this.#rules.push(rule);
    return rule;
  }

  #remove(rule: Rule): void {
    this.#rules = this.#rules.filter((each) => each !== rule);
  }

  async #fetch(input: RequestInfo | URL, init: RequestInit = {}): Promise<Response> {
    const url = new URL(input instanceof Request ? input.url : String(input), location.href);
    if (!/^\/(api|hooks|Modelo\.csv)/.test(url.pathname)) return realFetch(input, init);
    const { signal } = init;
    const aborted = new Promise<never>((_, reject) => {
      if (signal?.aborted) reject(signal.reason);
      signal?.addEventListener("abort", () => reject(signal.reason));
    });
    const response = await this.#untilClosed(Promise.race([this.#answer(url, init), aborted]));
    const read = response.json.bind(response);
    response.json = () => this.#untilClosed(read());
    return response;
  }

  /** An answer to a test that has ended would sign a later one out, or put its notice there. */
  #untilClosed<T>(answer: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      answer.then(
        (value) => current === this && resolve(value),
        (error: unknown) => current === this && reject(error),
      );
    });
  }

  async #answer(url: URL, init: RequestInit): Promise<Response> {
    const method = init.method ?? "GET";
    const route = ROUTES.find((each) => each.endpoint.method === method && each.pattern.test(url.pathname));
    if (!route) throw this.#problem(`${method} ${url.pathname} is in no contract`);
    const call = this.#parsed(route, url, init.body);
    this.#log.push({ key: route.key, call });
    await Promise.resolve();
    try {
      for (const rule of this.#rules)
        if ((rule.key ?? route.key) === route.key && rule.when(call, route.key)) await rule.act(call);
      const handler = this.#handlers.get(route.key);
      if (!handler) throw this.#problem(`${route.key} has no handler: server.on("${route.key}", …)`);
      return this.#respond(route, await handler(call));
    } catch (error) {
      if (error instanceof Refusal) return error.response();
      if (!(error instanceof TypeError && error.message === dropped().message)) {
        const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
        throw this.#problem(`${route.key}: its handler threw ${text}`);
      }
      throw error;
    }
  }

  #parsed({ key, endpoint, pattern }: Route, url: URL, body: unknown): AnyCall {
    const inPath = Object.entries(pattern.exec(url.pathname)?.groups ?? {});
    const params = Object.fromEntries(inPath.map(([name, value]) => [name, decodeURIComponent(value)]));
    const sent = endpoint.body === undefined || endpoint.body === "raw" ? undefined : endpoint.body;
    return {
      params: this.#check(`${key}: params`, endpoint.params, params),
      query: this.#check(`${key}: query`, endpoint.query, Object.fromEntries(url.searchParams)),
      body: sent ? this.#check(`${key}: body`, sent, JSON.parse(String(body))) : body,
    };
  }

  #check(what: string, schema: ZodType | undefined, value: unknown): unknown {
    const closed =
      schema instanceof ZodObject && schema.def.catchall === undefined ? schema.strict() : schema;
    const parsed = closed?.safeParse(value);
    if (parsed && !parsed.success)
      throw this.#problem(`${what} ${JSON.stringify(value)} does not fit the contract: ${parsed.error}`);
    return parsed?.data;
  }

  #respond({ key, endpoint }: Route, answer: unknown): Response {
    if (endpoint.answer === "stream") return answer as Response;
    if (endpoint.status === 204) return new Response(null, { status: 204 });
    const parsed = endpoint.answer.safeParse(answer);
    if (!parsed.success) throw this.#problem(`${key}: answer does not fit the contract: ${parsed.error}`);
    const extra = unknownPart(answer, parsed.data);
    if (extra !== null)
      throw this.#problem(`${key}: answer has «${extra}», which the contract does not know`);
    return Response.json(answer, { status: endpoint.status ?? 200 });
  }

  #problem(text: string): Error {
    this.#problems.add(text);
    return dropped();
  }
}

/** Path of the first key of `given` that parsing removed. */
function unknownPart(given: unknown, parsed: unknown, path = ""): string | null {
  if (typeof given !== "object" || given === null) return null;
  for (const [name, value] of Object.entries(given)) {
    const place = path === "" ? name : `${path}.${name}`;
    if (value === undefined) continue;
    if (typeof parsed !== "object" || parsed === null || !(name in parsed)) return place;
    const inside = unknownPart(value, (parsed as Record<string, unknown>)[name], place);
    if (inside !== null) return inside;
  }
  return null;
}
