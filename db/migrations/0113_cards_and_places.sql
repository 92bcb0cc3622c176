alter table chat_message add column details jsonb;
