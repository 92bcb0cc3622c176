-- Receipts that wait are looked for account by account, so connection by connection.
create index receipt_inbox_connection_id_next_at_idx on receipt_inbox (connection_id, next_at);
drop index receipt_inbox_next_at_idx;
