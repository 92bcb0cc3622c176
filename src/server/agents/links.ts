import type { z } from "zod";
import type { AssistantLink, assistants } from "../../contract/agents.ts";
import { AppError } from "../../domain/errors.ts";
import { record } from "../audit/service.ts";
import type { Changes } from "../db/live-updates.ts";
import type { Owner } from "../db/owner.ts";
import type { Undo } from "../db/undo.ts";
import { directMessagesOf } from "../sending/sending.ts";
import {
  deleteLink,
  findLink,
  hasConnection,
  type LinkRow,
  listLinks,
  restoreLink,
  storeLink,
  updateLink,
} from "./links-repo.ts";
import { type AgentService, publishAssistants } from "./service.ts";

export type LinkDeps = { agents: Pick<AgentService, "get">; changes: Pick<Changes, "mark">; undo: Undo };

type LinkShown = z.input<typeof AssistantLink>;

const undoOf = (connectionId: number) => `assistant_link/${connectionId}`;

function shown(row: LinkRow): LinkShown {
  const { connection_id, agent_id, agent_name, active, pause_minutes } = row;
  return {
    connectionId: connection_id,
    agentId: agent_id,
    agentName: agent_name,
    active,
    pauseMinutes: pause_minutes,
  };
}

/** One agent per connection. */
export class LinkService {
  readonly #deps: LinkDeps;

  constructor(deps: LinkDeps) {
    this.#deps = deps;
  }

  async list(owner: Owner): Promise<{ links: LinkShown[] }> {
    return { links: (await listLinks(owner)).map(shown) };
  }

  async link(owner: Owner, connectionId: number, agentId: string) {
    if (!(await hasConnection(owner, connectionId))) throw new AppError("not_found");
    const agent = await this.#requireAgent(owner, agentId);
    await owner.db.transaction().execute(async (tx) => {
      const stored = await storeLink(owner.in(tx), connectionId, agent);
      if (stored === null) throw new AppError("not_found");
      if (stored === "known") return;
      await record(owner.in(tx), { kind: "assistant_on", subject: agent.name });
      await directMessagesOf(owner.in(tx)).withdrawAnswers({ connectionId });
    });
    this.#publish(owner);
    return this.#show(owner, connectionId);
  }

  async update(owner: Owner, connectionId: number, body: z.output<typeof assistants.update.body>) {
    const known = await this.#show(owner, connectionId);
    const agentId = body.agentId ?? known.agentId;
    if (body.active === true && !known.active) await this.#requireAgent(owner, agentId);
    await owner.db.transaction().execute(async (tx) => {
      const change = { active: body.active ?? null, pauseMinutes: body.pauseMinutes ?? null };
      if (!(await updateLink(owner.in(tx), connectionId, agentId, change)))
        throw new AppError("assistant_changed");
      if (body.active === false) await directMessagesOf(owner.in(tx)).withdrawAnswers({ connectionId });
      if (body.active === undefined || body.active === known.active) return;
      const kind = body.active ? "assistant_on" : "assistant_off";
      await record(owner.in(tx), { kind, subject: known.agentName });
    });
    this.#publish(owner);
    return this.#show(owner, connectionId);
  }

  async unlink(owner: Owner, connectionId: number) {
    const copy = await owner.db.transaction().execute(async (tx) => {
      const gone = await deleteLink(owner.in(tx), connectionId);
      if (!gone) throw new AppError("not_found");
      if (gone.active)
        await record(owner.in(tx), { kind: "assistant_off", subject: String(gone.agent_name) });
      await directMessagesOf(owner.in(tx)).withdrawAnswers({ connectionId });
      return gone;
    });
    this.#publish(owner);
    return { success: true, undo: this.#deps.undo.seal(owner.accountId, undoOf(connectionId), copy) };
  }

  async restore(owner: Owner, connectionId: number, sealed: string) {
    if (!(await hasConnection(owner, connectionId))) throw new AppError("not_found");
    const removed = this.#deps.undo.open(owner.accountId, undoOf(connectionId), sealed);
    // While nothing refers to the agent, no event renames the link.
    const agent = await this.#requireAgent(owner, String(removed.agent_id));
    const copy = { ...removed, agent_name: agent.name };
    await owner.db.transaction().execute(async (tx) => {
      if (!(await restoreLink(owner.in(tx), connectionId, copy))) throw new AppError("undo_too_late");
      const { agentName, active } = await this.#show(owner.in(tx), connectionId);
      if (active) await record(owner.in(tx), { kind: "assistant_on", subject: agentName });
    });
    this.#publish(owner);
    return this.#show(owner, connectionId);
  }

  async #show(owner: Owner, connectionId: number): Promise<LinkShown> {
    const row = await findLink(owner, connectionId);
    if (!row) throw new AppError("not_found");
    return shown(row);
  }

  #publish(owner: Owner): void {
    publishAssistants(this.#deps.changes, owner);
  }

  async #requireAgent(owner: Owner, agentId: string) {
    try {
      return await this.#deps.agents.get(owner, agentId);
    } catch (error) {
      // The connection exists, so the missing object is the agent.
      const missing = error instanceof AppError && error.code === "not_found";
      throw missing ? new AppError("mistral_agent_missing") : error;
    }
  }
}
