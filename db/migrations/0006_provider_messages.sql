-- Ids that a gateway gave our messages: how a receipt finds its person. Owned by src/server/sending.
create table provider_message (
  connection_id bigint not null references connection on delete cascade,
  provider_id text not null,
  campaign_id bigint,
  seq integer,
  generation smallint,
  outbox_id bigint,
  created_at timestamptz not null default now(),
  primary key (connection_id, provider_id),
  check ((campaign_id is null) <> (outbox_id is null))
);
create unique index on provider_message (campaign_id, seq, generation) where campaign_id is not null;
create unique index on provider_message (outbox_id) where outbox_id is not null;

-- Receipts whose message is not known yet: they may overtake the answer to the send that they belong to.
create table receipt_inbox (
  connection_id bigint not null references connection on delete cascade,
  provider_id text not null,
  status text not null check (status in ('accepted', 'delivered', 'read', 'error')),
  code text,
  at timestamptz not null,
  tries smallint not null default 0,
  next_at timestamptz not null default now(),
  received_at timestamptz not null default now(),
  primary key (connection_id, provider_id, status)
);
create index on receipt_inbox (next_at);

-- Messages from our numbers that the gateway told of: among them, those whose answer we never got are found again. Kept for two days.
create table sent_echo (
  connection_id bigint not null references connection on delete cascade,
  provider_id text not null,
  -- The canonical phone and the addresses that WhatsApp uses for it, as far as they are known.
  phone bigint,
  jid text,
  lid text,
  -- SHA-256 of kind and text.
  content bytea not null,
  at timestamptz not null,
  received_at timestamptz not null default now(),
  primary key (connection_id, provider_id)
);
create index on sent_echo (connection_id, content);
create index on sent_echo (received_at);

-- Messages to groups, and to people of whom WhatsApp tells only the hidden address, have no phone.
alter table outbox alter column phone drop not null;
alter table outbox add column jid text;
alter table outbox add check (phone is not null or jid is not null);
alter table outbox add column origin text not null default 'api' check (origin in ('api', 'chat', 'agent', 'opt_out', 'test'));
-- A person's part of a chat, in its order.
create index on outbox (connection_id, phone, created_at, id) where phone is not null;
create index on outbox (connection_id, jid, created_at, id) where jid is not null;
-- Doubts that are looked for, or left to a human.
create index on outbox (connection_id) where ambiguous and status in (2, 4);
-- What the gateways of an account answered for a number. Apart from wa_address, which everybody's messages go by: anybody can register a
-- server, and one that lies would lead the messages of others to whom it likes.
create table gateway_address (
  account_id uuid not null references account on delete cascade,
  phone bigint not null,
  -- null: not on WhatsApp when last asked.
  jid text,
  lid text,
  checked_at timestamptz not null default now(),
  primary key (account_id, phone)
);
create index on gateway_address (account_id, lid) where lid is not null;
create index on gateway_address (account_id, jid) where jid is not null;

-- Which phone stands behind an address that WhatsApp names.
create index on wa_address (lid) where lid is not null;
create index on wa_address (jid) where jid is not null;
