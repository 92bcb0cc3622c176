import type { Control } from "../../simulators/whatsapp/control-answers.ts";
import { OPT_OUT_CONFIRMATION } from "../../src/contract/error-messages.ts";
import { DELIVERY } from "../../src/domain/delivery.ts";
import type { Db } from "../../src/server/db/client.ts";
import { readLedger } from "../support/sending.ts";
import { hasWrongCode } from "./campaign.ts";
import { Held, partOf, readPeople } from "./files.ts";

export type Verdict = {
  people: number;
  duplicated: number;
  lost: number;
  withoutState: number;
  /**
   * Failed or skipped in the ledger with a message on the phone that it does not name, failed without a refusal
   * by WhatsApp, or got messages out of order.
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
  { refused = new Set(), parts = 1 }: { refused?: ReadonlySet<string>; parts?: number } = {},
): Promise<Verdict> {
  return db
    .transaction()
    .setIsolationLevel("repeatable read")
    .execute((tx) => checkAt(tx, control, { campaignId, from, refused, parts }));
}

type Question = { campaignId: number; from: string; refused: ReadonlySet<string>; parts: number };

async function checkAt(
  db: Db,
  control: Control,
  { campaignId, from, refused, parts }: Question,
): Promise<Verdict> {
  const rows = await readPeople(db, campaignId);
  const held = new Held();
  let repeatedFrames = 0;
  let wrongTexts = 0;
  const { messages } = await control.messages({ from, limit: 100_000 });
  for (const message of messages) {
    repeatedFrames += message.frames - 1;
    if (message.shown && message.text !== OPT_OUT_CONFIRMATION) {
      const part = partOf(message.text, message.file?.fileName ?? null)?.part ?? 0;
      held.add(message.to, part, Date.parse(message.firstAt));
    }
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
  for (const { phone, status, sent } of rows) {
    const has = held.parts(phone);
    const unsaid = [...has].filter((part) => !sent.includes(part)).length;
    if (held.hasTwice(phone)) verdict.duplicated += 1;
    if (!held.isInOrder(phone)) verdict.wronged += 1;
    if (sent.some((part) => !has.has(part))) verdict.lost += 1;
    if (status >= DELIVERY.accepted) {
      verdict.sent += 1;
      if (has.size < parts) verdict.lost += 1;
    } else if (status === DELIVERY.uncertain) verdict.uncertain += 1;
    else if (status === DELIVERY.error) verdict.wronged += unsaid > 0 || !refused.has(phone) ? 1 : 0;
    else if (status === DELIVERY.skipped) verdict.wronged += unsaid > 0 ? 1 : 0;
    else verdict.withoutState += 1;
  }
  const ledger = await readLedger(db, campaignId);
  const miscounted =
    ledger.rows.some((n, status) => n !== ledger.counters[status]) || ledger.sum !== ledger.total;
  if (miscounted) verdict.withoutState += 1;
  return verdict;
}
