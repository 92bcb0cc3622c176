import type { Clock } from "../../domain/clock.ts";
import { AppError } from "../../domain/errors.ts";
import { inOwnTurn } from "../base/in-turn.ts";
import type { GuardedFetch } from "../net/guarded-fetch.ts";
import { openBreaker } from "./mistral-breaker.ts";
import { mistralError } from "./mistral-errors.ts";
import { mistralFetcher } from "./mistral-fetch.ts";
import type { Sdk } from "./mistral-sdk.ts";
import type {
  AgentInput,
  ChatMessage,
  Completion,
  MistralAccess,
  MistralAgent,
  MistralModel,
} from "./mistral-types.ts";

/** A person waits at the screen. */
const TIMEOUT_MS = 10_000;
/**
 * Of the shared connections: twice the concurrent answers, so that screens get as many. Each may take 30 s.
 */
const OF_ACCOUNT = 12;

/** Calls have a time limit and throw the codes of `mistralError`. */
export type MistralAccount = {
  listModels(): Promise<MistralModel[]>;
  listAgents(): Promise<MistralAgent[]>;
  getAgent(agentId: string): Promise<MistralAgent>;
  /** After `mistral_down` with `sent: true` the agent may exist. */
  createAgent(agent: AgentInput): Promise<MistralAgent>;
  /** Only given fields; creates a new version. */
  updateAgent(agentId: string, changes: Partial<AgentInput>): Promise<MistralAgent>;
  deleteAgent(agentId: string): Promise<void>;
  /** Oldest first. Sends the whole context, so that Mistral stores no conversation. */
  complete(request: { agentId: string; messages: ChatMessage[]; timeoutMs?: number }): Promise<Completion>;
};

export type Mistral = { forKey(access: MistralAccess): MistralAccount };

export type MistralOptions = {
  guardedFetch: GuardedFetch;
  clock: Clock;
  timeoutMs?: number;
};

/** Throws `mistral_no_key`, or `url_forbidden` for an invalid address; errors never carry the key. */
export function openMistral({ guardedFetch, clock, timeoutMs = TIMEOUT_MS }: MistralOptions): Mistral {
  const breaker = openBreaker(clock);
  const turn = inOwnTurn(OF_ACCOUNT);

  type Call = { ofAgent?: string; limitMs?: number };
  async function call<T>(typed: MistralAccess, run: (sdk: Sdk) => Promise<T>, how: Call = {}): Promise<T> {
    const { ofAgent, limitMs = timeoutMs } = how;
    const access = { apiKey: keyOf(typed.apiKey), baseUrl: baseUrlOf(typed.baseUrl) };
    if (ofAgent !== undefined && !AGENT_ID.test(ofAgent)) throw new AppError("mistral_agent_missing");
    // Loads 70 MB in 250 ms, so only on first use.
    const { Sdk } = await import("./mistral-sdk.ts");
    return breaker({ ...typed, ...access }, async () => {
      const endsAt = clock.monotonic() + limitMs;
      const fetcher = mistralFetcher(guardedFetch, {
        leftMs: () => Math.max(1, endsAt - clock.monotonic()),
        configured: typed.configured ?? false,
        turn: (ask) => (typed.account === undefined ? ask() : turn(typed.account, ask)),
      });
      try {
        return await run(new Sdk({ ...access, fetcher }));
      } catch (error) {
        const { apiKey } = access;
        throw mistralError(error, { apiKey, now: clock.now(), ofAgent: ofAgent !== undefined });
      }
    });
  }

  return {
    forKey: (access) => ({
      listModels: () => call(access, (sdk) => sdk.models()),
      listAgents: () => call(access, (sdk) => sdk.agents()),
      getAgent: (agentId) => call(access, (sdk) => sdk.agent(agentId), { ofAgent: agentId }),
      createAgent: (agent) => call(access, (sdk) => sdk.create(agent)),
      updateAgent: (agentId, changes) =>
        call(access, (sdk) => sdk.update(agentId, changes), { ofAgent: agentId }),
      deleteAgent: (agentId) => call(access, (sdk) => sdk.remove(agentId), { ofAgent: agentId }),
      complete: ({ agentId, messages, timeoutMs: limitMs = timeoutMs }) =>
        call(access, (sdk) => sdk.complete(agentId, messages), { ofAgent: agentId, limitMs }),
    }),
  };
}

/** A path segment, where `..` would be another route. */
const AGENT_ID = /^[A-Za-z0-9][A-Za-z0-9_:.-]{0,199}$/;

function keyOf(typed: string | null): string {
  const key = typed?.trim() ?? "";
  if (key === "") throw new AppError("mistral_no_key");
  // Not a Mistral key; the error of trying would repeat it.
  if (!/^[\x21-\x7e]+$/.test(key)) throw new AppError("mistral_wrong_key", { status: null });
  return key;
}

/** People paste it with a slash or version; the SDK adds `/v1` and reads braces as parameters. */
function baseUrlOf(typed: string): string {
  const url = URL.parse(typed.trim());
  if (!url || /[{}]|%7[bd]/i.test(typed)) throw new AppError("url_forbidden", { reason: "malformed" });
  url.search = "";
  url.hash = "";
  url.pathname = url.pathname.replace(/(\/v1)?\/*$/, "");
  return url.href;
}
