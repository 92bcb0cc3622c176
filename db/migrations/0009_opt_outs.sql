-- People who want no campaigns of this account. Owned by src/server/sending, which honours it.
create table opt_out (
  account_id uuid not null references account on delete cascade,
  phone bigint not null,
  source text not null check (source in ('reply', 'manual')),
  connection_id bigint references connection on delete set null,
  -- What they wrote.
  text text,
  created_at timestamptz not null default now(),
  primary key (account_id, phone)
);
create index on opt_out (account_id, created_at desc);
