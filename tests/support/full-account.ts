import { randomBytes } from "node:crypto";
import { sql } from "kysely";
import type { Db } from "../../src/server/db/client.ts";
import { campaignRow, connectionRow, imageRow, listRow } from "./campaign-rows.ts";

let number = 0;

/** `wa_address` caches WhatsApp's answers for all accounts. */
export const UNOWNED_TABLES = [
  "pending_instance",
  "schema_migration",
  "setting",
  "verification",
  "wa_address",
  "worker",
];

export const SECRET = "canário-secreto";

export async function fillAccount(db: Db, account: string): Promise<void> {
  const n = ++number;
  const device = await connectionRow(db, account, "disconnected");
  const instance = await connectionRow(db, account, "disconnected");
  await sql`update connection set kind = 'instance', device_id = ${`loja-${n}`} where id = ${instance}`.execute(
    db,
  );
  const image = await imageRow(db, account);
  const list = await listRow(db, account, 3);
  const campaign = await campaignRow(db, account, {
    status: "sending",
    connectionId: device,
    listId: list,
    people: { sent: 2, pending: 3, error: 1 },
  });
  await sql`update campaign set attachment_id = ${image} where id = ${campaign}`.execute(db);
  const one = async (statement: ReturnType<typeof sql<{ id: number }>>) =>
    (await statement.execute(db)).rows[0]?.id ?? 0;
  const run = (statement: ReturnType<typeof sql>) => statement.execute(db);

  await run(sql`insert into credential (account_id, provider_id, provider_account_id, password)
    values (${account}, 'credential', ${account}, ${SECRET})`);
  await run(sql`insert into session (account_id, token, expires_at)
    values (${account}, ${`${SECRET} ${n}`}, now() + interval '1 day')`);
  await run(
    sql`insert into api_key (account_id, name, prefix, hash) values (${account}, 'Loja', 'rcd_1_ab', ${hash()})`,
  );
  await run(sql`insert into invitation (hash, email, expires_at, used_at, account_id)
    values (${hash()}, 'ana@exemplo.com', now(), now(), ${account})`);
  await run(sql`insert into notification_preference (account_id) values (${account})`);
  await run(
    sql`insert into mail (account_id, kind, key, subject, body) values (${account}, 'test', 'x', 'Oi', 'Olá')`,
  );
  await run(
    sql`insert into audit_event (account_id, kind, actor) values (${account}, 'signed_in', 'session')`,
  );
  await run(
    sql`insert into idempotency_key (account_id, key, hash) values (${account}, ${hash()}, ${hash()})`,
  );
  await run(sql`insert into direct_message_usage (account_id, day, messages) values (${account}, now(), 3)`);
  await run(sql`insert into account_limit (account_id, name, value) values (${account}, 'lists', 9)`);
  await run(
    sql`insert into limit_reservation (account_id, name, until) values (${account}, 'instances', now())`,
  );
  await run(sql`insert into agent_calls (account_id, day, calls) values (${account}, now(), 4)`);
  await run(sql`insert into operator_service (account_id, service) values (${account}, 'mistral')`);
  for (const counted of ["password", "test-mail"])
    await run(sql`insert into rate_limit (key, points) values (${`${counted}:${account}`}, 1)`);
  await run(sql`insert into mistral_setting (account_id, api_key, key_hint)
    values (${account}, ${Buffer.from(SECRET)}, 'abcd')`);
  await run(sql`insert into operator_agent (agent_id, account_id) values (${`ag:${n}`}, ${account})`);
  await run(
    sql`insert into answer_job (account_id, chat_id, due_at, waited) values (${account}, ${n}, now(), true)`,
  );
  await run(sql`insert into assistant_link (connection_id, account_id, agent_id, agent_name)
    values (${device}, ${account}, 'ag:1', 'Atendente')`);

  const gateway = await one(sql<{ id: number }>`
    insert into gateway (account_id, name, url, api_key, key_hint)
    values (${account}, 'Servidor', ${`https://gateway.invalid/${n}`}, ${Buffer.from(SECRET)}, 'abcd') returning id`);
  await run(sql`
    insert into instance (connection_id, account_id, gateway_id, gateway_url, name, token, hook_id, hook_secret)
    values (${instance}, ${account}, ${gateway}, 'https://gateway.invalid', ${`loja-${n}`}, ${Buffer.from(SECRET)},
      ${`gancho-${n}`}, ${Buffer.from(SECRET)})`);
  await run(
    sql`insert into webhook_event (connection_id, account_id, key, body) values (${instance}, ${account}, 'x', ${SECRET})`,
  );
  await run(sql`insert into unread_leaving (event_id, account_id, address)
    select id, account_id, '5511999990000' from webhook_event where account_id = ${account}`);
  await run(sql`insert into webhook_state (connection_id, event, stamp, body)
    values (${instance}, 'x', now(), ${SECRET})`);
  await run(
    sql`insert into unrecognized_event (connection_id, reason, body) values (${instance}, 'malformed', ${SECRET})`,
  );
  await run(sql`insert into webhook_relay (connection_id, key, body) values (${instance}, 'x', ${SECRET})`);
  await run(sql`insert into provider_message (connection_id, provider_id, campaign_id, seq, resend_number)
    values (${instance}, 'x', ${campaign}, 0, 0)`);
  await run(
    sql`insert into receipt_inbox (connection_id, provider_id, status, at) values (${instance}, 'y', 'read', now())`,
  );
  await run(sql`insert into outgoing_webhook_message (connection_id, provider_id, phone, content, at)
    values (${instance}, 'z', 5531987654321, ${hash()}, now())`);

  await run(sql`insert into device_creds (connection_id, data) values (${device}, ${Buffer.from(SECRET)})`);
  await run(
    sql`insert into device_key (connection_id, kind, id, data) values (${device}, 'session', '1', ${Buffer.from(SECRET)})`,
  );

  await run(sql`insert into known_conversation (connection_id, address, last_in_at)
    values (${device}, '5531988887777', now())`);
  await run(sql`insert into number_plan (connection_id, plan) values (${device}, '{}')`);
  await run(sql`insert into cold_message (connection_id) values (${device})`);
  await run(sql`insert into number_check (connection_id, phone) values (${device}, 5511987654321)`);
  await run(sql`insert into number_incident (connection_id, cause) values (${device}, 'number_banned')`);
  await run(sql`insert into gateway_address (account_id, phone, jid)
    values (${account}, 5531987654321, '1@s.whatsapp.net')`);
  await run(sql`insert into contact_field (account_id, key, label, kind, seq)
    values (${account}, 'plano', 'Plano', 'text', 0)`);
  await run(sql`insert into message_template (account_id, name, text, attachment_id)
    values (${account}, 'Retorno', 'Oi, {nome}!', ${image})`);
  await run(sql`insert into segment (account_id, name, rule)
    values (${account}, 'Ouro', '{"match":"all","items":[{"on":"field","key":"plano","test":"is","value":"Ouro"}]}')`);
  await run(sql`insert into erased_person (account_id, hash, key_id)
    values (${account}, ${hash()}, ${Buffer.from(SECRET)})`);
  await run(sql`update person set fields = '{"plano": "Ouro"}' where account_id = ${account}`);
  const imported = await one(sql<{ id: number }>`
    insert into contact_import (account_id, list_id, list_name, state) values (${account}, ${list}, 'Clientes', 'done')
    returning id`);
  await run(sql`insert into import_draft (account_id, format, encoding, sha256, spool, spool_folder, bytes)
    values (${account}, 'text', 'utf-8', '', gen_random_uuid(), gen_random_uuid(), 1)`);
  await run(sql`insert into contact_import_row (import_id, row_number, kind, name, value, reason)
    values (${imported}, 1, 'refused', 'Bia', '12', 'phone_too_short')`);
  await run(
    sql`insert into opt_out (account_id, phone, source) values (${account}, 5531987654321, 'manual')`,
  );

  await run(
    sql`insert into campaign_alias (campaign_id, address, seq) values (${campaign}, '1@s.whatsapp.net', 0)`,
  );
  await run(
    sql`insert into campaign_part (campaign_id, part, attachment_id) values (${campaign}, 1, ${image})`,
  );
  await run(sql`insert into delivery_part (campaign_id, seq, part, status, resend_number, at)
    values (${campaign}, 0, 0, 7, 0, now())`);
  await run(sql`insert into campaign_day (campaign_id, day, accepted) values (${campaign}, now(), 2)`);
  await run(
    sql`insert into campaign_upload (campaign_id, pairing, media) values (${campaign}, 'p', ${JSON.stringify({ mediaKey: SECRET })}::jsonb)`,
  );
  await run(
    sql`insert into delivery_action (campaign_id, seq, account_id, action) values (${campaign}, 0, ${account}, 'ignore')`,
  );

  const chat = await one(sql<{ id: number }>`
    insert into chat (account_id, connection_id, kind, phone, push_name)
    values (${account}, ${device}, 'person', 5531987654321, 'Bia "B" \\ ção') returning id`);
  const message = await one(sql<{ id: number }>`
    insert into chat_message (chat_id, account_id, connection_id, provider_id, from_me, text, attachment_id, at)
    values (${chat}, ${account}, ${device}, 'm', false, ${'Oi,\n"tudo"\tbem? \\ 👍'}, ${image}, now()) returning id`);
  await run(sql`insert into received_file (message_id, account_id, connection_id, state, kind, name, mime, source, at)
    values (${message}, ${account}, ${device}, 'here', 'image', '', 'image/jpeg', ${SECRET}::bytea, now())`);
  await run(sql`insert into message_deletion (chat_id, account_id, message_key, by_writer, at)
    values (${chat}, ${account}, ${`m${message}`}, true, now())`);
  await run(sql`insert into message_reaction (chat_id, account_id, message_key, from_me, participant, emoji, at)
    values (${chat}, ${account}, ${`m${message}`}, false, '', '👍', now())`);
  const outbox = await one(sql<{ id: number }>`
    insert into outbox (account_id, connection_id, phone, text, attachment_id, message_id, body_hash, status, at)
    values (${account}, ${device}, 5531987654321, 'Olá', ${image}, ${`M${n}-${account}`}, '', 6, now()) returning id`);
  await run(sql`insert into message_reaction (chat_id, account_id, message_key, from_me, participant, emoji, at, outbox_id)
    values (${chat}, ${account}, ${`m${message}`}, true, '', '👍', now(), ${outbox})`);
  await run(sql`insert into message_deletion (chat_id, account_id, message_key, by_writer, at, outbox_id)
    values (${chat}, ${account}, ${`o${outbox}`}, true, now(), ${outbox})`);
  await run(sql`insert into agent_answer (account_id, connection_id, chat_id, message_id, question, chat_name, agent_id,
      agent_name, outbox_id)
    values (${account}, ${device}, ${chat}, ${message}, 'Oi', 'Bia', 'ag:1', 'Atendente', ${outbox})`);
}

const hash = () => randomBytes(32);

export async function allTables(db: Db): Promise<Map<string, { rows: number; sum: string }>> {
  const tables = await sql<{ name: string }>`
    select table_name as name from information_schema.tables
    where table_schema = 'public' and table_type = 'BASE TABLE' order by 1`.execute(db);
  const parts = tables.rows.map(
    ({ name }) => sql`
      select ${name}::text as name, count(*)::int as rows, md5(coalesce(string_agg(t::text, ',' order by t::text), '')) as sum
      from ${sql.table(name)} t`,
  );
  const { rows } = await sql<{
    name: string;
    rows: number;
    sum: string;
  }>`${sql.join(parts, sql` union all `)}`.execute(db);
  return new Map(rows.map(({ name, ...rest }) => [name, rest]));
}
