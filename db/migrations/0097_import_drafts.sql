-- A file that was uploaded, and waits for a person to say what its columns are.
create table import_draft (
  id bigint generated always as identity primary key,
  account_id uuid not null references account on delete cascade,
  file_name text,
  -- 'table': rows of a workbook or of vCards, written as text; 'json': elements of a list, below their keys.
  format text not null check (format in ('text', 'table', 'json')),
  encoding text not null,
  sha256 bytea not null,
  spool uuid not null,
  spool_folder uuid not null,
  bytes bigint not null,
  created_at timestamptz not null default now());
create index on import_draft (account_id, id);

alter table contact_import
  add column plan jsonb,
  add column basis text check (basis in ('asked', 'customer', 'other')),
  add column basis_note text;
