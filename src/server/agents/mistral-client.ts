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

/** Somebody looks at the screen. */
const TIMEOUT_MS = 10_000;
/**
 * Of the connections to Mistral, which all accounts share: twice the answers that are thought about for one, so that these leave its
 * screens as many. Each may take half a minute.
 */
const OF_ACCOUNT = 12;

/** What can be asked of Mistral with one key. Every call ends within its time limit, and throws the codes of `mistralFault`. */
export type MistralAccount = {
  /** Models that can hold a conversation, as Mistral orders them. */
  listModels(): Promise<MistralModel[]>;
  /** All agents of the key's workspace, every page. */
  listAgents(): Promise<MistralAgent[]>;
  getAgent(agentId: string): Promise<MistralAgent>;
  /** After `mistral_down` with `sent: true` the agent may exist all the same. */
  createAgent(agent: AgentInput): Promise<MistralAgent>;
  /** Only what is given changes, and a new version is made. */
  updateAgent(agentId: string, changes: Partial<AgentInput>): Promise<MistralAgent>;
  deleteAgent(agentId: string): Promise<void>;
  /**
   * The agent's answer to a conversation, oldest message first. Nothing is kept at Mistral: the whole context travels each time, so
   * that no conversation of anybody's customers lies there and a restart loses nothing. `timeoutMs`: a background job may wait longer.
   */
  complete(request: { agentId: string; messages: ChatMessage[]; timeoutMs?: number }): Promise<Completion>;
};

export type Mistral = { forKey(access: MistralAccess): MistralAccount };

export type MistralOptions = {
  guardedFetch: GuardedFetch;
  clock: Clock;
  /** The longest that one call may take; the default suits somebody who waits at the screen. */
  timeoutMs?: number;
};

/**
 * The one door to Mistral's API. Without a key every call throws `mistral_no_key`, with an impossible address `url_forbidden`; no error
 * ever carries the key.
 */
export function openMistral({ guardedFetch, clock, timeoutMs = TIMEOUT_MS }: MistralOptions): Mistral {
  const breaker = openBreaker(clock);
  const turn = inOwnTurn(OF_ACCOUNT);

  type Call = { ofAgent?: string; limitMs?: number };
  async function call<T>(typed: MistralAccess, run: (sdk: Sdk) => Promise<T>, how: Call = {}): Promise<T> {
    const { ofAgent, limitMs = timeoutMs } = how;
    const access = { apiKey: keyOf(typed.apiKey), baseUrl: baseUrlOf(typed.baseUrl) };
    if (ofAgent !== undefined && !AGENT_ID.test(ofAgent)) throw new AppError("mistral_agent_missing");
    // The SDK takes 70 MB and a quarter of a second to load: whoever uses no agents does without.
    const { openSdk } = await import("./mistral-sdk.ts");
    return breaker({ ...typed, ...access }, async () => {
      const endsAt = clock.monotonic() + limitMs;
      const fetcher = mistralFetcher(guardedFetch, {
        leftMs: () => Math.max(1, endsAt - clock.monotonic()),
        configured: typed.configured ?? false,
        turn: (ask) => (typed.account === undefined ? ask() : turn(typed.account, ask)),
      });
      try {
        return await run(openSdk({ ...access, fetcher }));
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

/** The id becomes a part of the path, where `..` would name another route. */
const AGENT_ID = /^[A-Za-z0-9][A-Za-z0-9_:.-]{0,199}$/;

function keyOf(typed: string | null): string {
  const key = typed?.trim() ?? "";
  if (key === "") throw new AppError("mistral_no_key");
  // What no header can carry was never a key of Mistral's; the fault of trying it would repeat it.
  if (!/^[\x21-\x7e]+$/.test(key)) throw new AppError("mistral_wrong_key", { status: null });
  return key;
}

/** People paste the address with a slash or with the version; the SDK adds `/v1` itself and reads braces as parameters. */
function baseUrlOf(typed: string): string {
  const url = URL.parse(typed.trim());
  if (!url || /[{}]|%7[bd]/i.test(typed)) throw new AppError("url_forbidden", { reason: "malformed" });
  url.search = "";
  url.hash = "";
  url.pathname = url.pathname.replace(/(\/v1)?\/*$/, "");
  return url.href;
}
