import { sql } from "kysely";
import type { Clock } from "../../domain/clock.ts";
import type { Db } from "../db/client.ts";
import type { GatewayBacklog as Backlog, OpenGatewayBacklog } from "../sending/sending.ts";
import type { InstanceAccess, ReadAccess } from "../transports/gateway/access.ts";
import type { EvolutionClient } from "../transports/gateway/evolution-client.ts";
import type { StoredMessage } from "../transports/gateway/stored-message.ts";
import { noteChecked } from "./gap-repo.ts";
import { OVERLAP_MS, takeInFound } from "./gap-search.ts";
import { isWalked, startWalk, walkOn } from "./gap-walk.ts";
import type { Intake } from "./webhook-effects.ts";

export type BacklogDeps = Omit<Intake, "readElsewhere"> & {
  db: Db;
  clock: Clock;
  access: ReadAccess;
  clientOf(access: InstanceAccess): Pick<EvolutionClient, "findMessages">;
  /** Minimum reach of each read, in milliseconds. */
  backMs: number;
};

/** Per account, as its gateway may be slow. */
const AT_ONCE = 4;

/** Messages since the last check, for waiting lanes. Needs no lock: processing twice changes nothing. */
export function gatewayBacklogs(deps: BacklogDeps): OpenGatewayBacklog {
  const places = new Places(AT_ONCE);
  return (of) => new GatewayBacklog(deps, of, places);
}

class GatewayBacklog implements Backlog {
  readonly #deps: BacklogDeps;
  readonly #of: { accountId: string; connectionId: number };
  readonly #places: Places;
  /** Fixed by the first read, as messages may be stored late. */
  #from: Date | null = null;
  readonly #seen = new Set<string>();

  constructor(deps: BacklogDeps, of: { accountId: string; connectionId: number }, places: Places) {
    this.#deps = deps;
    this.#of = of;
    this.#places = places;
  }

  read(before: Date): Promise<boolean> {
    return this.#places.take(this.#of.accountId, () => this.#read(before));
  }

  async #read(before: Date): Promise<boolean> {
    const { db, clock, access, clientOf } = this.#deps;
    const { connectionId } = this.#of;
    const at = await access(connectionId);
    // An inaccessible instance sends nothing.
    if (!at) return false;
    const known = this.#seen.size;
    this.#from ??= await this.#start();
    const client = clientOf(at);
    let from = this.#from;
    for (const now = clock.now(); from < now; ) {
      let walk = startWalk({ from, to: now });
      while (!isWalked(walk))
        walk = await walkOn(client, at.name, walk, (found) => this.#takeIn(found, before));
      // Too many messages: the walk covered only the first part.
      from = walk.to;
      await noteChecked(db, connectionId, walk.to);
    }
    return this.#seen.size > known;
  }

  async #start(): Promise<Date> {
    const { db, clock, backMs } = this.#deps;
    const { rows } = await sql<{ since: Date }>`select coalesce(checked_to, created_at) as since
      from instance where connection_id = ${this.#of.connectionId}`.execute(db);
    const back = clock.now().getTime() - backMs;
    return new Date(Math.min((rows[0]?.since.getTime() ?? back) - OVERLAP_MS, back));
  }

  async #takeIn(found: readonly StoredMessage[], before: Date): Promise<void> {
    await takeInFound(this.#deps, this.#of, found);
    for (const { providerId, message } of found)
      if (message && message.at <= before) this.#seen.add(providerId);
  }
}

class Places {
  readonly #most: number;
  readonly #taken = new Map<string, number>();
  readonly #waiting = new Map<string, (() => void)[]>();

  constructor(most: number) {
    this.#most = most;
  }

  async take<T>(key: string, work: () => Promise<T>): Promise<T> {
    const taken = this.#taken.get(key) ?? 0;
    if (taken < this.#most) this.#taken.set(key, taken + 1);
    else await new Promise<void>((resolve) => this.#waitersOf(key).push(resolve));
    try {
      return await work();
    } finally {
      this.#giveBack(key);
    }
  }

  #waitersOf(key: string): (() => void)[] {
    const waiters = this.#waiting.get(key) ?? [];
    this.#waiting.set(key, waiters);
    return waiters;
  }

  #giveBack(key: string): void {
    const next = this.#waiting.get(key)?.shift();
    if (next) {
      next();
      return;
    }
    this.#waiting.delete(key);
    const taken = (this.#taken.get(key) ?? 1) - 1;
    if (taken > 0) this.#taken.set(key, taken);
    else this.#taken.delete(key);
  }
}
