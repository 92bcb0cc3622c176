-- Files of received messages: what WhatsApp says of them, and what became of them. `source` is sealed: with it
-- WhatsApp can be asked for the file.
create table received_file (
  message_id bigint primary key references chat_message on delete cascade,
  account_id uuid not null references account on delete cascade,
  connection_id bigint not null references connection on delete cascade,
  state text not null
    check (state in ('coming', 'here', 'expired', 'failed', 'gone', 'too_large', 'no_room', 'disk_full')),
  kind text not null check (kind in ('image', 'video', 'audio', 'voice', 'document', 'sticker')),
  name text not null,
  mime text not null,
  size bigint,
  seconds double precision,
  pages integer,
  source bytea,
  tries smallint not null default 0,
  -- Of one that comes: the next attempt. Of one that is here: since when.
  at timestamptz not null
);
create index on received_file (account_id);
create index on received_file (connection_id, at) where state = 'coming';
create index on received_file (at) where state = 'here';

-- Pictures of before are kept as long as new ones, from now on.
insert into received_file (message_id, account_id, connection_id, state, kind, name, mime, size, at)
select m.id, m.account_id, m.connection_id, 'here', f.kind, f.name, f.mime, f.size, now()
from chat_message m join attachment f on f.id = m.attachment_id;
