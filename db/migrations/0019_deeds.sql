-- What a caller gave a key of its own, so that the same deed sent again, because its answer was lost, is done once: for 24 hours, as with
-- campaigns, which keep theirs in their rows. Owned by src/server/db.
create table deed (
  account_id uuid not null references account on delete cascade,
  -- SHA-256 of the caller's key and of what was to be done.
  key bytea not null,
  hash bytea not null,
  -- The id of what it made; null while it is being done.
  made text,
  at timestamptz not null default now(),
  primary key (account_id, key)
);
