-- A campaign created to start now begins after these seconds, in which it can be taken back; null: the installation's.
alter table account add column undo_seconds smallint check (undo_seconds between 0 and 300);
