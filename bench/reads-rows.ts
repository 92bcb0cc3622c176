import { sql } from "kysely";
import { DELIVERY } from "../src/domain/delivery.ts";
import type { Db } from "../src/server/db/client.ts";
import { connectionRow, listRow } from "../tests/support/campaign-rows.ts";
import { BENCH_EMAIL } from "./sign-up.ts";

const CAMPAIGNS = 301;
const DAYS = 90;
const PART = 1_000_000;

export type ReadsRows = { campaignId: number; listId: number; people: number };

/** A tenth of the messages in one campaign. Written without disk sync. */
export async function writeReadsRows(
  db: Db,
  deliveries: number,
  say: (text: string) => void,
): Promise<ReadsRows> {
  const account = await sql<{ id: string }>`select id from account where email = ${BENCH_EMAIL}`.execute(db);
  const accountId = account.rows[0]?.id ?? "";
  const people = Math.floor(deliveries / 10);
  const connectionId = await connectionRow(db, accountId, "disconnected");
  const listId = await listRow(db, accountId, people, "Clientes de todas as lojas");
  const each = Math.floor((deliveries - people) / (CAMPAIGNS - 1));
  const { rows } = await sql<{ id: number; total: number }>`
    insert into campaign (account_id, name, text, connection_id, list_id, zone, status, nonce, total, cursor, lowest_in_flight_seq, started_at, ended_at, first_sent_at, last_sent_at)
    select ${accountId}::uuid, case when total = ${people}::int then 'Inverno' else 'Campanha ' || n end, 'Oi, {nome}!', ${connectionId}::bigint,
      ${listId}::bigint, 'America/Sao_Paulo', 'ended', n, total, total, total, at, at + interval '1 hour', at, at + interval '1 hour'
    from (select n, total, now() - (${CAMPAIGNS}::int - n) * interval '7 hours' as at
      from (select n, case when n = ${CAMPAIGNS}::int then ${people}::int else ${each}::int end as total
        from generate_series(1, ${CAMPAIGNS}::int) n) t) sized
    order by n returning id, total`.execute(db);
  for (const [at, { id, total }] of rows.entries()) {
    if (at % 50 === 0) say(`  campaign ${at} of ${rows.length}`);
    for (let from = 0; from < total; from += PART)
      await writeDeliveries(db, id, from, Math.min(total, from + PART));
  }
  await sql`update campaign c set error_count = k.error, uncertain_count = k.uncertain, skipped_count = k.skipped, delivered_count = k.delivered, read_count = k.read
    from (select campaign_id, count(*) filter (where status = ${DELIVERY.error}) as error,
        count(*) filter (where status = ${DELIVERY.uncertain}) as uncertain,
        count(*) filter (where status = ${DELIVERY.skipped}) as skipped,
        count(*) filter (where status = ${DELIVERY.delivered}) as delivered,
        count(*) filter (where status = ${DELIVERY.read}) as read
      from delivery group by campaign_id) k where k.campaign_id = c.id`.execute(db);
  await sql`insert into campaign_day (campaign_id, day, accepted, failed, uncertain, delivered, read, first_at, last_at)
    select c.id, (c.started_at - n * interval '1 day')::date, c.total / ${DAYS}::int, 1, 1, c.total / ${DAYS}::int, c.total / ${DAYS}::int,
      c.started_at, c.started_at + interval '1 hour'
    from campaign c, generate_series(0, 2) n`.execute(db);
  for (const table of ["delivery", "person", "membership", "campaign", "campaign_day"])
    await sql`vacuum (analyze) ${sql.table(table)}`.execute(db);
  await sql`checkpoint`.execute(db);
  return { campaignId: rows.at(-1)?.id ?? 0, listId, people };
}

async function writeDeliveries(db: Db, campaignId: number, from: number, to: number): Promise<void> {
  await sql`insert into delivery (campaign_id, seq, phone, name, status, tries, error, at)
    select ${campaignId}::bigint, n, 5511900000000 + n, 'Pessoa ' || n,
      case when failed then ${DELIVERY.error}::smallint when n % 20 = 2 then ${DELIVERY.uncertain}::smallint
        when n % 100 = 3 then ${DELIVERY.skipped}::smallint when n % 10 = 4 then ${DELIVERY.delivered}::smallint
        else ${DELIVERY.read}::smallint end,
      1, case when failed then 'not_on_whatsapp' when n % 20 = 2 then 'no_ack' when n % 100 = 3 then 'opted_out' end, now()
    from (select n, n < 20 or n % 5 = 1 as failed from generate_series(${from}::int, ${to - 1}::int) n) people`.execute(
    db,
  );
}
