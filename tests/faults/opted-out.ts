import { sql } from "kysely";
import { DELIVERY } from "../../src/domain/delivery.ts";
import type { Db } from "../../src/server/db/client.ts";
import { until } from "./installation.ts";

export type Handed = { phone: string; at: number };

/**
 * A message in flight cannot be recalled, so an opt-out binds only after this delay. One that arrived while
 * the product was dead binds at once.
 */
export const RUNNING_MS = 1_000;

const MOST = 4;

export class OptedOut {
  readonly #since = new Map<string, number>();
  readonly #silent: ReadonlySet<string>;

  constructor(silent: ReadonlySet<string>) {
    this.#silent = silent;
  }

  get count(): number {
    return this.#since.size;
  }

  /** Opts out people not yet claimed: those next in turn and the last ones. */
  async leave(
    db: Db,
    campaignId: number,
    graceMs: number,
    say: (phone: string) => Promise<void>,
  ): Promise<void> {
    const { rows } = await sql<{ phone: string }>`select phone::text as phone from delivery
      where campaign_id = ${campaignId} and status = ${DELIVERY.pending} order by seq`.execute(db);
    const left = rows
      .map(({ phone }) => phone)
      .filter((phone) => !this.#since.has(phone) && !this.#silent.has(phone));
    const half = Math.ceil(MOST / 2);
    for (const phone of new Set([...left.slice(0, half), ...left.slice(-half)])) {
      await say(phone);
      this.#since.set(phone, Date.now() + graceMs);
    }
  }

  /**
   * Waits until all are opted out and confirmed. A pending confirmation would meet the kill of the next run
   * before that has a campaign.
   */
  async settled(db: Db): Promise<void> {
    const phones = [...this.#since.keys()];
    await until("the confirmations to those who left", async () => {
      const { rows } = await sql<{ done: boolean }>`select
        (select count(*) from opt_out where phone = any(${phones}::bigint[])) >= ${phones.length}
        and not exists (select 1 from outbox
          where status in (${DELIVERY.pending}, ${DELIVERY.sending}, ${DELIVERY.waiting})) as done`.execute(
        db,
      );
      return rows[0]?.done ?? false;
    });
  }

  writtenTo(handed: Iterable<Handed>): number {
    const phones = new Set<string>();
    for (const { phone, at } of handed) if (at > (this.#since.get(phone) ?? Infinity)) phones.add(phone);
    return phones.size;
  }
}
