-- Suspended by the operator: no sign-in, no key, no lane, until it is resumed.
alter table account add column suspended_at timestamptz;
create index account_suspended_idx on account (id) where suspended_at is not null;

-- A link with which one person may sign up, once. The secret itself is kept nowhere.
create table invitation (
  id bigint generated always as identity primary key,
  hash bytea not null unique,
  -- Only this e-mail may sign up with it; null: any.
  email text,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  used_at timestamptz,
  -- The account it made. Goes with it, for an e-mail may stand here.
  account_id uuid references account on delete cascade,
  revoked_at timestamptz,
  check (account_id is null or used_at is not null)
);
create index on invitation (account_id);

-- Whose sign-up was the first is decided by this row: of two at once only one can insert it.
insert into setting (key, value) select 'first_account', to_jsonb(now()) where exists (select from account);
