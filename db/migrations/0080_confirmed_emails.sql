-- Letters go only to an address that was proved. Accounts that were here before keep theirs: they must not silently stop.
alter table account add column email_confirmed_at timestamptz;
update account set email_confirmed_at = now();
-- Takes the place of `email` once it is confirmed from there.
alter table account add column pending_email text;
-- Goes up with a reset: browsers that were known before it are strangers again.
alter table account add column browser_generation integer not null default 0;

-- When the password was last asked for and right in this session; null: only when it began.
alter table session add column password_proved_at timestamptz;

-- Links that prove an address or set a password: they have a queue and a count of their own.
alter table mail add column urgent boolean not null default false;
update mail set urgent = true where starts_with(key, 'reset/');
-- How many went out in the last hour is asked for with every letter.
create index on mail (account_id, sent_at) where sent_at is not null;
