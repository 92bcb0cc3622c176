-- The account's own settings. Owned by src/server/accounts.
alter table account add column company text not null default '';
alter table account add column language text not null default 'pt-BR' check (language in ('pt-BR', 'en'));
-- Messages a calendar month, set by the operator; null: no limit.
alter table account add column monthly_limit integer check (monthly_limit >= 0);
-- The plain notice about WhatsApp's rules was read; the first steps were put away.
alter table account add column risk_read_at timestamptz;
alter table account add column steps_hidden_at timestamptz;
-- Its owner deleted it: nobody sees it any more, and a job takes away what is left of it.
alter table account add column removed_at timestamptz;
create index on account (removed_at) where removed_at is not null;

-- What a key may do: everything, only read, or read and send single messages.
alter table api_key add column scope text not null default 'all' check (scope in ('all', 'send', 'read'));

-- Usage of a month is asked for by account and time. Owned by src/server/sending.
create index on outbox (account_id, at) where status >= 6;
-- Whether a test was ever sent is asked for with the dashboard of a new account.
create index on outbox (account_id) where origin = 'test';
-- Campaigns that have just ended are looked for every few seconds.
create index on campaign (ended_at) where ended_at is not null;

-- Single messages that WhatsApp took, of connections since deleted: they were sent all the same.
create table single_usage (
  account_id uuid not null references account on delete cascade,
  day date not null,
  messages integer not null,
  primary key (account_id, day)
);

-- An account that goes with its messages is gone already when this runs, and counts nothing.
create function keep_usage_of_messages() returns trigger language plpgsql as $$
begin
  insert into single_usage (account_id, day, messages)
  select gone.account_id, (coalesce(gone.at, gone.created_at) at time zone a.time_zone)::date, count(*)
  from gone join account a on a.id = gone.account_id
  where gone.status >= 6
  group by 1, 2
  on conflict (account_id, day) do update set messages = single_usage.messages + excluded.messages;
  return null;
end $$;
create trigger usage_outlives_messages after delete on outbox
  referencing old table as gone for each statement execute function keep_usage_of_messages();

-- What the account wants to be told, and how. Without a row: the defaults. Owned by src/server/notifications.
create table notification_preference (
  account_id uuid primary key references account on delete cascade,
  email_campaign_completed boolean not null default true,
  email_delivery_issues boolean not null default true,
  email_account_updates boolean not null default true,
  email_marketing boolean not null default false,
  email_product boolean not null default false,
  browser_campaign_status boolean not null default true,
  browser_new_message boolean not null default true,
  updated_at timestamptz not null default now()
);

-- Letters that were or are to be sent: `key` names the occasion, so that each is told once.
create table mail (
  id bigint generated always as identity primary key,
  account_id uuid not null references account on delete cascade,
  kind text not null
    check (kind in ('campaign_completed', 'delivery_issues', 'account_updates', 'marketing', 'product', 'test')),
  key text not null,
  -- Another address than the account's own: the one it had before.
  address text,
  subject text not null,
  body text not null,
  tries smallint not null default 0,
  -- Also keeps others away while somebody sends it.
  next_at timestamptz not null default now(),
  error text,
  created_at timestamptz not null default now(),
  sent_at timestamptz,
  given_up_at timestamptz,
  unique (account_id, kind, key)
);
create index on mail (next_at) where sent_at is null and given_up_at is null;
