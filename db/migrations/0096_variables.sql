alter table campaign add column variables jsonb not null default '[]';
alter table delivery add column vars jsonb;
