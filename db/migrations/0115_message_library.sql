-- Texts that an account keeps to use again.
create table message_template (
  id bigint generated always as identity primary key,
  account_id uuid not null references account on delete cascade,
  name text not null,
  text text not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now());
create unique index on message_template (account_id, lower(name));
