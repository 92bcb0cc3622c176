-- A template of the library may carry a file.
alter table message_template add column attachment_id bigint references attachment;
create index message_template_attachment_idx on message_template (attachment_id) where attachment_id is not null;

-- An assistant's answer may be several messages: its words, and templates that it sends.
alter table agent_answer add column further_outbox_ids bigint[] not null default '{}';
