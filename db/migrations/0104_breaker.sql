-- No one from `claims_to` on is claimed until the people before are judged. A person accepted outcomes before `judged_from`.
alter table campaign
  add column claims_to integer,
  add column judged_from timestamptz,
  add column breaker jsonb;

-- Stops the number's campaigns until read; a first time-lock only counts.
create table number_incident (
  id bigint generated always as identity primary key,
  connection_id bigint not null references connection on delete cascade,
  cause text not null check (cause in ('timelocked', 'number_locked_again', 'number_banned', 'number_logged_out')),
  at timestamptz not null default now(),
  until timestamptz,
  read_at timestamptz);
create index on number_incident (connection_id, at);
