-- Taken away: empty; an older one must not return.
create table message_reaction (
  chat_id bigint not null references chat on delete cascade,
  account_id uuid not null references account on delete cascade,
  message_key text not null,
  from_me boolean not null,
  participant text not null,
  participant_name text,
  emoji text not null,
  at timestamptz not null,
  primary key (chat_id, message_key, from_me, participant)
);
create index message_reaction_account_id_idx on message_reaction (account_id);
