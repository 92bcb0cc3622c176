import { sql } from "kysely";
import { DELIVERY } from "../../src/domain/delivery.ts";
import type { Db } from "../../src/server/db/client.ts";
import { readLedger } from "../support/sending.ts";

/** What a run came to, people by people: the ledger against what the gateway sent. */
export type GatewayVerdict = {
  people: number;
  /** People to whom the gateway sent the campaign's message more than once. */
  duplicated: number;
  /** People whom the ledger calls sent and to whom nothing went, or who were never settled. */
  lost: number;
  /** People whom the ledger calls failed or skipped and to whom the message went, or failed, WhatsApp not having refused it. */
  wronged: number;
  /** People in no last state, or counted otherwise than their rows say. */
  withoutState: number;
  sent: number;
  uncertain: number;
  /** People whose message left, or may have left, without our hearing so at once … */
  doubts: number;
  /** … to whom it really went … */
  left: number;
  /** … and who were found again. */
  found: number;
};

type Truth = {
  /** How often the campaign's message went to each phone. */
  sentTo: ReadonlyMap<string, number>;
  /** People whose messages WhatsApp refuses after the gateway took them, and whom it does not know. */
  refused: ReadonlySet<string>;
};

/** Reads both sides of one campaign, the ledger as it was at one instant: receipts may still come while it is read. */
export function checkGateway(db: Db, campaignId: number, truth: Truth): Promise<GatewayVerdict> {
  return db
    .transaction()
    .setIsolationLevel("repeatable read")
    .execute((tx) => checkAt(tx, campaignId, truth));
}

async function checkAt(db: Db, campaignId: number, { sentTo, refused }: Truth): Promise<GatewayVerdict> {
  const { rows } = await sql<{ phone: string; status: number; doubtful: boolean }>`
    select phone::text as phone, status, ambiguous as doubtful from delivery
    where campaign_id = ${campaignId} order by seq`.execute(db);
  const verdict: GatewayVerdict = {
    ...{ people: rows.length, duplicated: 0, lost: 0, wronged: 0, withoutState: 0 },
    ...{ sent: 0, uncertain: 0, doubts: 0, left: 0, found: 0 },
  };
  for (const { phone, status, doubtful } of rows) {
    const times = sentTo.get(phone) ?? 0;
    if (times > 1) verdict.duplicated += 1;
    if (status >= DELIVERY.accepted) {
      verdict.sent += 1;
      if (times === 0) verdict.lost += 1;
    } else if (status === DELIVERY.uncertain) verdict.uncertain += 1;
    else if (status === DELIVERY.error) verdict.wronged += refused.has(phone) ? 0 : 1;
    else if (status === DELIVERY.skipped) verdict.wronged += times > 0 && !refused.has(phone) ? 1 : 0;
    else verdict.withoutState += 1;
    if (!doubtful) continue;
    verdict.doubts += 1;
    verdict.left += times > 0 ? 1 : 0;
    verdict.found += status === DELIVERY.uncertain ? 0 : 1;
  }
  const ledger = await readLedger(db, campaignId);
  const miscounted =
    ledger.rows.some((n, status) => n !== ledger.counters[status]) || ledger.sum !== ledger.total;
  if (miscounted) verdict.withoutState += 1;
  return verdict;
}
