alter table chat_message add column quoted_key text, add column quoted jsonb;

update chat_message m set quoted_key = coalesce(
    (select 'm' || q.id from chat_message q
      where q.connection_id = m.connection_id and q.provider_id = m.quoted_id and q.chat_id = m.chat_id),
    (select 'o' || o.id from outbox o join chat c on c.id = m.chat_id
      where o.message_id = m.quoted_id and o.connection_id = m.connection_id
        and (o.phone = c.phone or o.jid = c.jid or o.jid = c.lid)))
  where m.quoted_id is not null and m.kind <> 'reaction';
