-- What a group is called, as WhatsApp tells it, and when it was asked last. Owned by src/server/chat.
alter table chat add column subject text;
alter table chat add column subject_asked_at timestamptz;
create index on chat (connection_id, subject_asked_at) where subject_asked_at is not null;
