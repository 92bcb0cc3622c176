-- Contact cards (name, phones, others) and a place (latitude, longitude); null: neither.
alter table chat_message add column details jsonb;
