import type { Delivery } from "../../contract/campaigns.ts";
import type { ShownDelivery } from "../../domain/campaign.ts";
import { deliveryState, isOverdue } from "../../domain/delivery.ts";
import { words } from "../base/locale.ts";
import type { Owner } from "../db/owner.ts";
import { type DeliveryFilter, type DeliveryRow, findDeliveries } from "./deliveries-repo.ts";

const BATCH = 2_000;

export function shownStatus(row: DeliveryRow): ShownDelivery {
  const state = deliveryState(row.status);
  return state === "waiting" ? "pending" : state;
}

/** A person still to be sent to has no time, although the return noted one. */
export function toDelivery(row: DeliveryRow, now: Date): Delivery {
  const status = shownStatus(row);
  return {
    seq: row.seq,
    name: row.name,
    phone: row.phone,
    status,
    at: status === "pending" || status === "sending" ? null : (row.at?.toISOString() ?? null),
    tries: row.tries,
    resolvable: status === "uncertain" || (status === "accepted" && isOverdue(row.at, now)),
    messages: row.parts === 1 ? null : { sent: row.partsSent, all: row.parts },
    unfinished: status === "error" && row.partsSent > 0,
    reason: row.error,
    error: errorOf(row),
  };
}

function errorOf(row: DeliveryRow): string | null {
  const { failureLine, failureText } = words();
  const status = shownStatus(row);
  if (status === "error") return failureLine(row.phone, row.error);
  if (status === "uncertain") return failureText(row.error, true);
  return row.error === null ? null : failureText(row.error);
}

export async function* eachDelivery(
  owner: Owner,
  campaignId: number,
  filter: Pick<DeliveryFilter, "status">,
): AsyncGenerator<DeliveryRow[]> {
  for (let after = -1; ; ) {
    const rows = await findDeliveries(owner, campaignId, { ...filter, after, limit: BATCH });
    if (rows.length > 0) yield rows;
    const last = rows.at(-1);
    if (!last || rows.length < BATCH) return;
    after = last.seq;
  }
}
