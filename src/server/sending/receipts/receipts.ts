import { sql } from "kysely";
import { PROVED_BY } from "../../../domain/delivery.ts";
import { decodeMessageId } from "../../../domain/message-id.ts";
import type { Db } from "../../db/client.ts";
import type { Receipt } from "../../transports/transport.ts";
import { type Move, settle } from "../ledger/settle.ts";
import { settleOutbox } from "../outbox/outbox-settle.ts";

/**
 * Applies WhatsApp's receipts by message id, idempotent in any order, upwards only. Unknown ids are typed
 * messages; a late `error` moves no one. Returns campaigns to refresh.
 */
export async function settleReceipts(
  db: Db,
  messageKey: Buffer,
  receipts: readonly Receipt[],
): Promise<{ accountId: string; campaignId: number }[]> {
  const byNonce = new Map<number, Move[]>();
  for (const receipt of receipts) {
    if (receipt.status === "error") continue;
    const ref = decodeMessageId(messageKey, receipt.messageId);
    if (!ref) {
      await settleOutbox(db, receipt.messageId, PROVED_BY[receipt.status], receipt.at);
      continue;
    }
    const moves = byNonce.get(ref.nonce) ?? [];
    const { seq, part, generation } = ref;
    moves.push({ seq, part, generation, to: PROVED_BY[receipt.status], at: receipt.at });
    byNonce.set(ref.nonce, moves);
  }
  if (byNonce.size === 0) return [];
  const { rows } = await sql<{
    id: number;
    nonce: number;
    accountId: string;
  }>`select id, nonce, account_id as "accountId" from campaign
    where nonce = any(${[...byNonce.keys()]}::bigint[]) order by id`.execute(db);
  const changed: { accountId: string; campaignId: number }[] = [];
  for (const { id, nonce, accountId } of rows) {
    const moves = byNonce.get(nonce) ?? [];
    byNonce.delete(nonce);
    const moved = await db.transaction().execute((tx) => settle(tx, id, moves));
    if (moved > 0) changed.push({ accountId, campaignId: id });
  }
  // Five in 4,096 outbox ids look like a campaign's, but their nonces match none.
  for (const receipt of receipts) {
    const ref = receipt.status === "error" ? null : decodeMessageId(messageKey, receipt.messageId);
    if (ref && byNonce.has(ref.nonce) && receipt.status !== "error") {
      await settleOutbox(db, receipt.messageId, PROVED_BY[receipt.status], receipt.at);
    }
  }
  return changed;
}
