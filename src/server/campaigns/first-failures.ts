import type { Owner } from "../db/owner.ts";
import { type CampaignRow, type Failure, findFirstFailures } from "./repo.ts";

/** Lines of failures on a card (decision 32). */
const EACH = 20;
/** Campaigns whose first failures are remembered: some pages of the list for some accounts. */
const KEPT = 500;

type Kept = { print: string; failures: Failure[] };

/**
 * While these stand still, so do the people: who failed leaves that state only by having got the message, and a message that was sent may
 * turn out to have failed. Not one sum of all who got it: the two could make up for each other. Where they do so among those only sent to,
 * the last time that somebody was sent to has moved.
 */
const printOf = ({ error, accepted, sent, delivered, read, lastSentAt }: CampaignRow) =>
  `${error} ${accepted} ${sent} ${delivered + read} ${lastSentAt?.getTime()}`;

/**
 * Answers the first failures of campaigns that are over, in the order of their lists. They are remembered: a list is asked for whenever
 * anything on it changes, and would read the people of all its campaigns each time.
 */
export function firstFailures() {
  const kept = new Map<number, Kept>();

  return async (owner: Owner, over: readonly CampaignRow[]): Promise<ReadonlyMap<number, Failure[]>> => {
    const known = new Map(over.map((row) => [row.id, kept.get(row.id)] as const));
    const asked = over.filter((row) => known.get(row.id)?.print !== printOf(row));
    const found = await findFirstFailures(
      owner,
      asked.map(({ id }) => id),
      EACH,
    );
    const read = new Map(found.map(({ campaignId, failures }) => [campaignId, failures]));
    const answer = new Map<number, Failure[]>();
    for (const row of over) {
      const failures = (asked.includes(row) ? read.get(row.id) : known.get(row.id)?.failures) ?? [];
      kept.delete(row.id);
      kept.set(row.id, { print: printOf(row), failures });
      answer.set(row.id, failures);
    }
    for (const oldest of kept.keys()) if (kept.size > KEPT) kept.delete(oldest);
    return answer;
  };
}
