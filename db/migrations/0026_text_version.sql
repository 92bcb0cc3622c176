-- How a campaign's text is filled (domain/message-text.ts, TEXT_VERSION). A campaign that had started wrote `{primeiro_nome}` literally and
-- greeted by the name as it stood: chat, retries and resends must go on saying what its people got.
alter table campaign add column text_version smallint not null default 2;
update campaign set text_version = 1 where life not in ('draft', 'scheduled');
