-- A campaign may send each person several messages in order. The first is `text` and `attachment_id`; these
-- follow it, each a file without text.
create table campaign_part (
  campaign_id bigint not null references campaign on delete cascade,
  part smallint not null check (part between 1 and 4),
  -- Checked at the commit: an account's deletion takes both, in no order.
  attachment_id bigint not null references attachment deferrable initially deferred,
  primary key (campaign_id, part));
create index on campaign_part (attachment_id);

-- Stays when a deletion takes the files: the month's usage counts messages.
alter table campaign add column parts smallint not null default 1 check (parts between 1 and 5);

-- Which of several messages left to a person, before the next is written. Like `delivery` without foreign
-- keys; campaigns of one message have no rows.
create table delivery_part (
  campaign_id bigint not null,
  seq integer not null,
  part smallint not null check (part between 0 and 4),
  status smallint not null,
  resend_number smallint not null,
  at timestamptz not null,
  primary key (campaign_id, seq, part)) with (fillfactor = 70);

alter table campaign_upload add column part smallint not null default 0;
alter table campaign_upload drop constraint campaign_upload_pkey, add primary key (campaign_id, part, pairing);

alter table provider_message add column part smallint not null default 0;
drop index provider_message_campaign_id_seq_resend_number_idx;
create unique index provider_message_person_idx on provider_message (campaign_id, seq, resend_number, part)
  where campaign_id is not null;
