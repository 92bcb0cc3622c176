create table contact_list (
  id bigint generated always as identity primary key,
  account_id uuid not null references account on delete cascade,
  name text not null,
  -- Kept by every change of the list's contacts in the same transaction; cards never count rows.
  contacts integer not null default 0,
  created_at timestamptz not null default now()
);
create index on contact_list (account_id, id desc);

-- No foreign key to the list: it costs 40 % of an import of a million (2 of 5.5 s of PostgreSQL). Contacts are written only in the
-- transaction that made or locked their list, and the trigger below takes them along with it, so none can be without one.
create table contact (
  list_id bigint not null,
  -- Order of the file, from 0; previews and campaigns follow it.
  seq integer not null,
  phone bigint not null,
  name text not null,
  primary key (list_id, seq),
  -- A list holds a phone once, in whatever shapes it was written.
  unique (list_id, phone)
);

create function delete_contacts_of_lists() returns trigger language plpgsql as $$
begin
  delete from contact using gone where contact.list_id = gone.id;
  return null;
end $$;
create trigger contacts_go_with_their_list after delete on contact_list
  referencing old table as gone for each statement execute function delete_contacts_of_lists();

-- A file that has fully arrived, and what became of it. The file waits in the data folder (`spool`) until its import is over, so that
-- a killed process loses nothing: whoever finds the lease expired reads it again from its beginning.
create table contact_import (
  id bigint generated always as identity primary key,
  account_id uuid not null references account on delete cascade,
  list_id bigint references contact_list on delete set null,
  list_name text not null,
  file_name text,
  state text not null check (state in ('waiting', 'running', 'done', 'failed')),
  format text not null default 'csv' check (format in ('csv', 'json')),
  -- How the file was understood.
  encoding text,
  separator text,
  header boolean,
  -- Its content, to say that the same file was imported before.
  sha256 bytea,
  -- Name of the file that waits and of the folder that holds it: another host cannot read it.
  spool uuid,
  spool_folder uuid,
  worker uuid,
  lease_until timestamptz,
  -- Times it was begun: one that takes its process down each time must not do so for ever.
  tries smallint not null default 0,
  -- Code of the fault (domain/errors.ts) with its figures, when failed.
  fault text,
  fault_details jsonb,
  bytes_total bigint,
  bytes_read bigint not null default 0,
  rows_read integer not null default 0,
  imported integer not null default 0,
  repeated integer not null default 0,
  refused integer not null default 0,
  ninth_added integer not null default 0,
  created_at timestamptz not null default now(),
  finished_at timestamptz
);
create index on contact_import (account_id, id desc);
create index on contact_import (account_id, sha256) where state = 'done';
create index on contact_import (id) where state in ('waiting', 'running');
-- One import of an account at a time, whichever process begins it.
create unique index contact_import_running on contact_import (account_id) where state = 'running';

-- What an import could not take or changed, row by row, to correct and bring again.
create table contact_import_row (
  import_id bigint not null references contact_import on delete cascade,
  row_number integer not null,
  kind text not null check (kind in ('refused', 'ninth_added')),
  name text not null,
  value text not null,
  reason text not null,
  primary key (import_id, row_number)
);
