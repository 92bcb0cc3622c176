create table connection (
  id bigint generated always as identity primary key,
  account_id uuid not null references account on delete cascade,
  kind text not null check (kind in ('device', 'instance')),
  -- The digits of the number, as the provider's REST interface names the device.
  device_id text not null,
  name text not null,
  is_default boolean not null default false,
  -- What its owner wants; the process that holds the lane brings it about.
  desired text not null default 'connected' check (desired in ('connected', 'disconnected', 'removed')),
  state text not null default 'disconnected' check (state in ('connected', 'connecting', 'pending', 'disconnected')),
  -- Why it is not connected, as a code: logged_out, banned, replaced, qr_expired, network, timelocked,
  -- client_outdated, untrusted_server, pairing_refused, other_number, disconnected_by_user.
  cause text,
  cause_until timestamptz,
  state_since timestamptz not null default now(),
  qr text,
  qr_expires_at timestamptz,
  -- Asked for by the page (the digits to link), answered by the owner of the lane.
  pairing_code_wanted boolean not null default false,
  pairing_code text,
  pairing_code_expires_at timestamptz,
  -- WhatsApp's own id of this pairing; another one means the device was paired anew.
  pairing text,
  -- Ownership of the lane: who may claim and write keys. Raised at each take-over; whoever holds an older one has lost.
  fence integer not null default 0,
  owner uuid,
  lease_until timestamptz,
  created_at timestamptz not null default now(),
  unique (account_id, device_id)
);
create index on connection (account_id, id);
create unique index on connection (account_id) where is_default;

-- Baileys credentials and Signal keys, encrypted; every write checks the fence.
create table device_creds (
  connection_id bigint primary key references connection on delete cascade,
  data bytea not null,
  updated_at timestamptz not null default now()
);
create table device_key (
  connection_id bigint not null references connection on delete cascade,
  kind text not null,
  id text not null,
  data bytea not null,
  primary key (connection_id, kind, id)
);

-- What WhatsApp answered for a number: the address on the wire. Stored before the first send and used for every resend.
create table wa_address (
  phone bigint primary key,
  -- null: not on WhatsApp when last asked.
  jid text,
  lid text,
  checked_at timestamptz not null default now()
);
