import { sql } from "kysely";
import { DELIVERY, PROVED_BY } from "../../../domain/delivery.ts";
import type { Db } from "../../db/client.ts";
import type { Receipt } from "../../transports/transport.ts";
import { type HiddenListener, learnHidden } from "../addresses/hidden-addresses.ts";
import { noteDeliveredThere } from "../ledger/known-conversations.ts";
import { type Move, settle, UNTOLD } from "../ledger/settle.ts";
import { LANE_TIMES } from "../ledger/timing.ts";
import { refuseParts } from "../ledger/units.ts";
import { moveOutbox } from "../outbox/outbox-settle.ts";

export type Changed = { accountId: string; campaignId: number };

const REFUSED = "wa_refused";

/** A server acknowledgement does not undo a refusal. */
const UNTOLD_OR_ACCEPTED = [...UNTOLD, DELIVERY.accepted] as const;
const LEFT = [DELIVERY.accepted, DELIVERY.sent] as const;

const noHidden: HiddenListener = async () => false;

type Known = {
  providerId: string;
  campaignId: number | null;
  accountId: string | null;
  seq: number;
  part: number;
  generation: number;
  outboxId: number | null;
};

/** The send's answer is not recorded yet: an `error` may have to wait. */
const OPEN: readonly number[] = [DELIVERY.sending, DELIVERY.waiting, DELIVERY.uncertain];

/** `left`: receipts whose message or outcome is not known yet. */
export async function applyReceipts(
  db: Db,
  connectionId: number,
  receipts: readonly Receipt[],
  hidden: HiddenListener = noHidden,
): Promise<{ changed: Changed[]; left: Receipt[] }> {
  const { rows } =
    await sql<Known>`select p.provider_id as "providerId", p.campaign_id as "campaignId", c.account_id as "accountId",
      p.seq, p.part, p.resend_number as generation, p.outbox_id as "outboxId"
    from provider_message p left join campaign c on c.id = p.campaign_id
    where p.connection_id = ${connectionId} and p.provider_id = any(${receipts.map((one) => one.messageId)}::text[])
    order by p.campaign_id`.execute(db);
  const known = new Map(rows.map((row) => [row.providerId, row]));
  const left = receipts.filter((one) => !known.has(one.messageId));
  const lids = await learnHidden(
    db,
    connectionId,
    receipts.filter((one) => known.has(one.messageId)),
  );
  const changed: Changed[] = [];
  for (const [campaignId, matched] of byCampaign(receipts, known)) {
    const end = await db.transaction().execute((tx) => applyToCampaign(tx, campaignId, matched));
    left.push(...end.left);
    const accountId = matched[0]?.whose.accountId;
    if (end.moved && accountId) changed.push({ accountId, campaignId });
  }
  for (const receipt of receipts) {
    const outboxId = known.get(receipt.messageId)?.outboxId;
    if (outboxId && !(await applyToOutbox(db, outboxId, receipt))) left.push(receipt);
  }
  await noteDeliveredThere(
    db,
    connectionId,
    receipts.filter((one) => known.has(one.messageId)),
  );
  // Last: its errors must not delay the ledger.
  await hidden(connectionId, lids);
  return { changed, left };
}

type Matched = { receipt: Receipt; whose: Known };

function byCampaign(receipts: readonly Receipt[], known: ReadonlyMap<string, Known>): Map<number, Matched[]> {
  const matched = new Map<number, Matched[]>();
  for (const receipt of receipts) {
    const whose = known.get(receipt.messageId);
    if (whose?.campaignId == null) continue;
    matched.set(whose.campaignId, [...(matched.get(whose.campaignId) ?? []), { receipt, whose }]);
  }
  return new Map([...matched].sort(([a], [b]) => a - b));
}

async function applyToCampaign(
  tx: Db,
  campaignId: number,
  matched: readonly Matched[],
): Promise<{ moved: boolean; left: Receipt[] }> {
  const { rows: locked } = await sql<{
    parts: number;
  }>`select parts from campaign where id = ${campaignId} for no key update`.execute(tx);
  const parts = locked[0]?.parts ?? 1;
  const moves = (which: (status: Receipt["status"]) => boolean) =>
    matched.flatMap(({ receipt: { status, at }, whose: { seq, part, generation } }): Move[] =>
      status !== "error" && which(status) ? [{ seq, part, generation, to: PROVED_BY[status], at }] : [],
    );
  const accepted = moves((status) => status === "accepted");
  const moved =
    (await settle(tx, campaignId, accepted, { from: UNTOLD_OR_ACCEPTED })) +
    (await settle(
      tx,
      campaignId,
      moves((status) => status !== "accepted"),
    ));
  const errors = matched.filter(({ receipt }) => receipt.status === "error");
  if (errors.length === 0) return { moved: moved > 0, left: [] };
  const now = await standingOf(tx, campaignId, errors);
  // After a human's resend a refusal of the former message proves nothing.
  const same = errors.filter(({ whose }) => now.get(nameOf(whose))?.generation === whose.generation);
  const decided = await markedSent(
    tx,
    campaignId,
    same.flatMap(({ whose: { seq, generation } }) => (generation > 0 ? seq : [])),
  );
  const failing = same.filter(({ whose }) => !decided.has(whose.seq) && mayFail(now.get(nameOf(whose))));
  const down = failing
    .filter(({ whose }) => hasAll(now.get(nameOf(whose))))
    .map(({ receipt, whose: { seq, generation } }) => ({
      seq,
      to: generation > 0 ? DELIVERY.uncertain : DELIVERY.error,
      at: receipt.at,
      error: receipt.code ?? REFUSED,
    }));
  const refused = await settle(tx, campaignId, down, { from: LEFT });
  if (refused > 0) await leaveFirst(tx, campaignId, down);
  await refuseParts(
    tx,
    campaignId,
    parts,
    failing.map(({ whose }) => ({ ...whose, whole: hasAll(now.get(nameOf(whose))) })),
  );
  return {
    moved: moved + refused > 0,
    left: same.filter(({ whose }) => awaits(now.get(nameOf(whose)))).map(({ receipt }) => receipt),
  };
}

