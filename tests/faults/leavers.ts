import { sql } from "kysely";
import { DELIVERY } from "../../src/domain/delivery.ts";
import type { Db } from "../../src/server/db/client.ts";
import { until } from "./installation.ts";

/** What somebody was sent, and when the product handed it over (epoch ms). */
export type Handed = { phone: string; at: number };

/**
 * While everything is up a word takes milliseconds to be read, and what is being handed over then cannot be called back. A message is held
 * against the product from this long after a word that came while it ran; from the very moment of one that came while it was dead.
 */
export const RUNNING_MS = 1_000;

/** So many people leave at a time. */
const MOST = 4;

/** The people of a campaign who ask to leave while some part is away. */
export class Leavers {
  /** From when on nothing may be handed over for them. */
  readonly #since = new Map<string, number>();
  /** People who are not on WhatsApp, or whose messages it refuses, say nothing. */
  readonly #silent: ReadonlySet<string>;

  constructor(silent: ReadonlySet<string>) {
    this.#silent = silent;
  }

  get count(): number {
    return this.#since.size;
  }

  /** Has people leave who have not been handed out yet: those who would be written to next, and the last ones. */
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
   * Waits until all of them are opted out and have their confirmation. One that is still on its way would meet the kill of the next run,
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

  /** How many of them the campaign wrote to all the same. */
  writtenTo(handed: Iterable<Handed>): number {
    const phones = new Set<string>();
    for (const { phone, at } of handed) if (at > (this.#since.get(phone) ?? Infinity)) phones.add(phone);
    return phones.size;
  }
}
