-- The account's own access to Mistral. Owned by src/server/agents.
create table mistral_setting (
  account_id uuid primary key references account on delete cascade,
  -- Sealed at mistral_setting/{account_id}.
  api_key bytea not null,
  key_hint text not null,
  -- null: the operator's, else Mistral's own.
  base_url text,
  updated_at timestamptz not null default now()
);

-- Agents made with the operator's key belong to whoever made them.
create table operator_agent (
  agent_id text primary key,
  account_id uuid not null references account on delete cascade,
  created_at timestamptz not null default now()
);
create index on operator_agent (account_id);

-- Which agent answers at a connection.
create table assistant_link (
  connection_id bigint primary key references connection on delete cascade,
  account_id uuid not null references account on delete cascade,
  agent_id text not null,
  agent_name text not null,
  active boolean not null default true,
  -- How long it is silent in a chat where a person answered.
  pause_minutes integer not null default 60 check (pause_minutes between 0 and 10080),
  -- Messages older than this link are not its business.
  linked_at timestamptz not null default now()
);
create index on assistant_link (account_id);

-- One try to answer, and what became of it: the visible trace. `message_id` is the newest message it answers.
create table agent_answer (
  id bigint generated always as identity primary key,
  account_id uuid not null references account on delete cascade,
  connection_id bigint not null references connection on delete cascade,
  chat_id bigint not null references chat on delete cascade,
  message_id bigint not null,
  -- What it says.
  question text not null,
  -- What the chat was called then.
  chat_name text not null,
  agent_id text not null,
  agent_name text not null,
  state text not null default 'thinking' check (state in ('thinking', 'sent', 'failed', 'skipped')),
  -- Why not, as a code.
  reason text,
  text text,
  outbox_id bigint,
  tries smallint not null default 0,
  created_at timestamptz not null default now(),
  finished_at timestamptz,
  unique (chat_id, message_id)
);
create index on agent_answer (connection_id, id desc);
create index on agent_answer (account_id);
