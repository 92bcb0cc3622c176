-- Processes that own lanes, as long as they say that they live: who shares the connections. Owned by src/server/sending.
create table worker (
  id uuid primary key,
  -- Kinds of connections that it can open.
  kinds text[] not null,
  -- The data folder it sees (its `folder-id`): whose imports it can read. Null where it reads none.
  data_folder uuid,
  lease_until timestamptz not null,
  started_at timestamptz not null default now()
) with (fillfactor = 50);

-- Webhooks of instances that are being made: their gateways post events before the instance is stored. Owned by src/server/gateways.
create table instance_making (
  hook_id text primary key,
  until timestamptz not null
);
