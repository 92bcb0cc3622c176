-- One conversation of one connection. A person is one chat, whichever of their addresses a message names. Owned by src/server/chat.
create table chat (
  id bigint generated always as identity primary key,
  account_id uuid not null references account on delete cascade,
  connection_id bigint not null references connection on delete cascade,
  kind text not null check (kind in ('person', 'group')),
  -- Canonical, where WhatsApp tells it.
  phone bigint,
  -- As WhatsApp writes it: the person's …@s.whatsapp.net or the group's …@g.us.
  jid text,
  -- The hidden address, …@lid.
  lid text,
  -- From incoming messages only.
  push_name text,
  unread integer not null default 0,
  -- The newest message, for the list.
  last_at timestamptz not null default now(),
  last_text text not null default '',
  last_kind text not null default 'text',
  last_from_me boolean not null default false,
  -- The person's switch for the assistant, and until when it is silent because somebody answered here.
  agent_off boolean not null default false,
  agent_paused_until timestamptz,
  created_at timestamptz not null default now(),
  check (phone is not null or jid is not null or lid is not null),
  unique (connection_id, phone),
  unique (connection_id, jid),
  unique (connection_id, lid)
);
create index on chat (connection_id, last_at desc, id desc);
create index on chat (connection_id) include (unread) where unread > 0;
create index on chat (account_id);

-- What others wrote, and what was written from our numbers elsewhere: on the phone, or through the gateway by another program. Our own
-- messages are read from outbox and delivery, where their states are.
create table chat_message (
  id bigint generated always as identity primary key,
  chat_id bigint not null references chat on delete cascade,
  account_id uuid not null references account on delete cascade,
  connection_id bigint not null references connection on delete cascade,
  provider_id text not null,
  from_me boolean not null,
  -- Of our own: written through the gateway by a program, rather than on the phone.
  via_api boolean not null default false,
  -- Who wrote in a group.
  participant text,
  participant_name text,
  kind text not null default 'text',
  text text not null default '',
  image_id bigint references image,
  quoted_id text,
  -- Of our own: the states of a delivery (src/domain/delivery.ts); null for what others wrote.
  status smallint,
  at timestamptz not null,
  received_at timestamptz not null default now(),
  unique (connection_id, provider_id)
);
create index on chat_message (chat_id, at desc, id desc);
create index on chat_message (account_id);

-- The words of a message as they are searched: without case and accents, and with the connection among them, so that one index answers
-- «these words at this connection» without reading the messages of others.
create function chat_plain(text text) returns text immutable parallel safe language sql
  return translate(lower(text),
    'áàâãäåéèêëíìîïóòôõöúùûüçñÁÀÂÃÄÅÉÈÊËÍÌÎÏÓÒÔÕÖÚÙÛÜÇÑ', 'aaaaaaeeeeiiiiooooouuuucnaaaaaaeeeeiiiiooooouuuucn');
create function chat_words(connection_id bigint, text text) returns tsvector immutable parallel safe language sql
  return to_tsvector('simple'::regconfig, 'c' || connection_id::text || ' '
    || translate(chat_plain(text), '.,;:!?¡¿()[]{}<>"''/\|@#$%&*+=_~^-', '                                        '));
create index on chat_message using gin (chat_words(connection_id, text));
