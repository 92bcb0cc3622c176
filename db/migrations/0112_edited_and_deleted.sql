alter table chat_message add column edited boolean not null default false;

-- What was said stays. `by_writer` false: a group's administrator did.
create table message_deletion (
  chat_id bigint not null references chat on delete cascade,
  account_id uuid not null references account on delete cascade,
  message_key text not null,
  by_writer boolean not null,
  at timestamptz not null,
  primary key (chat_id, message_key)
);
create index message_deletion_account_id_idx on message_deletion (account_id);
