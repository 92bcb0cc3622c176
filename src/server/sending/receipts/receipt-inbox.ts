import { sql } from "kysely";
import type { Db } from "../../db/client.ts";
import { executePrepared } from "../../db/prepared.ts";
import type { FairQueues } from "../../jobs/fair-queue.ts";
import { StoredWork } from "../../jobs/stored-work.ts";
import type { Receipt } from "../../transports/transport.ts";
import type { HiddenListener } from "../addresses/hidden-addresses.ts";
import type { LaneTimes } from "../ledger/timing.ts";
import { applyReceipts, type Changed } from "./provider-receipts.ts";

const SWEEP = 500;

type Row = {
  connectionId: number;
  providerId: string;
  status: Receipt["status"];
  code: string | null;
  lid: string | null;
  at: Date;
  old: boolean;
};

const ROW = sql`connection_id as "connectionId", provider_id as "providerId", status, code, lid, at`;

export async function joinReceipts(
  db: Db,
  connectionId: number,
  providerIds: readonly string[],
  hidden?: HiddenListener,
): Promise<Changed[]> {
  if (providerIds.length === 0) return [];
  const { rows } = await sql<Row>`select ${ROW}, false as old from receipt_inbox
    where connection_id = ${connectionId} and provider_id = any(${[...providerIds]}::text[])`.execute(db);
  return join(db, connectionId, rows, hidden);
}

type Waits = Pick<LaneTimes, "receipts" | "receiptsEnd">;

export type ReceiptInboxDeps = {
  db: Db;
  queues: FairQueues;
  times: Waits;
  changed(campaigns: readonly Changed[]): void;
  failed(error: unknown): void;
  hidden?: HiddenListener | undefined;
};

const RUNNING = 2;

export function openReceiptInbox({
  db,
  queues,
  times,
  changed,
  failed,
  hidden,
}: ReceiptInboxDeps): StoredWork {
  const queue = queues.open({ name: "receipts", running: RUNNING, runningOfAccount: 1, waitingOfAccount: 1 });
  return new StoredWork(queue, {
    accounts: () => accountsWithReceipts(db),
    failed,
    async work(accountId) {
      const swept = await sweepReceipts(db, times, hidden, accountId);
      changed(swept.changed);
      return swept.receipts === SWEEP;
    },
  });
}

async function accountsWithReceipts(db: Db): Promise<string[]> {
  const rows = await executePrepared(
    sql<{ id: string }>`select c.account_id as id from connection c cross join lateral (
        select r.next_at from receipt_inbox r where r.connection_id = c.id and r.next_at <= now() order by r.next_at limit 1) as first
      group by c.account_id order by min(first.next_at)`,
    db,
  );
  return rows.map(({ id }) => id);
}

/**
 * Rechecks due receipts and drops old ones. Sets the next look first: no duplicate work, and an error costs
 * one look. Returns changed campaigns and the number checked.
 */
export async function sweepReceipts(
  db: Db,
  times: Waits,
  hidden?: HiddenListener,
  accountId?: string,
): Promise<{ changed: Changed[]; receipts: number }> {
  const waits = [...times.receipts];
  const which =
    accountId === undefined
      ? sql``
      : sql`and connection_id in (select id from connection where account_id = ${accountId}::uuid)`;
  const { rows } = await sql<Row>`update receipt_inbox r set tries = least(r.tries + 1, 100),
      next_at = now() + (${waits}::float8[])[least(r.tries + 2, ${waits.length}::int)] * interval '1 millisecond'
    from (select connection_id as c, provider_id as p, status as s from receipt_inbox where next_at <= now() ${which}
      order by next_at limit ${SWEEP} for update skip locked) as due
    where r.connection_id = due.c and r.provider_id = due.p and r.status = due.s
    returning ${ROW}, r.received_at < now() - ${times.receiptsEnd} * interval '1 millisecond' as old`.execute(
    db,
  );
  const changed: Changed[] = [];
  for (const [connectionId, some] of Map.groupBy(rows, (row) => row.connectionId))
    changed.push(...(await join(db, connectionId, some, hidden)));
  return { changed, receipts: rows.length };
}

async function join(
  db: Db,
  connectionId: number,
  rows: readonly Row[],
  hidden?: HiddenListener,
): Promise<Changed[]> {
  if (rows.length === 0) return [];
  const receipts = rows.map(
    ({ providerId, status, code, lid, at }): Receipt => ({
      messageId: providerId,
      status,
      at,
      ...(code === null ? {} : { code }),
      ...(lid === null ? {} : { lid }),
    }),
  );
  const { changed, left } = await applyReceipts(db, connectionId, receipts, hidden);
  const waiting = new Set(left.map(keyOf));
  const done = rows.filter((row, i) => {
    const receipt = receipts[i];
    return row.old || (receipt !== undefined && !waiting.has(keyOf(receipt)));
  });
  await sql`delete from receipt_inbox r using unnest(${done.map((one) => one.providerId)}::text[],
      ${done.map((one) => one.status)}::text[]) as t(id, status)
    where r.connection_id = ${connectionId} and r.provider_id = t.id and r.status = t.status`.execute(db);
  return changed;
}

const keyOf = ({ messageId, status }: Receipt): string => `${status} ${messageId}`;
