import { sql } from "kysely";
import { AppError } from "../../domain/errors.ts";
import type { Owner } from "../db/owner.ts";
import { fieldError } from "../http/errors.ts";
import { sqlParts } from "../sending/sending.ts";
import { readRecipient } from "./read-recipient.ts";
import { holdChats } from "./receive-repo.ts";

/**
 * A new conversation is unlisted until its first message. Throws `not_found` for another's connection, or the
 * field's error.
 */
export async function openChat(owner: Owner, connectionId: number, typed: string): Promise<number> {
  const reading = await readRecipient(owner, typed);
  if ("error" in reading)
    throw fieldError({ phone: reading.error === "phone_missing" ? "required" : reading.error });
  return owner.db.transaction().execute(async (tx) => {
    const inside = owner.in(tx);
    const place = { accountId: owner.accountId, connectionId };
    if (!(await isInUse(inside, connectionId)) || !(await holdChats(tx, place)))
      throw new AppError("not_found");
    return (await findWith(inside, connectionId, reading.phone)) ?? make(inside, connectionId, reading.phone);
  });
}

async function isInUse(owner: Owner, connectionId: number): Promise<boolean> {
  const { rows } = await sql`select 1 from connection
    where id = ${connectionId} and account_id = ${owner.accountId}::uuid and desired <> 'removed'`.execute(
    owner.db,
  );
  return rows.length > 0;
}

/** Also by WhatsApp's address, whose digits may differ. */
async function findWith(owner: Owner, connectionId: number, phone: string): Promise<number | undefined> {
  const { rows } = await sql<{ id: number }>`select c.id from chat c
    where c.connection_id = ${connectionId} and c.account_id = ${owner.accountId}::uuid and c.kind = 'person'
      and (c.phone = ${phone}::bigint or c.jid in (${sqlParts().knownJids(owner, phone)}))
    order by c.phone is not distinct from ${phone}::bigint desc, c.id limit 1`.execute(owner.db);
  return rows[0]?.id;
}

/** Messages already sent place it right behind the newest. */
async function make(owner: Owner, connectionId: number, phone: string): Promise<number> {
  const { rows } = await sql<{ id: number }>`
    insert into chat (account_id, connection_id, kind, phone, last_at)
    values (${owner.accountId}::uuid, ${connectionId}, 'person', ${phone}::bigint, coalesce((
      select max(created_at) - interval '1 microsecond' from outbox
      where connection_id = ${connectionId} and phone = ${phone}::bigint and action is null and created_at <= now()), 'epoch'))
    returning id`.execute(owner.db);
  const [row] = rows;
  if (!row) throw new Error("the conversation was not inserted");
  return row.id;
}
