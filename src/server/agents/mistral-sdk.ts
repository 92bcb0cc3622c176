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

/** As many as keep a page of long instructions below the answer's size limit. */
const PAGE_SIZE = 50;
/** A provider that always says "there is more" ends here. */
const MAX_PAGES = 200;

export type Fetcher = (request: Request) => Promise<Response>;
export type Sdk = ReturnType<typeof openSdk>;

type Outcome<T> = { ok: true; value: T } | { ok: false; error: unknown };

function unwrap<T>(outcome: Outcome<T>): T {
  if (outcome.ok) return outcome.value;
  throw outcome.error;
}

/**
 * Mistral's own SDK, reduced to what agents need and to our types. It throws the SDK's errors as they are, with the answer and sometimes
 * the key in them: only `mistral-client.ts` calls it, and folds them.
 *
 * The SDK's single functions, not its `Mistral` class: that one loads every feature of the API, a third more memory.
 */
export function openSdk({ apiKey, baseUrl, fetcher }: { apiKey: string; baseUrl: string; fetcher: Fetcher }) {
  const core = new MistralCore({
    apiKey,
    serverURL: baseUrl,
    retryConfig: { strategy: "none" },
    httpClient: new HTTPClient({ fetcher: (input, init) => fetcher(new Request(input, init)) }),
    // Without a logger of ours, MISTRAL_DEBUG in the environment would print every request with its key.
    debugLogger: { group: () => undefined, groupEnd: () => undefined, log: () => undefined },
  });
  const pageOfAgents = async (pageToken: string | null): Promise<AgentListPage> =>
    unwrap(await betaAgentsListPages(core, { pageSize: PAGE_SIZE, pageToken })).result;
  const agent = async (agentId: string) => unwrap(await betaAgentsGet(core, { agentId }));

  return {
    async models(): Promise<MistralModel[]> {
      const { data = [] } = unwrap(await modelsList(core));
      return data.flatMap((card) => {
        if (card.type === "UNKNOWN" || !card.capabilities.completionChat) return [];
        if (card.type === "fine-tuned" && card.archived) return [];
        return [{ id: card.id, name: card.name ?? card.id, deprecated: card.deprecation != null }];
      });
    },

    async agents(): Promise<MistralAgent[]> {
      const found: MistralAgent[] = [];
      let pageToken: string | null = null;
      // The SDK's own iterator ends at the first page that is not full; a page can be short because some agents of it are not shared.
      for (let page = 0; page < MAX_PAGES; page++) {
        const { data, nextPageToken } = await pageOfAgents(pageToken);
        found.push(...data.map(ourAgent));
        if (!nextPageToken) return found;
        if (nextPageToken === pageToken) break;
        pageToken = nextPageToken;
      }
      throw new AppError("mistral_garbage", { reason: "endless_list" });
    },

    agent: async (agentId: string): Promise<MistralAgent> => ourAgent(await agent(agentId)),

    async create({ temperature, ...fields }: AgentInput): Promise<MistralAgent> {
      const request = { ...fields, completionArgs: { temperature } };
      return ourAgent(unwrap(await betaAgentsCreate(core, request)));
    },

    async update(agentId: string, { temperature, ...fields }: Partial<AgentInput>): Promise<MistralAgent> {
      // The arguments are replaced as a whole: what somebody set in Mistral's console beside the temperature has to be sent again.
      const completionArgs =
        temperature === undefined ? {} : { ...(await agent(agentId)).completionArgs, temperature };
      const updateAgentRequest = { ...fields, ...(temperature === undefined ? {} : { completionArgs }) };
      return ourAgent(unwrap(await betaAgentsUpdate(core, { agentId, updateAgentRequest })));
    },

    async remove(agentId: string): Promise<void> {
      unwrap(await betaAgentsDelete(core, { agentId }));
    },

    async complete(agentId: string, messages: ChatMessage[]): Promise<Completion> {
      const { choices, model } = unwrap(await agentsComplete(core, { agentId, messages }));
      const [choice] = choices;
      const finish = choice?.finishReason;
      // It broke off in the middle of what it says so far.
      if (finish === "error") throw new AppError("mistral_down", { reason: "unfinished", sent: true });
      const text = textOf(choice && contentOf(choice)).trim();
      // An agent with tools may ask for one instead of answering: what it says beside that is no answer.
      if (text === "" || finish === "tool_calls") throw new AppError("mistral_no_answer");
      return {
        text,
        model,
        cut: finish === "length" || finish === "model_length",
      };
    },
  };
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

/** Its zone may move a date out of the years that our own answers can name: a list that one such agent is in could not be answered. */
function inOurYears(at: Date): Date {
  return new Date(Math.min(LAST_MS, Math.max(FIRST_MS, at.getTime())));
}

/**
 * Of an agent with tools that Mistral uses by itself, given to it in Mistral's console, there may be several messages in place of the one:
 * what was said on the way, what the tools told, and the answer last.
 */
function contentOf({ message, messages = [] }: ChatCompletionChoice) {
  if (message) return message.content;
  return messages.findLast(({ role }) => role !== "tool")?.content;
}

/** Reasoning models answer in pieces; only what is meant for the reader is text. */
function textOf(content: string | ContentChunk[] | null | undefined): string {
  if (typeof content === "string") return content;
  return (content ?? []).map((chunk) => (chunk.type === "text" ? chunk.text : "")).join("");
}
