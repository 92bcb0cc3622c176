-- Search in conversations also finds what was sent from here, as it finds what came.
create index outbox_chat_words_idx on outbox using gin (chat_words(connection_id, text));
