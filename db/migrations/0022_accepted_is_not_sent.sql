-- A message that a gateway took is not sent until WhatsApp confirms it. `accepted` (6) stands between error (5) and sent (now 7), so
-- that receipts still only move a row up. One rewrite of the table; the index of what needs attention holds the new state too.
alter table delivery
  drop column attention,
  alter column status type smallint using (case when status >= 6 then status + 1 else status end)::smallint,
  add column attention smallint generated always as (case when status between 2 and 6 then status end) stored;
create index on delivery (campaign_id, attention, seq) where attention is not null;

update outbox set status = status + 1 where status >= 6;
update chat_message set status = status + 1 where status >= 6;

alter table campaign add column n_accepted integer not null default 0;
-- A person went on although nothing was confirmed: its next messages are not stopped for the same reason.
alter table campaign add column goes_on_unconfirmed boolean not null default false;

-- People whose message a gateway took and WhatsApp has not confirmed. Beside them `accepted` counts those that it has.
alter table campaign_day add column unconfirmed integer not null default 0;
