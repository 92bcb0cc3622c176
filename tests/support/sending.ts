import { sql } from "kysely";
import { BOUNDLESS_PLAN } from "../../src/domain/number-plan.ts";
import type { Db } from "../../src/server/db/client.ts";
import { placePeople } from "./people-rows.ts";

let numbers = 0;

export async function makeAccount(db: Db): Promise<string> {
  numbers += 1;
  const { rows } = await sql<{
    id: string;
  }>`insert into account (name, email, terms_version, terms_accepted_at)
    values ('Ótica Horizonte', ${`conta${numbers}@exemplo.com.br`}, '1', now()) returning id`.execute(db);
  return rows[0]?.id ?? "";
}

export async function makeConnection(
  db: Db,
  accountId: string,
  kind: "device" | "instance" = "device",
): Promise<number> {
  numbers += 1;
  const { rows } = await sql<{ id: number }>`insert into connection (account_id, kind, device_id, name, state)
    values (${accountId}::uuid, ${kind}, ${`55119${String(10_000_000 + numbers)}`}, 'Matriz', 'connected') returning id`.execute(
    db,
  );
  return rows[0]?.id ?? 0;
}

export async function planNumber(db: Db, connectionId: number): Promise<void> {
  await sql`insert into number_plan (connection_id, plan)
    values (${connectionId}, ${JSON.stringify(BOUNDLESS_PLAN)}::jsonb)`.execute(db);
}

export type CampaignOptions = {
  people?: number;
  firstPhone?: number;
  text?: string;
  intervalS?: number;
  extraS?: number;
  status?: string;
  connectionId?: number | null;
  /** Pictures that follow the first message. */
  more?: number;
};

export async function makeCampaign(
  db: Db,
  accountId: string,
  options: CampaignOptions = {},
): Promise<number> {
  const {
    people = 10,
    firstPhone = 5_511_900_000_000,
    text = "Oi, {nome}!",
    intervalS = 0,
    extraS = 0,
    status = "starting",
    connectionId = null,
    more = 0,
  } = options;
  const list = await sql<{ id: number }>`insert into contact_list (account_id, name, contacts)
    values (${accountId}::uuid, 'Clientes', ${people}) returning id`.execute(db);
  const listId = list.rows[0]?.id ?? 0;
  await placePeople(
    db,
    listId,
    sql`select i as seq, ${firstPhone}::bigint + i as phone, 'Pessoa ' || i as name from generate_series(0, ${people}::int - 1) i`,
  );
  const { rows } = await sql<{ id: number }>`insert into campaign
      (account_id, name, text, connection_id, list_id, interval_seconds, jitter_seconds, zone, status, nonce)
    values (${accountId}::uuid, 'Black Friday', ${text}, ${connectionId}, ${listId}, ${intervalS}, ${extraS}, 'America/Sao_Paulo', ${status},
      floor(random() * 4294967296)::bigint) returning id`.execute(db);
  const campaignId = rows[0]?.id ?? 0;
  await addPictures(db, accountId, campaignId, more);
  return campaignId;
}

async function addPictures(db: Db, accountId: string, campaignId: number, more: number): Promise<void> {
  for (let part = 1; part <= more; part++)
    await sql`with file as (
        insert into attachment (account_id, sha256, kind, name, mime, size, bytes)
        values (${accountId}::uuid, ${Buffer.alloc(32, part)}, 'image', '', 'image/jpeg', 1, ${Buffer.of(part)})
        on conflict (account_id, sha256, kind, name) do update set created_at = now() returning id)
      insert into campaign_part (campaign_id, part, attachment_id) select ${campaignId}, ${part}, id from file`.execute(
      db,
    );
  await sql`update campaign set parts = ${1 + more} where id = ${campaignId}`.execute(db);
}

/** How many of several messages left to each person, by seq. */
export async function partsLeft(db: Db, campaignId: number): Promise<number[]> {
  const { rows } = await sql<{ n: number }>`select count(p.part)::int as n from delivery d
    left join delivery_part p on p.campaign_id = d.campaign_id and p.seq = d.seq and p.status >= 6
    where d.campaign_id = ${campaignId} group by d.seq order by d.seq`.execute(db);
  return rows.map(({ n }) => n);
}

export async function readLedger(db: Db, campaignId: number) {
  const states = await sql<{ status: number; n: number }>`select status, count(*)::int as n from delivery
    where campaign_id = ${campaignId} group by status order by status`.execute(db);
  const campaign = await sql<{
    status: string;
    cause: string | null;
    total: number;
    cursor: number;
    counters: number[];
  }>`select
      status, pause_reason as cause, total, cursor,
      array[pending_count, sending_count, waiting_count, skipped_count, uncertain_count, error_count, accepted_count, sent_count, delivered_count, read_count] as counters
    from campaign where id = ${campaignId}`.execute(db);
  const rows = Array.from(
    { length: 10 },
    (_, status) => states.rows.find((row) => row.status === status)?.n ?? 0,
  );
  const row = campaign.rows[0];
  if (!row) throw new Error(`no campaign ${campaignId}`);
  return { ...row, rows, sum: rows.reduce((a, b) => a + b, 0) };
}
