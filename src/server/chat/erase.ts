import { sql } from "kysely";
import type { Owner } from "../db/owner.ts";
import { holdChats } from "./receive-repo.ts";

type Names = { phone: string; addresses: readonly string[] };

const ofAccount = ({ accountId }: Owner) => sql`c.account_id = ${accountId}::uuid`;

const isTheirs = ({ phone, addresses }: Names) => sql`(c.kind = 'person' and (c.phone = ${phone}::bigint
  or c.jid = any(${[...addresses]}::text[]) or c.lid = any(${[...addresses]}::text[])))`;

async function addressesOf(owner: Owner, phone: string): Promise<string[]> {
  const { rows } = await sql<{ jid: string | null; lid: string | null }>`select c.jid, c.lid from chat c
    where ${ofAccount(owner)} and c.phone = ${phone}::bigint`.execute(owner.db);
  return rows.flatMap(({ jid, lid }) => [jid, lid]).filter((address) => address !== null);
}

async function count(owner: Owner, names: Names): Promise<{ chats: number; messages: number }> {
  const { rows } = await sql<{ chats: number; messages: number }>`select count(*)::int as chats,
    coalesce(sum((select count(*) from chat_message m where m.chat_id = c.id)), 0)::int as messages
    from chat c where ${ofAccount(owner)} and ${isTheirs(names)}`.execute(owner.db);
  return rows[0] ?? { chats: 0, messages: 0 };
}

/** Before campaigns are locked. */
async function hold(owner: Owner, names: Names): Promise<void> {
  const { rows } = await sql<{ id: number }>`select distinct c.connection_id as id from chat c
    where ${ofAccount(owner)} and ${isTheirs(names)} order by id`.execute(owner.db);
  for (const { id } of rows) await holdChats(owner.db, { accountId: owner.accountId, connectionId: id });
}

/** What they wrote in groups goes too. */
async function erase(owner: Owner, names: Names): Promise<number> {
  const gone = await sql`delete from chat c where ${ofAccount(owner)} and ${isTheirs(names)}`.execute(
    owner.db,
  );
  await sql`with said as (
      delete from chat_message m where m.account_id = ${owner.accountId}::uuid
        and m.participant = any(${[names.phone, ...names.addresses]}::text[]) returning m.chat_id, m.at)
    update chat c set last_text = '', last_kind = 'text' from said
    where c.id = said.chat_id and c.last_at = said.at`.execute(owner.db);
  await sql`update chat_message set quoted = null where account_id = ${owner.accountId}::uuid
    and quoted ->> 'who' = any(${[names.phone, ...names.addresses]}::text[])`.execute(owner.db);
  await sql`delete from message_reaction where account_id = ${owner.accountId}::uuid
    and participant = any(${[names.phone, ...names.addresses]}::text[])`.execute(owner.db);
  return Number(gone.numAffectedRows ?? 0);
}

type Said = { id: number; at: Date; from_me: boolean; kind: string; text: string; group: boolean };

async function page(owner: Owner, names: Names, after: number, limit: number): Promise<Said[]> {
  const { rows } = await sql<Said>`select m.id, m.at, m.from_me, m.kind, m.text, c.kind = 'group' as group
    from chat_message m join chat c on c.id = m.chat_id
    where m.account_id = ${owner.accountId}::uuid and m.id > ${after}
      and (${isTheirs(names)} or m.participant = any(${[names.phone, ...names.addresses]}::text[]))
    order by m.id limit ${limit}`.execute(owner.db);
  return rows;
}

export const personChats = { addressesOf, count, hold, erase, page };
