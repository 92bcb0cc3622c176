-- Who is known not to be on WhatsApp, for audiences; few rows.
create index on wa_address (phone) where jid is null;
create index on gateway_address (account_id, phone) where jid is null;

-- People whose numbers WhatsApp is still asked about, slowly, before a campaign.
create table number_check (
  connection_id bigint not null references connection on delete cascade,
  phone bigint not null,
  asked_at timestamptz not null default now(),
  primary key (connection_id, phone));
