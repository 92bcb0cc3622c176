-- Before a campaign's first people are judged, no one from `claims_to` on is claimed. Outcomes before `judged_from` were
-- accepted by a person; `breaker` has the figures of the last stop: of `judged` people `count`, more than `limit` percent.
alter table campaign
  add column claims_to integer,
  add column judged_from timestamptz,
  add column breaker jsonb;

-- What WhatsApp did to a number that has a plan. Campaigns stop until a person has read it; the first time-lock only counts.
create table number_incident (
  id bigint generated always as identity primary key,
  connection_id bigint not null references connection on delete cascade,
  cause text not null check (cause in ('timelocked', 'number_locked_again', 'number_banned', 'number_logged_out')),
  at timestamptz not null default now(),
  until timestamptz,
  read_at timestamptz);
create index on number_incident (connection_id, at);
