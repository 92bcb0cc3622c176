import { type ApiAnswer, errorBody, type FieldError, invalid } from "./answers.ts";
import { hex, type StoredAgent, type Workspace } from "./workspaces.ts";

export type Message = { role: string; content: unknown };

export type AskedCompletion = {
  key: string;
  agentId: string;
  agentName: string;
  model: string;
  temperature: number | null;
  instructions: string | null;
  messages: Message[];
};

export type Answering = (asked: AskedCompletion) => ScriptedAnswer | Promise<ScriptedAnswer>;
export type ScriptedAnswer = string | ((Whole | Several) & { finishReason: string });
type Whole = { content: unknown };
type Several = { messages: readonly unknown[] };

export const echo: Answering = ({ agentName, messages }) =>
  `${agentName}: ${String(messages.at(-1)?.content)} (${messages.length})`;

type Source = { agents: Workspace; answering: Answering; now: () => Date; random: () => number };

export async function complete(
  { key, body }: { key: string; body: unknown },
  { agents, answering, now, random }: Source,
  asked: (completion: AskedCompletion) => void,
): Promise<ApiAnswer> {
  const request = requestOf(body);
  if (Array.isArray(request)) return invalid(request);
  const { agentId, messages } = request;
  const agent = agents.get(agentId);
  if (!agent) return { status: 404, body: errorBody(`Agent ${agentId} not found`, "not_found", "1404") };
  const last = messages.at(-1)?.role ?? "none";
  if (last !== "user" && last !== "tool") return wrongOrder(last);
  const completion = { key, agentId, ...askedOf(agent), messages };
  asked(completion);
  return { status: 200, body: completionBody(agent, messages, await answering(completion), { now, random }) };
}

function askedOf(agent: StoredAgent) {
  const { temperature } = agent.completion_args;
  return {
    agentName: agent.name,
    model: agent.model,
    temperature: typeof temperature === "number" ? temperature : null,
    instructions: agent.instructions,
  };
}

function wrongOrder(last: string): ApiAnswer {
  const message = `Expected last role User or Tool (or Assistant with prefix True) for serving but got ${last}`;
  return { status: 400, body: errorBody(message, "invalid_request_message_order", "3230") };
}

function completionBody(
  agent: StoredAgent,
  messages: Message[],
  answer: ScriptedAnswer,
  { now, random }: { now: () => Date; random: () => number },
) {
  const { finishReason, ...said } =
    typeof answer === "string" ? { content: answer, finishReason: "stop" } : answer;
  const content = "messages" in said ? said.messages : said.content;
  const tokens = (text: unknown) => Math.ceil(JSON.stringify(text ?? "").length / 4);
  const prompt = tokens(agent.instructions) + messages.reduce((sum, one) => sum + tokens(one.content), 0);
  return {
    id: hex(random, 32),
    object: "chat.completion",
    model: agent.model,
    created: Math.floor(now().getTime() / 1_000),
    usage: {
      prompt_tokens: prompt,
      completion_tokens: tokens(content),
      total_tokens: prompt + tokens(content),
    },
    choices: [
      {
        index: 0,
        ...("messages" in said
          ? { messages: said.messages }
          : { message: { role: "assistant", content, tool_calls: null, prefix: false } }),
        finish_reason: finishReason,
      },
    ],
  };
}

function requestOf(body: unknown): { agentId: string; messages: Message[] } | FieldError[] {
  const fields: Record<string, unknown> = typeof body === "object" && body !== null ? { ...body } : {};
  const { agent_id: agentId, messages } = fields;
  const errors = (["agent_id", "messages"] as const)
    .filter((name) => fields[name] === undefined)
    .map((name) => ({ type: "missing", loc: ["body", name], msg: "Field required", input: body }));
  if (errors.length > 0) return errors;
  if (typeof agentId !== "string") return [wrongType("string", ["body", "agent_id"], agentId)];
  if (!Array.isArray(messages)) return [wrongType("list", ["body", "messages"], messages)];
  const read = messages.map(messageOf);
  const broken = read.indexOf(null);
  if (broken >= 0) return [wrongType("dict", ["body", "messages", broken], messages[broken])];
  return { agentId, messages: read.filter((one) => one !== null) };
}

function messageOf(message: unknown): Message | null {
  if (typeof message !== "object" || message === null) return null;
  if (!("role" in message) || typeof message.role !== "string" || !("content" in message)) return null;
  return { role: message.role, content: message.content };
}

const wrongType = (type: string, loc: (string | number)[], input: unknown): FieldError => ({
  type: `${type}_type`,
  loc,
  input,
  msg: `Input should be a valid ${type}`,
});
