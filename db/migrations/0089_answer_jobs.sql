-- Chats at which an assistant has to look. Rows, so that a process that dies loses none; by account, so that a thousand chats of one
-- account do not stand before another's only one. Owned by src/server/agents.
create table answer_job (
  id bigint generated always as identity primary key,
  account_id uuid not null references account on delete cascade,
  chat_id bigint not null,
  due_at timestamptz not null,
  -- The person has had their time to go on writing.
  waited boolean not null,
  tries smallint not null default 0,
  -- Until then a process is held to be working on it. null: it waits.
  taken_until timestamptz
);
-- One look at a chat waits at most, while another may be under way.
create unique index answer_job_waiting on answer_job (chat_id) where taken_until is null;
create index on answer_job (account_id, due_at);

-- What the job library held until today.
do $$ begin
  if to_regclass('pgboss.job') is not null then
    insert into answer_job (account_id, chat_id, due_at, waited)
      select (data ->> 'accountId')::uuid, (data ->> 'chatId')::bigint, min(start_after), bool_or((data ->> 'waited')::boolean)
      from pgboss.job
      where name = 'assistant' and state < 'completed'
        and exists (select from account a where a.id = (data ->> 'accountId')::uuid)
      group by 1, 2;
    delete from pgboss.job where name = 'assistant';
  end if;
end $$;
