-- Campaign images: re-encoded, private, sent as bytes.
create table image (
  id bigint generated always as identity primary key,
  account_id uuid not null references account on delete cascade,
  sha256 bytea not null,
  mime text not null,
  width integer not null,
  height integer not null,
  bytes bytea not null,
  created_at timestamptz not null default now(),
  unique (account_id, sha256)
);

create table campaign (
  id bigint generated always as identity primary key,
  account_id uuid not null references account on delete cascade,
  name text not null,
  text text not null default '',
  -- What {nome} becomes for a contact without a name.
  name_fallback text not null default '',
  image_id bigint references image,
  -- null: «Conexão padrão», resolved when the campaign starts.
  connection_id bigint references connection on delete set null,
  connection_name text,
  list_id bigint references contact_list on delete set null,
  list_name text,
  interval_s integer not null default 60 check (interval_s between 0 and 86400),
  extra_s integer not null default 0 check (extra_s between 0 and 86400),
  -- The wall time as typed, its zone, and the instant they mean.
  scheduled_wall text,
  zone text not null,
  scheduled_at timestamptz,
  life text not null default 'draft'
    check (life in ('draft', 'scheduled', 'starting', 'sending', 'paused', 'cancelled', 'ended')),
  -- Why it is paused, as a code: user, connection, no_default_connection, missed, banned, timelocked, restored…
  cause text,
  -- Started later than its schedule because the server was off.
  late boolean not null default false,
  -- The campaign whose failures this one sends again.
  resends_id bigint references campaign on delete set null,
  -- The form that saved it last: for 24 hours the same key with the same body (its hash) is the same campaign.
  idempotency_key text,
  idempotency_hash bytea,
  idempotency_at timestamptz,
  -- 32 random bits in every message id of this campaign.
  nonce bigint not null unique,
  total integer not null default 0 check (total <= 16777215),
  -- First seq never claimed; and the lowest seq that may be on the wire, where a take-over starts to look.
  cursor integer not null default 0,
  low integer not null default 0,
  -- How many people are in each state: moved in the same statement as their rows, so the sum is always the total.
  n_pending integer not null default 0,
  n_sending integer not null default 0,
  n_waiting integer not null default 0,
  n_skipped integer not null default 0,
  n_uncertain integer not null default 0,
  n_error integer not null default 0,
  n_sent integer not null default 0,
  n_delivered integer not null default 0,
  n_read integer not null default 0,
  first_sent_at timestamptz,
  last_sent_at timestamptz,
  -- When people were last handed out: the pace goes on from there after a restart, whatever became of their messages.
  claimed_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  started_at timestamptz,
  ended_at timestamptz,
  unique (account_id, idempotency_key)
) with (fillfactor = 50);
create index on campaign (account_id, id desc);
create index on campaign (connection_id) where life in ('sending', 'paused', 'starting');
create index on campaign (scheduled_at) where life = 'scheduled';
create index on campaign (id) where life = 'starting';

-- One person's place in a campaign: the frozen audience, the queue and the ledger at once. No foreign key from it and no index on
-- status: nearly every change stays a HOT update. At fillfactor 42 a page holds all its people twice, handed out and finished, which
-- are a little longer than before; at 50 one change in twelve moves to another page, for a third more log. Owned by
-- src/server/sending.
create table delivery (
  campaign_id bigint not null,
  seq integer not null,
  phone bigint not null,
  name text not null,
  status smallint not null default 0,
  tries smallint not null default 0,
  -- An attempt may have reached WhatsApp without our knowing: a later refusal can then only mean uncertain.
  ambiguous boolean not null default false,
  generation smallint not null default 0,
  fence integer,
  not_before timestamptz,
  error text,
  at timestamptz,
  attention smallint generated always as (case when status between 2 and 5 then status end) stored,
  primary key (campaign_id, seq),
  -- One campaign reaches one phone at most once, whatever crashes or runs twice.
  unique (campaign_id, phone)
) with (fillfactor = 42);
create index on delivery (campaign_id, attention, seq) where attention is not null;

-- One campaign reaches one WhatsApp address at most once, even when two phones of the list resolve to it.
create table campaign_alias (
  campaign_id bigint not null,
  address text not null,
  seq integer not null,
  primary key (campaign_id, address)
);

-- What happened on which day of the account's zone: moved in the turn, read by the dashboard.
create table campaign_day (
  campaign_id bigint not null references campaign on delete cascade,
  day date not null,
  accepted integer not null default 0,
  failed integer not null default 0,
  uncertain integer not null default 0,
  delivered integer not null default 0,
  read integer not null default 0,
  first_at timestamptz,
  last_at timestamptz,
  primary key (campaign_id, day)
) with (fillfactor = 50);

-- The image of a campaign, uploaded once per pairing: what the transport needs to refer to it again.
create table campaign_upload (
  campaign_id bigint not null references campaign on delete cascade,
  pairing text not null,
  media jsonb not null,
  primary key (campaign_id, pairing)
);

-- Decisions of people about uncertain deliveries, for the record.
create table delivery_action (
  id bigint generated always as identity primary key,
  campaign_id bigint not null references campaign on delete cascade,
  seq integer not null,
  account_id uuid not null references account on delete cascade,
  action text not null check (action in ('resend', 'mark_sent', 'ignore')),
  created_at timestamptz not null default now()
);

-- Everything sent outside a campaign (REST, chat, agents): same lane, before campaigns, same outcomes.
create table outbox (
  id bigint generated always as identity primary key,
  account_id uuid not null references account on delete cascade,
  connection_id bigint not null references connection on delete cascade,
  phone bigint not null,
  text text not null,
  image_id bigint references image,
  -- The image as it was uploaded, and under which pairing: sent again, the same id carries the same message.
  media jsonb,
  media_pairing text,
  message_id text not null unique,
  idempotency_key text,
  body_hash bytea not null,
  -- The states of a delivery (src/domain/delivery.ts).
  status smallint not null default 0,
  tries smallint not null default 0,
  ambiguous boolean not null default false,
  fence integer,
  not_before timestamptz,
  error text,
  created_at timestamptz not null default now(),
  at timestamptz,
  -- The same request sent again is the same message.
  unique (account_id, idempotency_key)
);
create index on outbox (connection_id, id) where status in (0, 1, 2);
