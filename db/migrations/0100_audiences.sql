-- Null: the campaign's list alone.
alter table campaign add column audience jsonb;

-- Campaigns a person may get in seven days; null: any number.
alter table account add column campaigns_per_week smallint check (campaigns_per_week between 1 and 20);

create table segment (
  id bigint generated always as identity primary key,
  account_id uuid not null references account on delete cascade,
  name text not null,
  rule jsonb not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now());
create unique index on segment (account_id, lower(name));

-- When a human last answered from the phone itself; what is sent from here stands in outbox.
alter table known_conversation add column last_answered_at timestamptz;
alter table known_conversation drop constraint known_conversation_check;
alter table known_conversation add constraint known_conversation_check
  check (coalesce(last_in_at, last_delivered_at, last_answered_at) is not null);

insert into known_conversation as k (connection_id, address, last_answered_at)
select m.connection_id, coalesce(c.phone::text, c.lid), max(m.at)
from chat_message m join chat c on c.id = m.chat_id
where m.from_me and not m.via_api and m.kind <> 'reaction' and c.kind = 'person' and m.at > now() - interval '31 days'
  and coalesce(c.phone::text, c.lid) is not null
group by 1, 2
on conflict (connection_id, address) do update set last_answered_at = excluded.last_answered_at;
