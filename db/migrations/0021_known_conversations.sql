-- People with whom a number has a conversation: they wrote to it, or a message of ours was delivered to them. WhatsApp restricts new
-- conversations first, so these are still written to under a restriction. Owned by src/server/sending.
create table known_conversation (
  connection_id bigint not null references connection on delete cascade,
  -- The digits of a canonical phone, or a hidden address (`…@lid`).
  address text not null,
  last_in_at timestamptz,
  last_delivered_at timestamptz,
  primary key (connection_id, address),
  check (last_in_at is not null or last_delivered_at is not null)
);

insert into known_conversation (connection_id, address, last_in_at, last_delivered_at)
select connection_id, address, max(in_at), max(delivered_at) from (
  select c.connection_id, n.address, m.at as in_at, null::timestamptz as delivered_at
  from chat c join chat_message m on m.chat_id = c.id cross join lateral (values (c.phone::text), (c.lid)) as n(address)
  where c.kind = 'person' and not m.from_me
  union all
  select c.connection_id, n.address, null, m.at
  from chat c join chat_message m on m.chat_id = c.id cross join lateral (values (c.phone::text), (c.lid)) as n(address)
  where c.kind = 'person' and m.from_me and m.status >= 7
  union all
  select c.connection_id, d.phone::text, null, d.at
  from campaign c join delivery d on d.campaign_id = c.id
  where c.connection_id is not null and d.status >= 7 and d.at is not null
  union all
  select connection_id, coalesce(phone::text, jid), null, coalesce(at, created_at) from outbox
  where status >= 7 and (phone is not null or jid like '%@lid')) as told
where address is not null
group by connection_id, address;

-- One past the last person handed out beyond the cursor: under a restriction those with a conversation come before the others.
alter table campaign add column claimed_to integer not null default 0;
