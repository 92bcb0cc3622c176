import { DELIVERY } from "../../src/domain/delivery.ts";
import type { Db } from "../../src/server/db/client.ts";
import { readLedger } from "../support/sending.ts";
import { type Held, readPeople } from "./files.ts";

export type GatewayVerdict = {
  people: number;
  duplicated: number;
  lost: number;
  /**
   * Failed or skipped in the ledger although a message was sent that it does not name, failed without a refusal
   * by WhatsApp, or got messages out of order.
   */
  wronged: number;
  withoutState: number;
  sent: number;
  uncertain: number;
  doubts: number;
  left: number;
  /** … and those found again. */
  found: number;
};

type Truth = {
  held: Held;
  /** Messages that each person was to get. */
  parts: number;
  /** People refused by WhatsApp after the gateway accepted, or unknown to it. */
  refused: ReadonlySet<string>;
};

export function checkGateway(db: Db, campaignId: number, truth: Truth): Promise<GatewayVerdict> {
  return db
    .transaction()
    .setIsolationLevel("repeatable read")
    .execute((tx) => checkAt(tx, campaignId, truth));
}

async function checkAt(db: Db, campaignId: number, { held, parts, refused }: Truth): Promise<GatewayVerdict> {
  const rows = await readPeople(db, campaignId);
  const verdict: GatewayVerdict = {
    people: rows.length,
    duplicated: 0,
    lost: 0,
    wronged: 0,
    withoutState: 0,
    sent: 0,
    uncertain: 0,
    doubts: 0,
    left: 0,
    found: 0,
  };
  for (const { phone, status, doubtful, sent } of rows) {
    const has = held.parts(phone);
    const unsaid = [...has].filter((part) => !sent.includes(part)).length;
    if (held.hasTwice(phone)) verdict.duplicated += 1;
    if (!held.isInOrder(phone)) verdict.wronged += 1;
    if (sent.some((part) => !has.has(part))) verdict.lost += 1;
    if (status >= DELIVERY.accepted) {
      verdict.sent += 1;
      if (has.size < parts) verdict.lost += 1;
    } else if (status === DELIVERY.uncertain) verdict.uncertain += 1;
    else if (status === DELIVERY.error) verdict.wronged += refused.has(phone) ? 0 : 1;
    else if (status === DELIVERY.skipped) verdict.wronged += unsaid > 0 && !refused.has(phone) ? 1 : 0;
    else verdict.withoutState += 1;
    if (!doubtful) continue;
    verdict.doubts += 1;
    verdict.left += unsaid > 0 || has.size === parts ? 1 : 0;
    verdict.found += status === DELIVERY.uncertain ? 0 : 1;
  }
  const ledger = await readLedger(db, campaignId);
  const miscounted =
    ledger.rows.some((n, status) => n !== ledger.counters[status]) || ledger.sum !== ledger.total;
  if (miscounted) verdict.withoutState += 1;
  return verdict;
}
