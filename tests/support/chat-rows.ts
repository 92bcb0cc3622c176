import { randomBytes } from "node:crypto";
import { sql } from "kysely";
import type { Db } from "../../src/server/db/client.ts";

export type ChatSketch = {
  account: string;
  connectionId: number;
  kind?: "person" | "group";
  phone?: number;
  jid?: string;
  lid?: string;
  pushName?: string;
  unread?: number;
  lastAt?: Date;
};

export async function chatRow(db: Db, sketch: ChatSketch): Promise<number> {
  const { account, connectionId, kind = "person", phone = null, jid = null, lid = null } = sketch;
  const { rows } = await sql<{ id: number }>`
    insert into chat (account_id, connection_id, kind, phone, jid, lid, push_name, unread, last_at)
    values (${account}::uuid, ${connectionId}, ${kind}, ${phone}, ${jid}, ${lid}, ${sketch.pushName ?? null}, ${sketch.unread ?? 0},
      ${sketch.lastAt ?? sql`now()`}) returning id`.execute(db);
  return one(rows).id;
}

export type MessageSketch = {
  text?: string;
  at?: Date;
  fromMe?: boolean;
  viaApi?: boolean;
  status?: number;
  providerId?: string;
};

export async function messageRow(db: Db, chat: number, sketch: MessageSketch = {}): Promise<number> {
  const {
    providerId = randomBytes(8).toString("hex"),
    fromMe = false,
    viaApi = false,
    status = null,
  } = sketch;
  const { rows } = await sql<{ id: number }>`
    insert into chat_message (chat_id, account_id, connection_id, provider_id, from_me, via_api, text, status, at)
    select id, account_id, connection_id, ${providerId}, ${fromMe}, ${viaApi}, ${sketch.text ?? "Oi"}, ${status}, ${sketch.at ?? sql`now()`}
    from chat where id = ${chat} returning id`.execute(db);
  return one(rows).id;
}

export type SentSketch = {
  text: string;
  status: number;
  error?: string;
  at?: Date;
  origin?: string;
  byAddress?: string;
};

export async function sentRow(db: Db, chat: number, sketch: SentSketch): Promise<number> {
  const { text, status, error = null, byAddress = null, origin = "chat" } = sketch;
  const { rows } = await sql<{ id: number }>`
    insert into outbox (account_id, connection_id, phone, jid, text, message_id, body_hash, status, error, origin, created_at)
    select account_id, connection_id, case when ${byAddress}::text is null then phone end, ${byAddress}, ${text},
      ${randomBytes(11).toString("hex")}, '', ${status}, ${error}, ${origin}, ${sketch.at ?? sql`now()`}
    from chat where id = ${chat} returning id`.execute(db);
  return one(rows).id;
}

function one<Row>(rows: Row[]): Row {
  const [row] = rows;
  if (!row) throw new Error("the row was not inserted");
  return row;
}
