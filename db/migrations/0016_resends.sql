-- What a resend of a campaign would reach is shown beside it, and depends on the resends there were.
create index on campaign (resends_id) where resends_id is not null;
