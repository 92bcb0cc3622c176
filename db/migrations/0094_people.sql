-- People, once per account and phone, and their places in lists (docs/decisions/0094-people.md). Owned by src/server/contacts.
create table person (
  id bigint generated always as identity,
  account_id uuid not null,
  -- Canonical, as delivery, opt_out and chat keep it.
  phone bigint not null,
  name text not null default '',
  -- Values by the key of contact_field.
  fields jsonb not null default '{}',
  origin text not null,
  -- No foreign key: imports stay as long as their account, and the check costs 2 s of a million rows.
  origin_import_id bigint,
  origin_row integer,
  -- Name of the API key; null: the account itself.
  origin_by text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

-- No foreign keys: two would cost 40 % of an import of a million. Places are written in a transaction that locks their list and
-- their person, and the triggers below take them along with either.
create table membership (
  list_id bigint not null,
  -- Order of the list, from 0; previews and campaigns follow it.
  seq bigint not null,
  person_id bigint not null
);

-- Kept by every change of the account's people in the same transaction, as contact_list.contacts is.
create table account_people (
  account_id uuid primary key references account on delete cascade,
  people bigint not null
);

create table contact_field (
  id bigint generated always as identity primary key,
  account_id uuid not null references account on delete cascade,
  key text not null,
  label text not null,
  kind text not null check (kind in ('text', 'number', 'date', 'boolean')),
  seq smallint not null,
  unique (account_id, key)
);

-- Restored rows have no statistics yet, and a million would be joined by a plan for ten.
analyze contact;
analyze contact_list;

-- The newest list that has a name names the person. Ids follow the lists' order, so that a list lies together.
-- A row among the first of an imported list came with its file.
insert into person (account_id, phone, name, origin, origin_import_id, created_at, updated_at)
select p.account_id, p.phone, coalesce(p.name, ''), case when i.id is null then 'migration' else 'file' end, i.id, p.created_at, p.updated_at
from (
  select l.account_id, c.phone, min(c.list_id) as list_id,
    (array_agg(c.seq order by c.list_id))[1] as seq,
    (array_agg(c.name order by c.list_id desc) filter (where c.name <> ''))[1] as name,
    min(l.created_at) as created_at, max(l.created_at) as updated_at
  from contact c join contact_list l on l.id = c.list_id
  group by l.account_id, c.phone) p
left join (
  select distinct on (list_id) list_id, id, imported from contact_import where state = 'done' and list_id is not null
  order by list_id, id) i on i.list_id = p.list_id and p.seq < i.imported
order by p.account_id, p.list_id, p.seq;

alter table person
  add primary key (id),
  add unique (account_id, phone),
  add foreign key (account_id) references account on delete cascade,
  add check (origin in ('file', 'hand', 'chat', 'api', 'migration'));
analyze person;

insert into membership (list_id, seq, person_id)
select c.list_id, c.seq, p.id
from contact c join contact_list l on l.id = c.list_id join person p on p.account_id = l.account_id and p.phone = c.phone
order by c.list_id, c.seq;

insert into account_people (account_id, people) select account_id, count(*) from person group by account_id;

-- All people, by name and by date, at any depth.
create index on person (account_id, lower(name), id);
create index on person (account_id, created_at, id);
-- By person first: the lists of a person are looked for by the same index.
alter table membership add primary key (person_id, list_id);
create unique index on membership (list_id, seq);
analyze membership;

drop trigger contacts_go_with_their_list on contact_list;
drop function delete_contacts_of_lists();
drop table contact;

create function delete_memberships_of_lists() returns trigger language plpgsql as $$
begin
  delete from membership using gone where membership.list_id = gone.id;
  return null;
end $$;
create trigger memberships_go_with_their_list after delete on contact_list
  referencing old table as gone for each statement execute function delete_memberships_of_lists();

-- Keeps the counts too: one forgotten would be wrong for ever.
create function delete_memberships_of_people() returns trigger language plpgsql as $$
begin
  with left_lists as (
    delete from membership using gone where membership.person_id = gone.id returning membership.list_id)
  update contact_list l set contacts = l.contacts - n.places
  from (select list_id, count(*) as places from left_lists group by list_id) n where l.id = n.list_id;
  update account_people a set people = a.people - n.people
  from (select account_id, count(*) as people from gone group by account_id) n where a.account_id = n.account_id;
  return null;
end $$;
create trigger memberships_go_with_their_person after delete on person
  referencing old table as gone for each statement execute function delete_memberships_of_people();
