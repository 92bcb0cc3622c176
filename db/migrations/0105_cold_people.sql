-- Of a number with a plan: how many the campaign begins a conversation with, counted at its start.
alter table campaign add column cold_people integer;
create index on cold_message (campaign_id) where campaign_id is not null;
