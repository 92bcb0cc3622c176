import type { z } from "zod";
import type { Agent, agents } from "../../contract/agents.ts";
import { MEDIA_WORDS } from "../../contract/error-messages.ts";
import { DEFAULT_MODEL, DEFAULT_TEMPERATURE } from "../../domain/agent.ts";
import { inModelTurns, readAnswer } from "../../domain/answering.ts";
import { messageKindOf } from "../../domain/attachment.ts";
import { AppError } from "../../domain/errors.ts";
import { isBlank } from "../../domain/message-text.ts";
import { record } from "../audit/service.ts";
import { withRoom } from "../db/account-limits.ts";
import { claimKey, completeKey, releaseKey, submissionOf } from "../db/idempotency.ts";
import type { Changes } from "../db/live-updates.ts";
import type { Owner } from "../db/owner.ts";
import { fieldError } from "../http/errors.ts";
import type { FilledTemplate } from "../library/service.ts";
import { directMessagesOf } from "../sending/sending.ts";
import { agentFields } from "./agent-fields.ts";
import { findMade, forgetMade, hasMade, noteMade } from "./agents-repo.ts";
import { countCall } from "./calls-repo.ts";
import { askedTemplates } from "./compose-answer.ts";
import * as counts from "./counts.ts";
import { deactivateAgent, renameAgent } from "./links-repo.ts";
import type { MistralAccount } from "./mistral-client.ts";
import type { AgentInput, MistralAgent } from "./mistral-types.ts";
import type { MistralSettingsService } from "./settings.ts";

export const agentCounts = counts;

export type AgentDeps = {
  settings: Pick<MistralSettingsService, "access">;
  changes: Pick<Changes, "mark">;
  limitTests(accountId: string): Promise<void>;
  limitChanges(accountId: string): Promise<void>;
};

/** A person waits, but a long answer takes time. */
const TEST_TIMEOUT_MS = 30_000;

type AgentShown = z.input<typeof Agent>;

function shown(agent: MistralAgent): AgentShown {
  const { id, name, description, instructions, model, temperature, createdAt, updatedAt } = agent;
  return {
    id,
    name,
    description,
    instructions,
    model,
    completion_args: { temperature },
    created_at: createdAt.toISOString(),
    updated_at: updatedAt.toISOString(),
  };
}

async function forget(owner: Owner, agentId: string): Promise<void> {
  for (const { connectionId, name } of await deactivateAgent(owner, agentId)) {
    await record(owner, { kind: "assistant_off", subject: name });
    await directMessagesOf(owner).withdrawAnswers({ connectionId });
  }
  await forgetMade(owner, agentId);
}

export function publishAssistants(changes: Pick<Changes, "mark">, { accountId }: Owner): void {
  for (const topic of ["agents", "chats", "connections"] as const) changes.mark(accountId, topic);
}

/** Agents are stored at Mistral; here only who owns those in the operator's workspace. */
export class AgentService {
  readonly #deps: AgentDeps;

  constructor(deps: AgentDeps) {
    this.#deps = deps;
  }

  async list(owner: Owner): Promise<AgentShown[]> {
    const { source, mistral } = await this.#deps.settings.access(owner);
    const made = source === "operator" ? await findMade(owner) : null;
    const all = await mistral.listAgents();
    return all.filter(({ id }) => made === null || made.has(id)).map(shown);
  }

  async create(
    owner: Owner,
    { idempotencyKey, ...body }: z.output<typeof agents.create.body>,
  ): Promise<AgentShown> {
    const fields = agentFields(body);
    const submission = submissionOf("agent", idempotencyKey, fields);
    // Mistral may take longer than a transaction may idle.
    const known = submission && (await claimKey(owner, submission));
    if (known) return this.get(owner, known);
    try {
      await this.#deps.limitChanges(owner.accountId);
      const agent = await this.#make(owner, fields);
      this.#publish(owner);
      if (submission) await completeKey(owner, submission, agent.id);
      return shown(agent);
    } catch (error) {
      if (submission) await releaseKey(owner, submission);
      throw error;
    }
  }

  async get(owner: Owner, agentId: string): Promise<AgentShown> {
    const mistral = await this.#mistralFor(owner, agentId);
    return shown(await mistral.getAgent(agentId));
  }

