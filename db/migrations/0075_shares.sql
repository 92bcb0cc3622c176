-- Receipts that wait are looked for account by account, so connection by connection.
create index receipt_inbox_connection_id_next_at_idx on receipt_inbox (connection_id, next_at);
drop index receipt_inbox_next_at_idx;

-- A process renews one lease, its own, and with it the ownership of all its connections: the wide rows of these would be rewritten every second.
alter table worker add column leaving boolean not null default false;
insert into worker (id, kinds, lease_until)
  select owner, '{}', max(lease_until) from connection where owner is not null and lease_until > now() group by owner
  on conflict (id) do update set lease_until = greatest(worker.lease_until, excluded.lease_until);
alter table connection drop column lease_until;
create index connection_owner_idx on connection (owner) where owner is not null;
