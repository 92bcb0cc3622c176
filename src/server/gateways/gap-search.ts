import { sql } from "kysely";
import type { Topic } from "../../contract/events.ts";
import type { Clock } from "../../domain/clock.ts";
import type { Database, Db } from "../db/client.ts";
import { wake } from "../sending/sending.ts";
import type { InstanceAccess, ReadAccess } from "../transports/gateway/access.ts";
import type { EvolutionClient } from "../transports/gateway/evolution-client.ts";
import type { StoredMessage } from "../transports/gateway/stored-message.ts";
import type { Receipt } from "../transports/transport.ts";
import { type Due, noteChecked } from "./gap-repo.ts";
import { isWalked, startWalk, type Walk, walkOn } from "./gap-walk.ts";
import { noticeHook } from "./hook.ts";
import { noteKeeping } from "./keeps-messages.ts";
import type { Intake } from "./webhook-effects.ts";

type Client = Pick<EvolutionClient, "findMessages" | "findWebhook">;

export type GapSearchDeps = Omit<Intake, "readElsewhere"> & {
  database: Pick<Database, "db">;
  clock: Clock;
  access: ReadAccess;
  clientOf(access: InstanceAccess): Client;
  mark(accountId: string, topic: Topic, id?: number): void;
};

type SearchTimes = {
  /** Reach of status checks, normally and occasionally. */
  back: number;
  farBack: number;
  far: number;
  /** Continues next turn: forty pages at fifteen seconds would occupy a slot for ten minutes. */
  budget: number;
};

/** Clocks differ and messages are stored late. */
export const OVERLAP_MS = 120_000;

/** New messages, and occasionally statuses of the last day. `at`: another address has other pages. */
type Walks = { at: string; news?: Walk | undefined; far?: Walk | undefined; found: number };

/** One turn: what is searched, where, and until when. */
type Turn = {
  due: Due;
  name: string;
  client: Client;
  walks: Walks;
  end: number;
  mayGoOn: () => boolean;
};

/** Searches the store of gateways; a search continues where the last turn ended. */
export class GapSearch {
  readonly #deps: GapSearchDeps;
  readonly #times: SearchTimes;
  readonly #underWay = new Map<number, Walks>();
  readonly #farAt = new Map<number, number>();

  constructor(deps: GapSearchDeps, times: SearchTimes) {
    this.#deps = deps;
    this.#times = times;
  }

  async run(due: Due, mayGoOn: () => boolean): Promise<void> {
    const { connectionId } = due;
    const access = await this.#deps.access(connectionId);
    if (!access) return;
    const client = this.#deps.clientOf(access);
    const end = performance.now() + this.#times.budget;
    const walks = this.#begin(due, `${access.baseUrl} ${access.name}`);
    this.#underWay.set(connectionId, walks);
    const turn = { due, name: access.name, client, walks, end, mayGoOn };
    const checkedTo = await this.#goOn(turn, "news");
    await disproveRefusal(this.#deps.database.db, connectionId);
    if (checkedTo) await this.#noteNews(turn, checkedTo);
    // Only after the news, but even without time left, or it might never run.
    const farTo = walks.news ? null : await this.#goOn(turn, "far");
    if (farTo) this.#farAt.set(connectionId, performance.now());
    if (!walks.news && !walks.far) this.#underWay.delete(connectionId);
    if (farTo) await this.#noticeHook(turn);
  }

  #begin({ connectionId, since }: Due, at: string): Walks {
    const { back, farBack } = this.#times;
    const before = this.#underWay.get(connectionId);
    const { news, far, found = 0 } = before?.at === at ? before : {};
    const to = this.#deps.clock.now();
    const from = new Date(Math.min(since.getTime() - OVERLAP_MS, to.getTime() - back));
    const farFrom = new Date(to.getTime() - farBack);
    const newFar = this.#isFarDue(connectionId) ? startWalk({ from: farFrom, to, fromMe: true }) : undefined;
    return { at, news: news ?? startWalk({ from, to }), far: far ?? newFar, found };
  }

  #isFarDue(connectionId: number): boolean {
    const last = this.#farAt.get(connectionId) ?? Number.NEGATIVE_INFINITY;
    return performance.now() - last >= this.#times.far;
  }

  /** Returns until when all is processed; null when unfinished. Fetches at least one page. */
  async #goOn({ due, name, client, walks, end, mayGoOn }: Turn, which: "news" | "far"): Promise<Date | null> {
    const takeIn = (found: readonly StoredMessage[]) => {
      walks.found += found.length;
      return takeInFound(this.#deps, due, found);
    };
    for (let walk = walks[which], asked = 0; walk && mayGoOn(); walk = walks[which]) {
      if (asked++ > 0 && performance.now() >= end) return null;
      const next = await walkOn(client, name, walk, takeIn);
      walks[which] = isWalked(next) ? undefined : next;
      if (isWalked(next)) return next.to;
    }
    return null;
  }

  async #noteNews({ due, name, client, walks }: Turn, checkedTo: Date): Promise<void> {
    const { database, mark } = this.#deps;
    const { accountId, connectionId } = due;
    await noteChecked(database.db, connectionId, checkedTo);
    const asked = { connectionId, name, found: walks.found, client };
    if (await noteKeeping(database.db, asked)) mark(accountId, "connections", connectionId);
    walks.found = 0;
  }

  async #noticeHook({ due, name, client }: Turn): Promise<void> {
    const { database, mark } = this.#deps;
    const { accountId, connectionId } = due;
    if (await noticeHook(database.db, connectionId, () => client.findWebhook(name)))
      mark(accountId, "connections", connectionId);
  }
}

/** A refused lane would retry only after minutes. */
async function disproveRefusal(db: Db, connectionId: number): Promise<void> {
  const { rows } = await sql`select from connection
    where id = ${connectionId} and state_reason in ('wrong_key', 'server_errors', 'unreachable')`.execute(db);
  if (rows.length > 0) await wake(db, connectionId, "poke");
}

export async function takeInFound(
  deps: Omit<Intake, "readElsewhere"> & { clock: Clock },
  { accountId, connectionId }: { accountId: string; connectionId: number },
  found: readonly StoredMessage[],
): Promise<void> {
  const messages = found.flatMap(({ message }) => message ?? []);
  const ours = messages.filter(({ fromMe }) => fromMe);
  // Statuses carry no time, so they count from now.
  const at = deps.clock.now();
  const receipts = found.flatMap(({ message, providerId, statuses }): Receipt[] =>
    message?.fromMe ? statuses.map((status) => ({ messageId: providerId, status, at })) : [],
  );
  if (ours.length > 0) await deps.recordOutgoing(connectionId, ours);
  if (messages.length > 0) await deps.receiveMessages({ accountId, connectionId }, messages);
  if (receipts.length > 0) await deps.settleReceipts(connectionId, receipts);
}
