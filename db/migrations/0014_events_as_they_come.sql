-- A picture in a gateway's event is a megabyte of base64, which PostgreSQL would try to compress before it stores it (20 ms of processor
-- time, for nothing: it hardly shrinks), although the row lives for a second. It is stored as it came.
alter table webhook_event alter column body set storage external;
alter table webhook_relay alter column body set storage external;
