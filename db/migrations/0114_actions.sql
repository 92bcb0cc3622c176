alter table outbox add column about_key text, add column about jsonb,
  add column action text check (action in ('react', 'delete'));

-- Until WhatsApp reports it.
alter table message_reaction add column outbox_id bigint references outbox on delete set null;
alter table message_deletion add column outbox_id bigint references outbox on delete set null;
create index message_reaction_outbox_id_idx on message_reaction (outbox_id) where outbox_id is not null;
create index message_deletion_outbox_id_idx on message_deletion (outbox_id) where outbox_id is not null;

-- A message for later; `created_at` is then this time.
alter table outbox add column send_at timestamptz;
