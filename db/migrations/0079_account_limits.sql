-- What an account may have at most, where the operator decided (src/domain/limits.ts has the names and the defaults). A row without an
-- account counts for every account that has no row of its own.
create table account_limit (
  account_id uuid references account on delete cascade,
  name text not null,
  -- null: without a limit.
  value bigint check (value >= 0),
  unique nulls not distinct (account_id, name)
);

-- A place that is taken before there is a row to count: while a gateway or Mistral is being asked to make something.
create table limit_reservation (
  id bigint generated always as identity primary key,
  account_id uuid not null references account on delete cascade,
  name text not null,
  -- Of a process that died nothing else is left.
  until timestamptz not null
);
create index on limit_reservation (account_id, name);

-- Calls of Mistral on one day, by the account's own clock: today's alone.
create table agent_calls (
  account_id uuid primary key references account on delete cascade,
  day date not null,
  calls bigint not null
);

-- What of the operator's own an account may use: the Mistral key, the provided gateways, the mail server.
create table operator_service (
  account_id uuid not null references account on delete cascade,
  service text not null check (service in ('mistral', 'gateways', 'mail')),
  primary key (account_id, service)
);

-- Accounts that exist now used all three until today, and go on doing so.
insert into operator_service (account_id, service)
  select a.id, s.service from account a cross join unnest(array['mistral', 'gateways', 'mail']) as s(service);