/** `ofPart`: state of the message itself, where it is known apart from its person's. */
type Standing = {
  seq: number;
  part: number;
  status: number;
  generation: number;
  ambiguous: boolean;
  ofPart: number | null;
};

const nameOf = ({ seq, part }: Pick<Known, "seq" | "part">): string => `${seq} ${part}`;

async function standingOf(
  tx: Db,
  campaignId: number,
  errors: readonly Matched[],
): Promise<Map<string, Standing>> {
  const { rows } = await sql<Standing>`select d.seq, t.part, d.status, d.ambiguous, p.status as "ofPart",
      coalesce(p.resend_number, d.resend_number) as generation
    from jsonb_to_recordset(${JSON.stringify(errors.map(({ whose: { seq, part } }) => ({ seq, part })))}::jsonb) as t(seq int, part smallint)
      join delivery d on d.campaign_id = ${campaignId} and d.seq = t.seq
      left join delivery_part p on p.campaign_id = d.campaign_id and p.seq = d.seq and p.part = t.part`.execute(
    tx,
  );
  return new Map(rows.map((row) => [nameOf(row), row]));
}

const hasAll = (now?: Standing): boolean => LEFT.some((status) => status === now?.status);

/** Of one person several messages may be refused. */
const mayFail = (now?: Standing): boolean =>
  now !== undefined &&
  (now.ofPart ?? 0) < DELIVERY.delivered &&
  (hasAll(now) || now.status === DELIVERY.error);

/**
 * People resent and then marked as sent by a human: repeated refusals of the second message say nothing about
 * the unknown first.
 */
async function markedSent(tx: Db, campaignId: number, seqs: readonly number[]): Promise<Set<number>> {
  if (seqs.length === 0) return new Set();
  const { rows } = await sql<{ seq: number }>`select seq from (
      select distinct on (seq) seq, action from delivery_action
      where campaign_id = ${campaignId} and seq = any(${[...seqs]}::int[]) order by seq, id desc) latest
    where action = 'mark_sent'`.execute(tx);
  return new Set(rows.map(({ seq }) => seq));
}

/**
 * After a human's resend the first message may have arrived: only the known one is refused, and none is
 * searched for.
 */
async function leaveFirst(tx: Db, campaignId: number, refused: readonly Move[]): Promise<void> {
  const seqs = refused.filter(({ to }) => to === DELIVERY.uncertain).map(({ seq }) => seq);
  if (seqs.length === 0) return;
  await sql`update delivery set ambiguous = false
    where campaign_id = ${campaignId} and seq = any(${seqs}::int[]) and status = ${DELIVERY.uncertain}`.execute(
    tx,
  );
}

/** A doubt about only the first message ignores the second's refusals. */
const awaits = (now?: { status: number; generation: number; ambiguous: boolean }) =>
  now !== undefined &&
  OPEN.includes(now.status) &&
  !(now.status === DELIVERY.uncertain && now.generation > 0 && !now.ambiguous);

async function applyToOutbox(db: Db, id: number, receipt: Receipt): Promise<boolean> {
  const { at } = receipt;
  if (receipt.status === "accepted") {
    await moveOutbox(db, { id, to: DELIVERY.sent, at, from: UNTOLD_OR_ACCEPTED });
    return true;
  }
  if (receipt.status !== "error") {
    await moveOutbox(db, { id, to: PROVED_BY[receipt.status], at });
    return true;
  }
  const error = receipt.code ?? REFUSED;
  if (await moveOutbox(db, { id, to: DELIVERY.error, at, error, from: LEFT })) return true;
  const { rows } = await sql<{ status: number }>`select status from outbox where id = ${id}`.execute(db);
  return !OPEN.includes(rows[0]?.status ?? -1);
}

/** Keeps unmatched receipts: they may precede the answer to the send. */
export async function storeReceipts(
  db: Db,
  connectionId: number,
  receipts: readonly Receipt[],
): Promise<void> {
  if (receipts.length === 0) return;
  const waitMs = LANE_TIMES.receipts[0] ?? 0;
  await sql`insert into receipt_inbox (connection_id, provider_id, status, code, lid, at, next_at)
    select ${connectionId}, id, status, code, lid, at, now() + ${waitMs} * interval '1 millisecond'
    from unnest(${receipts.map((one) => one.messageId)}::text[], ${receipts.map((one) => one.status)}::text[],
      ${receipts.map((one) => one.code ?? null)}::text[], ${receipts.map((one) => one.lid ?? null)}::text[],
      ${receipts.map((one) => one.at)}::timestamptz[]) as t(id, status, code, lid, at)
    where exists (select 1 from connection where id = ${connectionId})
    on conflict do nothing`.execute(db);
}
