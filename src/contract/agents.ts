import { z } from "zod";
import { AgentAnswer, MessageKind } from "./chats.ts";
import { endpoint } from "./endpoint.ts";
import { AttachmentSummary } from "./files.ts";
import { IdempotencyKey, IdParams } from "./ids.ts";
import { UndoInput } from "./undo.ts";

export const Agent = z.object({
  id: z.string().describe("Mistral's id of it"),
  name: z.string().describe("What it is called"),
  description: z.string().describe("What it is for, in its maker's words"),
  instructions: z.string().describe("Instructions for the model"),
  model: z.string().describe("Mistral's name of the model"),
  completion_args: z
    .object({ temperature: z.number().nullable().describe("0: always alike; null: as Mistral has it") })
    .describe("How it answers"),
  created_at: z.iso.datetime().describe("ISO 8601 in UTC"),
  updated_at: z.iso.datetime().describe("ISO 8601 in UTC"),
});
export type Agent = z.infer<typeof Agent>;

const AgentFields = z.strictObject({
  name: z.string().describe("What it is called"),
  description: z.string().describe("What it is for"),
  instructions: z.string().describe("Instructions for the model"),
  model: z.string().max(200).describe("Mistral's name of the model"),
  completion_args: z
    .strictObject({ temperature: z.number().describe("0: always alike") })
    .describe("How it answers"),
});

const AgentParams = z.object({
  agentId: z
    .string()
    .regex(/^[A-Za-z0-9_:.-]{1,200}$/)
    .describe("Mistral's id of the agent"),
});

/** The key itself is never sent. */
export const MistralSettings = z.object({
  source: z.enum(["account", "operator", "none"]),
  /** The operator has not opened the installation's key to this account. */
  operatorClosed: z.boolean(),
  keyHint: z.string().nullable(),
  baseUrl: z.string(),
  defaultUrl: z.string(),
});
export type MistralSettings = z.infer<typeof MistralSettings>;

export const agents = {
  list: endpoint({
    method: "GET",
    path: "/api/mistral/agents",
    summary: "Agents: all of the account's own key, or those it made with the operator's",
    access: "key",
    answer: z.array(Agent),
  }),
  create: endpoint({
    method: "POST",
    path: "/api/mistral/agents",
    summary: "Make an agent; model mistral-small-latest and temperature 0 unless said",
    access: "key",
    body: AgentFields.partial()
      .required({ name: true })
      .extend({
        idempotencyKey: IdempotencyKey.optional().describe(
          "The same key with the same body is the same agent",
        ),
      }),
    answer: Agent,
    status: 201,
  }),
  get: endpoint({
    method: "GET",
    path: "/api/mistral/agents/{agentId}",
    summary: "One agent",
    access: "key",
    params: AgentParams,
    answer: Agent,
  }),
  update: endpoint({
    method: "PATCH",
    path: "/api/mistral/agents/{agentId}",
    summary: "Change an agent",
    access: "key",
    params: AgentParams,
    body: AgentFields.partial(),
    answer: Agent,
  }),
  remove: endpoint({
    method: "DELETE",
    path: "/api/mistral/agents/{agentId}",
    summary: "Delete an agent; where it was linked it answers no more",
    access: "key",
    params: AgentParams,
    answer: z.object({
      success: z.boolean().describe("True: an error is answered with its status and a code"),
    }),
  }),
  /** «Conversa de teste»: sends nothing to WhatsApp. */
  test: endpoint({
    method: "POST",
    path: "/api/mistral/agents/{agentId}/test",
    summary: "Ask an agent, with the conversation so far; nothing is sent to anybody",
    access: "user",
    params: AgentParams,
    body: z.strictObject({
      messages: z
        .array(
          z.strictObject({
            role: z.enum(["user", "assistant"]),
            /** A file is read as by a real conversation: its kind, and its caption as `content`. */
            kind: MessageKind.default("text"),
            content: z.string().max(20_000),
          }),
        )
        .min(1)
        .max(100),
    }),
    answer: z.object({
      text: z.string(),
      /** Templates that would go out after the text, their variables unfilled. */
      sends: z.array(
        z.object({
          name: z.string(),
          kind: MessageKind,
          text: z.string(),
          attachment: AttachmentSummary.nullable(),
        }),
      ),
      /** Names of templates that would not. */
      refused: z.array(z.string()),
    }),
  }),
  models: endpoint({
    method: "GET",
    path: "/api/mistral/models",
    summary: "Models that an agent may use",
    access: "user",
    answer: z.object({ models: z.array(z.object({ id: z.string(), name: z.string() })) }),
  }),
  settings: endpoint({
    method: "GET",
    path: "/api/mistral/settings",
    summary: "Where the access to Mistral comes from",
    access: "user",
    answer: MistralSettings,
  }),
  saveSettings: endpoint({
    method: "PUT",
    path: "/api/mistral/settings",
    summary: "Store the account's own key (tested first); an empty base address is `defaultUrl`",
    access: "user",
    body: z.strictObject({ apiKey: z.string().max(500), baseUrl: z.string().max(3000).default("") }),
    answer: MistralSettings,
  }),
  removeSettings: endpoint({
    method: "DELETE",
    path: "/api/mistral/settings",
    summary: "Forget the account's own key",
    access: "user",
    answer: MistralSettings,
  }),
};

