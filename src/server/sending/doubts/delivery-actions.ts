import { sql } from "kysely";
import { DELIVERY, isOverdue } from "../../../domain/delivery.ts";
import { AppError } from "../../../domain/errors.ts";
import { MAX_GENERATION } from "../../../domain/message-id.ts";
import type { Owner } from "../../db/owner.ts";
import { lockCampaign } from "../campaigns/campaign-status.ts";
import { refuseAtLimit } from "../campaigns/limit.ts";
import { holdOptOuts } from "../campaigns/opt-out.ts";
import { whyLeftOut } from "../ledger/left-out.ts";
import { settle } from "../ledger/settle.ts";
import { wakeLane } from "../ledger/signals.ts";
import { begunText } from "../ledger/units.ts";

export type DeliveryAction = "resend" | "mark_sent" | "ignore";

type Row = { generation: number; phone: string; at: Date | null; status: number; unfinished: boolean };

const OPEN = [DELIVERY.uncertain, DELIVERY.accepted] as const;

/** Refused after some of their messages had left: the rest may be sent. */
const UNFINISHED = sql<boolean>`(d.status = ${sql.lit(DELIVERY.error)} and ${sql.raw(begunText("d"))})`;

/**
 * A human settles one doubt: resend, mark as sent, or leave; or has the rest of several messages sent. Throws `not_found`, `delivery_already_resolved`
 * (409: decided, or `shownAt` is of an older attempt), `campaign_wrong_state`, `person_erased`, `person_opted_out`,
 * `person_asks_to_leave`, `delivery_awaited`, `monthly_limit_reached`.
 */
export async function actOnDelivery(
  owner: Owner,
  campaignId: number,
  seq: number,
  action: DeliveryAction,
  shownAt?: string,
): Promise<void> {
  await owner.db.transaction().execute(async (tx) => {
    if (action === "resend") await holdOptOuts(tx, owner.accountId, "freeze");
    const { status, connectionId } = await lockCampaign(owner.in(tx), campaignId);
    // Separate statement after the lock: it sees earlier decisions.
    const { rows } =
      await sql<Row>`select resend_number as generation, phone::text as phone, at, status, ${UNFINISHED} as unfinished
      from delivery d where campaign_id = ${campaignId} and seq = ${seq}`.execute(tx);
    const row = rows[0];
    if (!row) throw new AppError("not_found");
    const resolved = async () =>
      new AppError(
        "delivery_already_resolved",
        (OPEN as readonly number[]).includes(row.status) ? {} : await decided(tx, campaignId, seq),
      );
    if (shownAt !== undefined && row.at?.getTime() !== Date.parse(shownAt)) throw await resolved();
    const at = new Date(await databaseNow(tx));
    if (row.status === DELIVERY.accepted && !isOverdue(row.at, at)) throw new AppError("delivery_awaited");
    let moved = 0;
    if (action === "resend") {
      if (status === "cancelled" || connectionId === null)
        throw new AppError("campaign_wrong_state", { life: status });
      if (row.phone.startsWith("-")) throw new AppError("person_erased");
      const leftOut = await whyLeftOut(owner.in(tx), row.phone);
      if (leftOut !== null)
        throw new AppError(leftOut === "opted_out" ? "person_opted_out" : "person_asks_to_leave");
      if (row.generation >= MAX_GENERATION && !row.unfinished)
        throw new AppError("delivery_already_resolved");
      if (status !== "paused") await refuseAtLimit(owner.in(tx));
      // An ended campaign reopens for this person; a paused one sends on resume.
      await sql`update campaign set status = 'sending', ended_at = null, archived_at = null where id = ${campaignId} and status = 'ended'`.execute(
        tx,
      );
      const move = { seq, to: DELIVERY.waiting, at, error: null };
      moved = await settle(
        tx,
        campaignId,
        [move],
        row.unfinished ? { from: [DELIVERY.error], freshTries: true } : { from: OPEN, newGeneration: true },
      );
      await wakeLane(tx, connectionId);
    } else {
      const move =
        action === "mark_sent"
          ? // The attempt's time is the sent time, which places it in the conversation.
            { seq, to: DELIVERY.sent, at: row.at ?? at, error: null }
          : { seq, to: DELIVERY.skipped, at, error: "ignored" };
      moved = await settle(tx, campaignId, [move], { from: OPEN });
    }
    if (moved === 0) throw await resolved();
    await sql`insert into delivery_action (campaign_id, seq, account_id, action)
      values (${campaignId}, ${seq}, ${owner.accountId}::uuid, ${action})`.execute(tx);
  });
}

async function decided(tx: Owner["db"], campaignId: number, seq: number): Promise<{ action?: string }> {
  const { rows } = await sql<{ action: string }>`select action from delivery_action
    where campaign_id = ${campaignId} and seq = ${seq} order by id desc limit 1`.execute(tx);
  return rows[0] ?? {};
}

async function databaseNow(tx: Owner["db"]): Promise<number> {
  const { rows } = await sql<{ now: number }>`select extract(epoch from now())::float8 * 1000 as now`.execute(
    tx,
  );
  return rows[0]?.now ?? 0;
}
