alter table outbox add column about_key text, add column about jsonb,
  add column action text check (action in ('react', 'delete'));

-- Until WhatsApp reports it.
alter table message_reaction add column outbox_id bigint;
alter table message_deletion add column outbox_id bigint;

-- A message for later; `created_at` is then this time.
alter table outbox add column send_at timestamptz;