export const AssistantLink = z.object({
  connectionId: z.number().describe("The connection's number"),
  agentId: z.string().describe("Mistral's id of the agent"),
  agentName: z.string().describe("What the agent is called"),
  active: z.boolean().describe("Whether it answers"),
  pauseMinutes: z.number().describe("How long it is silent in a conversation where a person answered"),
});
export type AssistantLink = z.infer<typeof AssistantLink>;

export const assistants = {
  list: endpoint({
    method: "GET",
    path: "/api/assistants",
    summary: "Which agents answer at which connections",
    access: "key",
    answer: z.object({ links: z.array(AssistantLink).describe("All of them, without pages") }),
  }),
  link: endpoint({
    method: "PUT",
    path: "/api/connections/{id}/assistant",
    summary: "Link an agent; it is active at once and takes the place of another",
    access: "key",
    params: IdParams,
    body: z.strictObject({ agentId: z.string().min(1).max(200).describe("Mistral's id of the agent") }),
    answer: AssistantLink,
  }),
  update: endpoint({
    method: "PATCH",
    path: "/api/connections/{id}/assistant",
    summary: "Activate, deactivate, or set how long it is silent after a person answered",
    access: "key",
    params: IdParams,
    body: z.strictObject({
      agentId: z
        .string()
        .min(1)
        .max(200)
        .optional()
        .describe(
          "The agent that is meant: is another one linked by now, this answers 409 `assistant_changed`",
        ),
      active: z.boolean().optional().describe("Whether it is to answer"),
      pauseMinutes: z
        .number()
        .int()
        .min(0)
        .max(10_080)
        .optional()
        .describe("How long it is to be silent in a conversation where a person answered"),
    }),
    answer: AssistantLink,
  }),
  unlink: endpoint({
    method: "DELETE",
    path: "/api/connections/{id}/assistant",
    summary: "No assistant at this connection",
    access: "key",
    params: IdParams,
    answer: z.object({
      success: z.boolean().describe("True: an error is answered with its status and a code"),
      undo: z.string().describe("For …/assistant/restore, within ten minutes"),
    }),
  }),
  restore: endpoint({
    method: "POST",
    path: "/api/connections/{id}/assistant/restore",
    summary: "Take an unlinking back: the same link as it was, if no other agent has been linked since",
    access: "key",
    params: IdParams,
    body: UndoInput,
    answer: AssistantLink,
  }),
  answers: endpoint({
    method: "GET",
    path: "/api/connections/{id}/assistant/answers",
    summary: "What the assistant did at this connection, newest first: answers and failures",
    access: "key",
    params: IdParams,
    query: z.object({ cursor: z.string().max(200).optional().describe("The `next` of the page before") }),
    answer: z.object({
      answers: z.array(AgentAnswer).describe("One page of them"),
      next: z.string().nullable().describe("The `cursor` of the page after; null on the last"),
    }),
  }),
};
