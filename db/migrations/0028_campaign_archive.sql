-- Out of the list and its figures, until it is taken back.
alter table campaign add column archived_at timestamptz;
-- Deleted by its owner. The row stays without its words: message ids and the figures of days and months need it.
alter table campaign add column deleted_at timestamptz;
-- The people of a deleted campaign are deleted in batches; true once none is left.
alter table campaign add column people_deleted boolean not null default false;
-- A campaign that may still write to people is never hidden or deleted.
alter table campaign add check ((archived_at is null and deleted_at is null) or life in ('cancelled', 'ended'));
create index campaign_people_to_delete_idx on campaign (id) where deleted_at is not null and not people_deleted;
