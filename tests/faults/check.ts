import { sql } from "kysely";
import type { Control } from "../../simulators/whatsapp/control-answers.ts";
import { OPT_OUT_CONFIRMATION } from "../../src/contract/error-messages.ts";
import { DELIVERY } from "../../src/domain/delivery.ts";
import type { Db } from "../../src/server/db/client.ts";
import { readLedger } from "../support/sending.ts";
import { hasWrongCode } from "./campaign.ts";

export type Verdict = {
  people: number;
  duplicated: number;
  lost: number;
  withoutState: number;
  /**
   * Failed or skipped in the ledger with the message on the phone, or failed without a refusal by WhatsApp.
   */
  wronged: number;
  uncertain: number;
  sent: number;
  repeatedFrames: number;
};

/** Compares one campaign; the ledger is read at one instant, since receipts may still arrive. */
export function check(
  db: Db,
  control: Control,
  campaignId: number,
  from: string,
  refused: ReadonlySet<string> = new Set(),
): Promise<Verdict> {
  return db
    .transaction()
    .setIsolationLevel("repeatable read")
    .execute((tx) => checkAt(tx, control, { campaignId, from, refused }));
}

async function checkAt(
  db: Db,
  control: Control,
  { campaignId, from, refused }: { campaignId: number; from: string; refused: ReadonlySet<string> },
): Promise<Verdict> {
  const { rows } = await sql<{
    phone: string;
    status: number;
  }>`select phone::text as phone, status from delivery
    where campaign_id = ${campaignId} order by seq`.execute(db);
  const held = new Map<string, number>();
  let repeatedFrames = 0;
  let wrongTexts = 0;
  const { messages } = await control.messages({ from, limit: 100_000 });
  for (const message of messages) {
    repeatedFrames += message.frames - 1;
    if (message.shown && message.text !== OPT_OUT_CONFIRMATION)
      held.set(message.to, (held.get(message.to) ?? 0) + 1);
    if (hasWrongCode(message)) wrongTexts += 1;
  }
  const verdict: Verdict = {
    people: rows.length,
    duplicated: 0,
    lost: 0,
    withoutState: 0,
    wronged: wrongTexts,
    uncertain: 0,
    sent: 0,
    repeatedFrames,
  };
  for (const { phone, status } of rows) {
    const has = held.get(phone) ?? 0;
    if (has > 1) verdict.duplicated += 1;
    if (status >= DELIVERY.accepted) {
      verdict.sent += 1;
      if (has === 0) verdict.lost += 1;
    } else if (status === DELIVERY.uncertain) verdict.uncertain += 1;
    else if (status === DELIVERY.error) verdict.wronged += has > 0 || !refused.has(phone) ? 1 : 0;
    else if (status === DELIVERY.skipped) verdict.wronged += has > 0 ? 1 : 0;
    else verdict.withoutState += 1;
  }
  const ledger = await readLedger(db, campaignId);
  const miscounted =
    ledger.rows.some((n, status) => n !== ledger.counters[status]) || ledger.sum !== ledger.total;
  if (miscounted) verdict.withoutState += 1;
  return verdict;
}
