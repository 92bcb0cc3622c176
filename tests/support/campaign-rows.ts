import { randomInt } from "node:crypto";
import { sql } from "kysely";
import { DELIVERY, type DeliveryState } from "../../src/domain/delivery.ts";
import type { Db } from "../../src/server/db/client.ts";
import { placePeople } from "./people-rows.ts";

let person = 0;

export async function accountRow(db: Db, zone = "America/Sao_Paulo"): Promise<string> {
  const { rows } = await sql<{
    id: string;
  }>`insert into account (name, email, time_zone, terms_version, terms_accepted_at, email_confirmed_at)
    values ('Ana', ${`conta${++person}@exemplo.com.br`}, ${zone}, 'v1', now(), now()) returning id`.execute(
    db,
  );
  return one(rows).id;
}

export async function listRow(
  db: Db,
  account: string,
  people = 3,
  name = "Clientes",
  first = 5_511_900_000_000,
): Promise<number> {
  const { rows } = await sql<{ id: number }>`insert into contact_list (account_id, name, contacts)
    values (${account}::uuid, ${name}, ${people}) returning id`.execute(db);
  const { id } = one(rows);
  await placePeople(
    db,
    id,
    sql`select n as seq, ${first}::bigint + n as phone, 'Pessoa ' || n as name from generate_series(0, ${people}::int - 1) n`,
  );
  return id;
}

export async function connectionRow(
  db: Db,
  account: string,
  state = "connected",
  name = "Matriz",
): Promise<number> {
  const { rows } = await sql<{ id: number }>`insert into connection (account_id, kind, device_id, name, state)
    values (${account}::uuid, 'device', ${`55119${String(++person).padStart(8, "0")}`}, ${name}, ${state}) returning id`.execute(
    db,
  );
  return one(rows).id;
}

export async function restrictedRow(
  db: Db,
  account: string,
  until = new Date("2026-11-20T12:00:00Z"),
): Promise<number> {
  const id = await connectionRow(db, account);
  await sql`update connection set state_reason = 'timelocked', state_reason_until = ${until} where id = ${id}`.execute(
    db,
  );
  return id;
}

export async function imageRow(db: Db, account: string): Promise<number> {
  const { rows } = await sql<{
    id: number;
  }>`insert into attachment (account_id, sha256, kind, name, mime, size, width, height, bytes)
    values (${account}::uuid, ${Buffer.from(String(++person))}, 'image', '', 'image/png', 0, 1, 1, '') returning id`.execute(
    db,
  );
  return one(rows).id;
}

export type CampaignSketch = {
  name?: string;
  text?: string;
  status?: string;
  cause?: string | null;
  connectionId?: number | null;
  listId?: number | null;
  intervalS?: number;
  scheduledAt?: Date | null;
  people?: Partial<Record<DeliveryState, number>>;
  error?: string;
  zone?: string;
};

export async function campaignRow(db: Db, account: string, sketch: CampaignSketch = {}): Promise<number> {
  const { status = "ended", people = {} } = sketch;
  const started = status !== "draft" && status !== "scheduled" && status !== "starting";
  const states = Object.entries(people) as [DeliveryState, number][];
  const total = states.reduce((sum, [, n]) => sum + n, 0);
  const { rows } = await sql<{
    id: number;
  }>`insert into campaign (account_id, name, text, status, pause_reason, connection_id, list_id,
      interval_seconds, scheduled_at, scheduled_local, zone, nonce, total, cursor, started_at, ended_at)
    values (${account}::uuid, ${sketch.name ?? "Campanha"}, ${sketch.text ?? "Oi, {nome}!"}, ${status}, ${sketch.cause ?? null},
      ${sketch.connectionId ?? null}, ${sketch.listId ?? null}, ${sketch.intervalS ?? 60}, ${sketch.scheduledAt ?? null},
      ${sketch.scheduledAt ? "2026-11-27T08:00" : null}, ${sketch.zone ?? "America/Sao_Paulo"}, ${randomInt(2 ** 32)},
      ${total}, ${total - (people.pending ?? 0)}, ${started ? sql`now()` : null}, ${status === "ended" ? sql`now()` : null})
    returning id`.execute(db);
  const { id } = one(rows);
  let seq = 0;
  for (const [state, n] of states) {
    await sql`insert into delivery (campaign_id, seq, phone, name, status, error, at)
      select ${id}, n, 5511900000000 + n, 'Pessoa ' || n, ${DELIVERY[state]}::smallint,
        ${state === "error" ? (sketch.error ?? "not_on_whatsapp") : null}, ${state === "pending" ? null : sql`now()`}
      from generate_series(${seq}::int, ${seq + n - 1}::int) n`.execute(db);
    await sql`update campaign set ${sql.raw(`${state}_count`)} = ${n} where id = ${id}`.execute(db);
    seq += n;
  }
  return id;
}

function one<Row>(rows: Row[]): Row {
  const [row] = rows;
  if (!row) throw new Error("the row was not inserted");
  return row;
}

type Left = { campaign: number; seq?: number; parts: number; left: number };

/** Makes it a campaign of several messages, of which the first ones left to a person. */
export async function partsLeft(db: Db, { campaign, seq = 0, parts, left }: Left): Promise<void> {
  await sql`update campaign set parts = ${parts} where id = ${campaign}`.execute(db);
  await sql`insert into delivery_part (campaign_id, seq, part, status, resend_number, at)
    select ${campaign}, ${seq}, n, ${DELIVERY.sent}, 0, now() from generate_series(0, ${left} - 1) n`.execute(
    db,
  );
}
