import type { Owner } from "../db/owner.ts";
import { type CampaignRow, type Failure, findFirstFailures } from "./repo.ts";

const EACH = 20;
const KEPT = 500;

type Kept = { print: string; failures: Failure[] };

/**
 * While these are unchanged, so are the failed people. Not one sum, in which changes could cancel out; a new
 * attempt moves `lastSentAt`.
 */
const printOf = ({ error, accepted, sent, delivered, read, lastSentAt }: CampaignRow) =>
  `${error} ${accepted} ${sent} ${delivered + read} ${lastSentAt?.getTime()}`;

/** Cached: lists are refetched on every change and would read the people of all their campaigns. */
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
