-- WhatsApp's quota of new conversations for the number of a device; null: not known.
alter table connection add column new_chats jsonb;
