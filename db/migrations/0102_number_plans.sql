-- Hours, budget of new conversations and pace of a number; without a row it sends as its campaigns ask.
create table number_plan (
  connection_id bigint primary key references connection on delete cascade,
  plan jsonb not null,
  updated_at timestamptz not null default now(),
  last_at timestamptz,
  last_cold_at timestamptz,
  in_a_row smallint not null default 0 check (in_a_row >= 0),
  rests_until timestamptz);

-- One row per message that begins a conversation, counted against the budget of its day.
create table cold_message (
  id bigint generated always as identity primary key,
  connection_id bigint not null references connection on delete cascade,
  at timestamptz not null default now(),
  campaign_id bigint);
create index on cold_message (connection_id, at);
