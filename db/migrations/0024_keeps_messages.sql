-- Whether a gateway keeps the messages of an instance: false once it did not know one that went out through it. Of such a gateway nothing
-- that was lost while it was away can be asked for. Null: not known yet.
alter table instance add column keeps_messages boolean;
