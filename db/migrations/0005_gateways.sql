-- Servers that speak the Evolution API. Without an account: provided by the operator's environment to everybody, which shares its
-- address, never its instances.
create table gateway (
  id bigint generated always as identity primary key,
  account_id uuid references account on delete cascade,
  name text not null,
  -- Origin and path in front of the calls, without a slash at the end.
  url text not null,
  -- Sealed at gateway/{id}/api_key; the page sees its last four characters.
  api_key bytea not null,
  key_hint text not null,
  -- The operator took it out of the environment: what was made there is kept, and cannot be reached.
  withdrawn boolean not null default false,
  -- What the last test found.
  check_state text check (check_state in ('ok', 'unreachable', 'wrong_key', 'license_required', 'not_evolution')),
  version text,
  license_url text,
  -- Whether its webhooks arrive here.
  reaches_us text not null default 'unknown' check (reaches_us in ('unknown', 'yes', 'no')),
  checked_at timestamptz,
  created_at timestamptz not null default now()
);
create unique index on gateway (account_id, url) where account_id is not null;
create unique index on gateway (url) where account_id is null;

-- An instance that an account uses here: created here, adopted, or assigned by the operator. Its connection carries lane, state and QR.
create table instance (
  connection_id bigint primary key references connection on delete cascade,
  account_id uuid not null references account on delete cascade,
  gateway_id bigint not null references gateway on delete cascade,
  -- Also here, so that one instance of one server belongs to one account, however many registered the server.
  gateway_url text not null,
  name text not null,
  integration text not null default 'WHATSAPP-BAILEYS',
  -- Sealed at instance/{connection_id}/token; null where only the server's key opens it.
  token bytea,
  -- As typed at creation, and the number that is linked.
  number text,
  phone bigint,
  profile_name text,
  picture_url text,
  -- Names us in the webhook's path; says nothing.
  hook_id text not null unique,
  -- Sealed at instance/{connection_id}/hook_secret: what the gateway sends with every event.
  hook_secret bytea not null,
  hook_state text not null default 'unset' check (hook_state in ('unset', 'ours', 'literal', 'failed')),
  -- What the instance's webhook was before we set ours.
  former_webhook text,
  -- The user's own address, to which every MESSAGES_UPSERT is passed on.
  relay_url text,
  relay_at timestamptz,
  relay_status integer,
  relay_error text,
  -- When the last event came, and what the newest state change among them says of its own time: events arrive in any order.
  event_at timestamptz,
  state_stamp timestamptz,
  qr_stamp timestamptz,
  -- How far the gap check has asked the gateway for messages.
  checked_to timestamptz,
  created_at timestamptz not null default now(),
  unique (gateway_url, name)
);
create index on instance (account_id);
create index on instance (gateway_id);

-- Events that the gateway was told we have, and that are not yet taken in. No foreign key: it would lock the connection's row, which its
-- lane renews every second, with each event; what belongs to no instance any more is dropped when its turn comes. And no index beside
-- these two: they are most of what storing an event costs.
create table webhook_event (
  id bigint generated always as identity primary key,
  connection_id bigint not null,
  -- Event, message id and status: `messages.update:3EB0…:READ`.
  key text not null,
  -- JSON, the gateway's key removed. Not jsonb: it is read once, and what JSON allows and jsonb refuses must not stop an event.
  body text not null,
  tries smallint not null default 0,
  not_before timestamptz,
  received_at timestamptz not null default now(),
  unique (connection_id, key)
);

-- States and codes, of which only the newest counts: a looping instance fills one row.
create table webhook_state (
  connection_id bigint not null,
  event text not null,
  -- The event's own time.
  stamp timestamptz not null,
  body text not null,
  received_at timestamptz not null default now(),
  primary key (connection_id, event)
);

-- What came and cannot be read: kept apart, without keys, for the person to see. The newest hundred of an instance are kept.
create table webhook_oddity (
  id bigint generated always as identity primary key,
  connection_id bigint not null references connection on delete cascade,
  reason text not null check (reason in ('unknown_event', 'malformed', 'foreign_instance')),
  event text,
  body text not null,
  received_at timestamptz not null default now()
);
create index on webhook_oddity (connection_id, id desc);

-- Messages on their way to the user's own webhook address. Kept for a week, so that an event told twice is passed on once.
create table webhook_relay (
  id bigint generated always as identity primary key,
  connection_id bigint not null references connection on delete cascade,
  key text not null,
  -- In the gateway's own shape, its key removed; null once delivered or given up.
  body text,
  tries smallint not null default 0,
  next_at timestamptz not null default now(),
  status integer,
  error text,
  done_at timestamptz,
  created_at timestamptz not null default now(),
  unique (connection_id, key)
);
create index on webhook_relay (next_at) where done_at is null;