  async update(
    owner: Owner,
    agentId: string,
    body: z.output<typeof agents.update.body>,
  ): Promise<AgentShown> {
    const fields = agentFields(body);
    const mistral = await this.#mistralFor(owner, agentId);
    // An empty change would create a new version.
    if (Object.keys(fields).length === 0) return shown(await mistral.getAgent(agentId));
    await this.#deps.limitChanges(owner.accountId);
    await requireModel(mistral, fields.model);
    const agent = await mistral.updateAgent(agentId, fields);
    await renameAgent(owner, agentId, agent.name);
    this.#publish(owner);
    return shown(agent);
  }

  async remove(owner: Owner, agentId: string): Promise<{ success: boolean }> {
    const mistral = await this.#mistralFor(owner, agentId);
    const missing = await mistral.deleteAgent(agentId).then(
      () => null,
      (error: unknown) => {
        // Deleted in Mistral's console: local data still goes.
        if (error instanceof AppError && error.code === "mistral_agent_missing") return error;
        throw error;
      },
    );
    await owner.db.transaction().execute((tx) => forget(owner.in(tx), agentId));
    this.#publish(owner);
    if (missing) throw missing;
    return { success: true };
  }

  async test(
    owner: Owner,
    agentId: string,
    { messages }: z.output<typeof agents.test.body>,
  ): Promise<z.input<typeof agents.test.answer>> {
    const last = messages.at(-1);
    if (last?.role !== "user" || last.kind !== "text" || isBlank(last.content))
      throw fieldError({ messages: "invalid" });
    const mistral = await this.#mistralFor(owner, agentId);
    await this.#deps.limitTests(owner.accountId);
    await countCall(owner);
    const { text, cut } = await mistral.complete({
      agentId,
      messages: inModelTurns(messages, MEDIA_WORDS),
      timeoutMs: TEST_TIMEOUT_MS,
    });
    const read = readAnswer(text, cut);
    const instructions = async () => (await mistral.getAgent(agentId)).instructions;
    const asked = await askedTemplates(owner, read.templates, { instructions, phone: null });
    return {
      text: read.text ?? "",
      sends: asked.flatMap(({ name, filled }) =>
        filled ? { name, kind: kindOf(filled), text: filled.text, attachment: filled.attachment } : [],
      ),
      refused: asked.flatMap(({ name, filled }) => (filled ? [] : name)),
    };
  }

  async models(owner: Owner): Promise<{ models: { id: string; name: string }[] }> {
    const { mistral } = await this.#deps.settings.access(owner);
    const models = await mistral.listModels();
    return { models: models.map(({ id, name }) => ({ id, name })) };
  }

  /** Another account's agent looks missing. */
  async #mistralFor(owner: Owner, agentId: string): Promise<MistralAccount> {
    const { source, mistral } = await this.#deps.settings.access(owner);
    if (source === "operator" && !(await hasMade(owner, agentId))) throw new AppError("not_found");
    return mistral;
  }

  async #make(owner: Owner, fields: Partial<AgentInput>): Promise<MistralAgent> {
    const { source, mistral } = await this.#deps.settings.access(owner);
    await requireModel(mistral, fields.model);
    if (source !== "operator") return createAt(mistral, fields);
    return withRoom(owner, [counts.OPERATOR_AGENTS], async (fill) => {
      const agent = await createAt(mistral, fields);
      await owner.db.transaction().execute(async (tx) => {
        await fill(tx);
        await noteMade(owner.in(tx), agent.id);
      });
      return agent;
    });
  }

  #publish(owner: Owner): void {
    publishAssistants(this.#deps.changes, owner);
  }
}

const kindOf = ({ attachment }: FilledTemplate) => (attachment ? messageKindOf(attachment.kind) : "text");

async function requireModel(mistral: MistralAccount, model: string | undefined): Promise<void> {
  if (model === undefined) return;
  const models = await mistral.listModels();
  if (!models.some((one) => one.id === model)) throw fieldError({ model: "invalid_option" });
}

function createAt(mistral: MistralAccount, fields: Partial<AgentInput>): Promise<MistralAgent> {
  return mistral.createAgent({
    name: "",
    description: "",
    instructions: "",
    model: DEFAULT_MODEL,
    temperature: DEFAULT_TEMPERATURE,
    ...fields,
  });
}
