import { readAgentFields } from "./agent-fields.ts";
import { type ApiAnswer, errorBody, invalid, NO_ROUTE, UNAUTHORIZED } from "./answers.ts";
import { type Answering, type AskedCompletion, complete } from "./completions.ts";
import { isModel, modelList } from "./models.ts";
import type { MistralRequest } from "./requests.ts";
import type { StoredAgent, Workspace } from "./workspaces.ts";

const PAGE_SIZE = 20;
const PAGE_SIZE_MAX = 1_000;

export type ApiState = {
  agents: Workspace | null;
  answering: Answering;
  completions: AskedCompletion[];
  now: () => Date;
  random: () => number;
};

export async function answerRequest(request: MistralRequest, state: ApiState): Promise<ApiAnswer> {
  const { agents } = state;
  if (!agents || request.key === null) return UNAUTHORIZED;
  const { method, path, key, body } = request;
  if (path === "/v1/models" && method === "GET") return { status: 200, body: modelList() };
  if (path === "/v1/agents/completions" && method === "POST") {
    return complete({ key, body }, { ...state, agents }, (asked) => state.completions.push(asked));
  }
  if (path === "/v1/agents/pages" && method === "GET") return pageByToken(agents, request.query);
  if (path === "/v1/agents") {
    if (method === "GET") return pageByNumber(agents, request.query);
    if (method === "POST") return create(agents, body);
  }
  const id = /^\/v1\/agents\/([^/]+)$/.exec(path)?.[1];
  return id === undefined ? NO_ROUTE : oneAgent(agents, decodeURIComponent(id), request);
}

function oneAgent(agents: Workspace, id: string, { method, body }: MistralRequest): ApiAnswer {
  const agent = agents.get(id);
  if (!agent) return { status: 404, body: errorBody(`Agent ${id} not found`, "not_found", "1404") };
  if (method === "GET") return { status: 200, body: agent };
  if (method === "PATCH") return update(agents, agent, body);
  if (method !== "DELETE") return { status: 405, body: { detail: "Method Not Allowed" } };
  agents.remove(id);
  return { status: 204, body: null };
}

function create(agents: Workspace, body: unknown): ApiAnswer {
  const { fields, errors } = readAgentFields(body, ["name", "model"]);
  const { name, model } = fields;
  if (errors.length > 0 || name === undefined || model === undefined) return invalid(errors);
  if (!isModel(model)) return wrongModel(model);
  return { status: 200, body: agents.create({ ...fields, name, model }) };
}

function update(agents: Workspace, agent: StoredAgent, body: unknown): ApiAnswer {
  const { fields, errors } = readAgentFields(body, []);
  if (errors.length > 0) return invalid(errors);
  if (fields.model !== undefined && !isModel(fields.model)) return wrongModel(fields.model);
  return { status: 200, body: agents.update(agent, fields) };
}

const wrongModel = (model: string): ApiAnswer => ({
  status: 400,
  body: errorBody(`Invalid model: ${model}`, "invalid_model", "1500"),
});

/** `GET /v1/agents`; deprecated by Mistral. */
function pageByNumber(agents: Workspace, query: URLSearchParams): ApiAnswer {
  const page = whole(query.get("page") ?? "0", 0, Number.MAX_SAFE_INTEGER);
  const size = whole(query.get("page_size") ?? String(PAGE_SIZE), 1, PAGE_SIZE_MAX);
  if (page === null) return wrongQuery("page", query.get("page"));
  if (size === null) return wrongQuery("page_size", query.get("page_size"));
  return { status: 200, body: agents.list().slice(page * size, (page + 1) * size) };
}

/** `GET /v1/agents/pages`; the last page has no token. */
function pageByToken(agents: Workspace, query: URLSearchParams): ApiAnswer {
  const size = whole(query.get("page_size") ?? String(PAGE_SIZE), 1, PAGE_SIZE_MAX);
  const token = query.get("page_token");
  const after =
    token === null ? 0 : whole(Buffer.from(token, "base64url").toString(), 0, Number.MAX_SAFE_INTEGER);
  if (size === null) return wrongQuery("page_size", query.get("page_size"));
  if (after === null) return wrongQuery("page_token", token);
  const all = agents.list();
  const end = after + size;
  const next = end < all.length ? Buffer.from(String(end)).toString("base64url") : null;
  return { status: 200, body: { object: "list", data: all.slice(after, end), next_page_token: next } };
}

function whole(text: string, least: number, most: number): number | null {
  const number = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
  return number >= least && number <= most ? number : null;
}

const wrongQuery = (name: string, input: unknown): ApiAnswer =>
  invalid([
    {
      type: "int_parsing",
      loc: ["query", name],
      msg: "Input should be a valid integer within its bounds",
      input,
    },
  ]);
