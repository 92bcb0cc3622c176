-- Recognizes an erased number that comes again.
create table erased_person (
  account_id uuid not null references account on delete cascade,
  -- HMAC-SHA-256 of the canonical phone.
  hash bytea not null,
  key_id bytea not null,
  erased_at timestamptz not null default now(),
  primary key (account_id, hash));

alter table contact_import add column erased integer not null default 0;
