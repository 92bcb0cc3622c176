-- People who sign in. Names of tables and columns are ours; better-auth is told of them (src/server/accounts/auth.ts).
create table account (
  id uuid primary key default gen_random_uuid(),
  name text not null,
  -- Folded to lower case and NFKC before it gets here, so that one mailbox is one account.
  email text not null unique,
  email_verified boolean not null default false,
  image text,
  time_zone text not null default 'America/Sao_Paulo',
  terms_version text not null,
  terms_accepted_at timestamptz not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

create table session (
  id uuid primary key default gen_random_uuid(),
  account_id uuid not null references account on delete cascade,
  -- The cookie holds this token signed with a secret that is not in the database: a dump opens no session.
  token text not null unique,
  expires_at timestamptz not null,
  ip_address text,
  user_agent text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index on session (account_id);

create table credential (
  id uuid primary key default gen_random_uuid(),
  account_id uuid not null references account on delete cascade,
  provider_id text not null,
  provider_account_id text not null,
  password text,
  access_token text,
  refresh_token text,
  id_token text,
  access_token_expires_at timestamptz,
  refresh_token_expires_at timestamptz,
  scope text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index on credential (account_id);

create table verification (
  id uuid primary key default gen_random_uuid(),
  identifier text not null,
  value text not null,
  expires_at timestamptz not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

create table api_key (
  id bigint generated always as identity primary key,
  account_id uuid not null references account on delete cascade,
  name text not null,
  -- What a list may show of the key; the key itself is kept as a hash only.
  prefix text not null,
  hash bytea not null unique,
  expires_at timestamptz,
  revoked_at timestamptz,
  last_used_at timestamptz,
  created_at timestamptz not null default now()
);
create index on api_key (account_id);

-- Counters of the rate limiter (rate-limiter-flexible), shared by all processes.
create table rate_limit (
  key text primary key,
  points integer not null default 0,
  expire bigint
);

-- Facts about this installation: encrypted keys, canary, cached versions.
create table setting (
  key text primary key,
  value jsonb not null,
  updated_at timestamptz not null default now()
);
