-- What was done to an account and by whom, for its owner to look up. Rows are added and, after a year, deleted; never changed. Owned by
-- src/server/audit.
create table audit_event (
  id bigint generated always as identity primary key,
  account_id uuid not null references account (id) on delete cascade,
  at timestamptz not null default now(),
  kind text not null,
  -- A signed-in browser, a program with a key, the operator at the command line, this server by itself, or somebody who proved nothing.
  actor text not null check (actor in ('session', 'key', 'operator', 'system', 'stranger')),
  -- The key's name then: it may be gone when this is read.
  key_name text,
  address text,
  browser text,
  -- What it was done to, as it was called then.
  subject text,
  subject_id bigint,
  details jsonb
);

create index audit_event_account_id_id_idx on audit_event (account_id, id desc);
create index audit_event_at_idx on audit_event (at);
