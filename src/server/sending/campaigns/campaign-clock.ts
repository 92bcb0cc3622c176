import { sql } from "kysely";
import { coalesced } from "../../base/coalesced.ts";
import { analyze } from "../../db/analyze.ts";
import type { Database, Db } from "../../db/client.ts";
import { isSuspended } from "../../db/suspended.ts";
import type { FairQueues } from "../../jobs/fair-queue.ts";
import { StoredWork } from "../../jobs/stored-work.ts";
import { recordCampaigns } from "../ledger/campaign-record.ts";
import { accountsStarting, type StartSize, startNext } from "./audience.ts";
import {
  accountsWithCancelled,
  accountsWithEmptied,
  accountsWithGivenBack,
  accountsWithWaiting,
  type Changed,
  endEmptied,
  sweepArrived,
  sweepCancelled,
} from "./campaign-sweeps.ts";
import { sweepOptedOut } from "./opt-out.ts";

/**
 * A scheduled campaign starts by itself up to this late; later it would surprise people, so a human confirms.
 */
const LATE_LIMIT_H = 2;
const LATE_NOTICE_S = 60;
const DUE_OF_ACCOUNT = 100;
const ANALYZE_FROM = 5_000;

const TOO_LATE = sql`scheduled_at < now() - ${LATE_LIMIT_H} * interval '1 hour'`;
const SUSPENDED = isSuspended(sql.ref("account_id"));

/**
 * Moves due campaigns: within two hours of their time they start, later ones wait for a human. A suspended
 * account's always wait, so that a resume sends nothing unconfirmed.
 */
export async function startDue(db: Db): Promise<Changed[]> {
  return db.transaction().execute(async (tx) => {
    const { rows } = await sql<Changed & { cause: string | null }>`update campaign set
      status = case when ${TOO_LATE} or ${SUSPENDED} then 'paused' else 'starting' end,
      pause_reason = case when ${SUSPENDED} then 'suspended' when ${TOO_LATE} then 'missed' end,
      late = scheduled_at < now() - ${LATE_NOTICE_S} * interval '1 second',
      updated_at = now()
    where id in (
      select id from campaign where status = 'scheduled' and scheduled_at <= now() and id in (
        select id from (
          select c.id, row_number() over (partition by c.account_id order by c.scheduled_at, c.id) as nth
          from campaign c join account a on a.id = c.account_id
          where c.status = 'scheduled' and c.scheduled_at <= now() and a.removed_at is null) as due
        where nth <= ${DUE_OF_ACCOUNT})
      for update skip locked)
    returning account_id as "accountId", id as "campaignId", pause_reason as cause`.execute(tx);
    const those = (cause: string | null) =>
      rows.filter((row) => row.cause === cause).map((row) => row.campaignId);
    await recordCampaigns(tx, "campaign_started", those(null));
    for (const cause of ["missed", "suspended"])
      await recordCampaigns(tx, "campaign_paused", those(cause), cause);
    return rows.map(({ accountId, campaignId }) => ({ accountId, campaignId }));
  });
}

export type CampaignClockDeps = {
  database: Database;
  queues: FairQueues;
  changed(one: Changed): unknown;
  failed(error: unknown): void;
  analyzeWaitMs?: number;
};

/** `repeats`: run again as long as something changed. */
type Kind = {
  name: string;
  accounts(db: Db): Promise<string[]>;
  work(database: Database, accountId: string): Promise<readonly Changed[]>;
  repeats: boolean;
};

const RUNNING = 2;

const startsOf = (size: StartSize): Kind => ({
  name: `campaign_starts_${size}`,
  accounts: (db) => accountsStarting(db, size),
  async work(database, accountId) {
    const started = await startNext(database, { accountId, size });
    return started ? [started] : [];
  },
  repeats: true,
});

const STARTS: readonly Kind[] = [startsOf("small"), startsOf("large")];

/** Opt-outs run first and once per look: rows that a batch cannot settle would be found again for ever. */
const SWEEPS: readonly Kind[] = [
  {
    name: "campaign_leavers",
    accounts: accountsWithWaiting,
    work: ({ db }, accountId) => sweepOptedOut(db, accountId),
    repeats: false,
  },
  {
    name: "campaign_cancels",
    accounts: accountsWithCancelled,
    work: ({ db }, accountId) => sweepCancelled(db, accountId),
    repeats: true,
  },
  {
    name: "campaign_arrivals",
    accounts: accountsWithGivenBack,
    work: ({ db }, accountId) => sweepArrived(db, accountId),
    repeats: false,
  },
  {
    name: "campaign_ends",
    accounts: accountsWithEmptied,
    work: ({ db }, accountId) => endEmptied(db, accountId),
    repeats: false,
  },
];

/**
 * Starts campaigns and settles people that no turn claims any more. Each kind of work runs apart and serves
 * accounts in turns: a large campaign delays no other.
 */
export class CampaignClock {
  readonly #deps: CampaignClockDeps;
  readonly #starts: readonly StoredWork[];
  readonly #sweeps: readonly StoredWork[];
  readonly #due = coalesced(() => this.#lookForDue());
  readonly #analyses = coalesced(() => this.#analyze());
  #stopped = false;

  constructor(deps: CampaignClockDeps) {
    this.#deps = deps;
    this.#starts = STARTS.map((kind) => this.#open(kind));
    this.#sweeps = SWEEPS.map((kind) => this.#open(kind));
  }

  look(): void {
    if (this.#stopped) return;
    this.#due.ask();
    for (const work of this.#sweeps) work.wake();
  }

  async idle(): Promise<void> {
    await this.#due.idle();
    await Promise.all([...this.#starts, ...this.#sweeps].map((work) => work.idle()));
    await this.#analyses.idle();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#due.idle();
    await Promise.all([...this.#starts, ...this.#sweeps].map((work) => work.stop()));
    await this.#analyses.idle();
  }

  #open({ name, accounts, work, repeats }: Kind): StoredWork {
    const { database, queues, failed } = this.#deps;
    const queue = queues.open({ name, running: RUNNING, runningOfAccount: 1, waitingOfAccount: 1 });
    return new StoredWork(queue, {
      accounts: () => accounts(database.db),
      failed,
      work: async (accountId) => {
        const changed = await work(database, accountId);
        for (const one of changed) this.#tell(one);
        return repeats && changed.length > 0;
      },
    });
  }

  #tell(one: Changed & { total?: number }): void {
    // It has started in any case; the next one must not wait for this.
    if ((one.total ?? 0) >= ANALYZE_FROM) this.#analyses.ask();
    this.#deps.changed({ accountId: one.accountId, campaignId: one.campaignId });
  }

  async #lookForDue(): Promise<void> {
    try {
      for (const one of await startDue(this.#deps.database.db)) this.#tell(one);
    } catch (error) {
      this.#deps.failed(error);
    }
    for (const work of this.#starts) work.wake();
  }

  async #analyze(): Promise<void> {
    // On failure autovacuum does it later.
    await analyze(this.#deps.database, "delivery", this.#deps.analyzeWaitMs).catch(() => undefined);
  }
}
