-- Pictures become attachments of every kind. New bytes lie in the file store under `stored_as`; a row of an
-- older version or backup keeps them in `bytes` until they are moved.
alter table image rename to attachment;
alter table attachment rename constraint image_pkey to attachment_pkey;
alter table attachment rename constraint image_account_id_fkey to attachment_account_id_fkey;
alter table attachment drop constraint image_account_id_sha256_key;
alter table attachment
  add column kind text not null default 'image',
  add column name text not null default '',
  add column size bigint,
  add column seconds double precision,
  add column stored_as uuid,
  alter column width drop not null,
  alter column height drop not null,
  alter column bytes drop not null;
update attachment set size = octet_length(bytes);
alter table attachment
  alter column size set not null,
  alter column kind drop default,
  alter column name drop default,
  add constraint attachment_kind_check check (kind in ('image', 'video', 'audio', 'voice', 'document', 'sticker')),
  add constraint attachment_place_check check ((bytes is null) <> (stored_as is null)),
  add constraint attachment_account_id_sha256_kind_name_key unique (account_id, sha256, kind, name);
create unique index on attachment (stored_as) where stored_as is not null;

alter table campaign rename column image_id to attachment_id;
alter table campaign rename constraint campaign_image_id_fkey to campaign_attachment_id_fkey;
alter index campaign_image_idx rename to campaign_attachment_idx;
alter table chat_message rename column image_id to attachment_id;
alter table chat_message rename constraint chat_message_image_id_fkey to chat_message_attachment_id_fkey;
alter index chat_message_image_idx rename to chat_message_attachment_idx;
alter table outbox rename column image_id to attachment_id;
alter table outbox rename constraint outbox_image_id_fkey to outbox_attachment_id_fkey;
alter index outbox_image_idx rename to outbox_attachment_idx;
