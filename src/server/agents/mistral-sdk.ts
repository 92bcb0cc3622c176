import { MistralCore } from "@mistralai/mistralai/core.js";
import { agentsComplete } from "@mistralai/mistralai/funcs/agentsComplete.js";
import { betaAgentsCreate } from "@mistralai/mistralai/funcs/betaAgentsCreate.js";
import { betaAgentsDelete } from "@mistralai/mistralai/funcs/betaAgentsDelete.js";
import { betaAgentsGet } from "@mistralai/mistralai/funcs/betaAgentsGet.js";
import { betaAgentsListPages } from "@mistralai/mistralai/funcs/betaAgentsListPages.js";
import { betaAgentsUpdate } from "@mistralai/mistralai/funcs/betaAgentsUpdate.js";
import { modelsList } from "@mistralai/mistralai/funcs/modelsList.js";
import { HTTPClient } from "@mistralai/mistralai/lib/http.js";
import type {
  Agent,
  AgentListPage,
  ChatCompletionChoice,
  ContentChunk,
} from "@mistralai/mistralai/models/components";
import { AppError } from "../../domain/errors.ts";
import type { AgentInput, ChatMessage, Completion, MistralAgent, MistralModel } from "./mistral-types.ts";

/** Keeps a page below the answer size limit. */
const PAGE_SIZE = 50;
/** Stops a provider that always reports another page. */
const MAX_PAGES = 200;

export type Fetcher = (request: Request) => Promise<Response>;

type Outcome<T> = { ok: true; value: T } | { ok: false; error: unknown };

function unwrap<T>(outcome: Outcome<T>): T {
  if (outcome.ok) return outcome.value;
  throw outcome.error;
}

/**
 * The SDK's `Mistral` class loads the whole API, a third more memory. Its errors may contain the key: only
 * `mistral-client.ts` may call this.
 */
export class Sdk {
  readonly #core: MistralCore;

  constructor({ apiKey, baseUrl, fetcher }: { apiKey: string; baseUrl: string; fetcher: Fetcher }) {
    this.#core = new MistralCore({
      apiKey,
      serverURL: baseUrl,
      retryConfig: { strategy: "none" },
      httpClient: new HTTPClient({ fetcher: (input, init) => fetcher(new Request(input, init)) }),
      // Without our logger, MISTRAL_DEBUG would print requests with their key.
      debugLogger: { group: () => undefined, groupEnd: () => undefined, log: () => undefined },
    });
  }

  async models(): Promise<MistralModel[]> {
    const { data = [] } = unwrap(await modelsList(this.#core));
    return data.flatMap((card) => {
      if (card.type === "UNKNOWN" || !card.capabilities.completionChat) return [];
      if (card.type === "fine-tuned" && card.archived) return [];
      return [{ id: card.id, name: card.name ?? card.id, deprecated: card.deprecation != null }];
    });
  }

  async agents(): Promise<MistralAgent[]> {
    const found: MistralAgent[] = [];
    let pageToken: string | null = null;
    // The SDK's iterator stops at a short page, but unshared agents can shorten any.
    for (let page = 0; page < MAX_PAGES; page++) {
      const { data, nextPageToken } = await this.#page(pageToken);
      found.push(...data.map(ourAgent));
      if (!nextPageToken) return found;
      if (nextPageToken === pageToken) break;
      pageToken = nextPageToken;
    }
    throw new AppError("mistral_garbage", { reason: "endless_list" });
  }

  async agent(agentId: string): Promise<MistralAgent> {
    return ourAgent(await this.#agent(agentId));
  }

  async create({ temperature, ...fields }: AgentInput): Promise<MistralAgent> {
    const request = { ...fields, completionArgs: { temperature } };
    return ourAgent(unwrap(await betaAgentsCreate(this.#core, request)));
  }

  async update(agentId: string, { temperature, ...fields }: Partial<AgentInput>): Promise<MistralAgent> {
    // Replaced as a whole: settings from Mistral's console must be sent again.
    const completionArgs =
      temperature === undefined ? {} : { ...(await this.#agent(agentId)).completionArgs, temperature };
    const updateAgentRequest = { ...fields, ...(temperature === undefined ? {} : { completionArgs }) };
    return ourAgent(unwrap(await betaAgentsUpdate(this.#core, { agentId, updateAgentRequest })));
  }

  async remove(agentId: string): Promise<void> {
    unwrap(await betaAgentsDelete(this.#core, { agentId }));
  }

  async complete(agentId: string, messages: ChatMessage[]): Promise<Completion> {
    const { choices, model } = unwrap(await agentsComplete(this.#core, { agentId, messages }));
    const [choice] = choices;
    const finish = choice?.finishReason;
    if (finish === "error") throw new AppError("mistral_down", { reason: "unfinished", sent: true });
    const text = textOf(choice && contentOf(choice)).trim();
    // Text beside a tool call is not an answer.
    if (text === "" || finish === "tool_calls") throw new AppError("mistral_no_answer");
    return {
      text,
      model,
      cut: finish === "length" || finish === "model_length",
    };
  }

  async #page(pageToken: string | null): Promise<AgentListPage> {
    return unwrap(await betaAgentsListPages(this.#core, { pageSize: PAGE_SIZE, pageToken })).result;
  }

  async #agent(agentId: string): Promise<Agent> {
    return unwrap(await betaAgentsGet(this.#core, { agentId }));
  }
}

function ourAgent(agent: Agent): MistralAgent {
  return {
    id: agent.id,
    name: agent.name,
    description: agent.description ?? "",
    instructions: agent.instructions ?? "",
    model: agent.model,
    temperature: agent.completionArgs?.temperature ?? null,
    version: agent.version,
    createdAt: inOurYears(agent.createdAt),
    updatedAt: inOurYears(agent.updatedAt),
  };
}

const FIRST_MS = Date.parse("0000-01-01T00:00:00.000Z");
const LAST_MS = Date.parse("9999-12-31T23:59:59.999Z");

/** A zone may move a date outside our API's years; the list would fail. */
function inOurYears(at: Date): Date {
  return new Date(Math.min(LAST_MS, Math.max(FIRST_MS, at.getTime())));
}

/** Built-in tools add interim text and tool output; the answer is last. */
function contentOf({ message, messages = [] }: ChatCompletionChoice) {
  if (message) return message.content;
  return messages.findLast(({ role }) => role !== "tool")?.content;
}

/** Reasoning models answer in chunks; only text chunks count. */
function textOf(content: string | ContentChunk[] | null | undefined): string {
  if (typeof content === "string") return content;
  return (content ?? []).map((chunk) => (chunk.type === "text" ? chunk.text : "")).join("");
}
