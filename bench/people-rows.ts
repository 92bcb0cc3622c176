import { sql } from "kysely";
import type { Database } from "../src/server/db/client.ts";

export type PeopleRows = {
  accountId: string;
  listId: number;
  /** A tenth of the people. */
  excludedListId: number;
  /** Got by a fifth of them. */
  sentId: number;
  connectionId: number;
};

const FIELDS = sql`jsonb_build_object('plano', (array['Ouro','Prata','Bronze'])[1 + i % 3], 'cidade', 'Cidade ' || i % 500,
  'valor', i % 10000, 'retorno', to_char(date '2026-01-01' + i % 700, 'YYYY-MM-DD'), 'socio', i % 2 = 0)`;

/** An account with `people` in one list, five fields each, and what campaigns and chats left. */
export async function writePeopleRows(database: Database, people: number): Promise<PeopleRows> {
  const one = async <Id extends number | string>(query: ReturnType<typeof sql<{ id: Id }>>) => {
    const { rows } = await query.execute(database.db);
    if (!rows[0]) throw new Error("no row");
    return rows[0].id;
  };
  const accountId = await one(sql<{
    id: string;
  }>`insert into account (name, email, terms_version, terms_accepted_at)
    values ('bench', 'bench@exemplo.com.br', 'v1', now()) returning id`);
  const connectionId = await one(sql<{
    id: number;
  }>`insert into connection (account_id, kind, device_id, name, state, is_default)
    values (${accountId}::uuid, 'device', '5511900000999', 'Matriz', 'connected', true) returning id`);
  await sql`insert into contact_field (account_id, key, label, kind, seq)
    select ${accountId}::uuid, key, key, kind, nth from unnest(
      array['plano','cidade','valor','retorno','socio'], array['text','text','number','date','boolean']) with ordinality t(key, kind, nth)`.execute(
    database.db,
  );
  await sql`insert into person (account_id, phone, name, fields, origin, created_at)
    select ${accountId}::uuid, 5511900000000 + i, 'Pessoa ' || i * 7919::bigint % 1000003, ${FIELDS}, 'file', now() - i * interval '10 seconds'
    from generate_series(0, ${people}::int - 1) i`.execute(database.db);
  const list = (name: string, share: number) =>
    one(sql<{ id: number }>`with made as (
        insert into contact_list (account_id, name, contacts) values (${accountId}::uuid, ${name}, ${Math.floor(people / share)}) returning id),
      placed as (
        insert into membership (list_id, seq, person_id)
        select made.id, row_number() over (order by p.id) - 1, p.id from made, person p where p.id % ${share} = 0)
      select id from made`);
  const listId = await list("Todos", 1);
  const excludedListId = await list("Fora", 10);
  const sentId = await one(sql<{ id: number }>`insert into campaign
      (account_id, name, zone, status, nonce, connection_id, started_at, last_sent_at, total)
    values (${accountId}::uuid, 'Antes', 'America/Sao_Paulo', 'ended', 1, ${connectionId}, now(), now(), ${Math.floor(people / 5)}) returning id`);
  await sql`insert into delivery (campaign_id, seq, phone, name, status, at)
    select ${sentId}, i, 5511900000000 + i * 5, '', 7 + i % 3, now() from generate_series(0, ${Math.floor(people / 5)} - 1) i`.execute(
    database.db,
  );
  await sql`insert into known_conversation (connection_id, address, last_in_at)
    select ${connectionId}, (5511900000000 + i * 20)::text, now() - i % 200 * interval '1 hour'
    from generate_series(0, ${Math.floor(people / 20)} - 1) i`.execute(database.db);
  await database.query("vacuum analyze");
  return { accountId, listId, excludedListId, sentId, connectionId };
}
