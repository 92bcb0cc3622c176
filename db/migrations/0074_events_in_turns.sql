-- Events of webhooks are read in turns of their account. Events of instances that are gone would be dropped when read.
alter table webhook_event add column account_id uuid;
delete from webhook_event e where not exists (select from connection k where k.id = e.connection_id);
update webhook_event e set account_id = k.account_id from connection k where k.id = e.connection_id;
alter table webhook_event alter column account_id set not null;
-- Events that were never tried, and those that failed and are tried again: a hundred thousand of one account delay no look at another.
create index webhook_event_fresh_idx on webhook_event (account_id, id) where not_before is null;
create index webhook_event_again_idx on webhook_event (account_id, not_before) where not_before is not null;

-- People who ask to leave, perhaps, in events that are not read yet. Campaigns do not write to these addresses meanwhile.
-- `address`: a phone in canonical digits, or a hidden address (…@lid).
create table unread_leaving (
  event_id bigint not null references webhook_event on delete cascade,
  account_id uuid not null,
  address text not null,
  primary key (account_id, event_id, address)
);
create index unread_leaving_address_idx on unread_leaving (account_id, address);
create index unread_leaving_event_id_idx on unread_leaving (event_id);

-- Messages to pass on are looked for by instance: a hundred thousand of one delay no look at another.
create index webhook_relay_waiting_idx on webhook_relay (connection_id, next_at, id) where done_at is null;
