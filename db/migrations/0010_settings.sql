-- The account's own settings. Owned by src/server/accounts.
alter table account add column company text not null default '';
alter table account add column language text not null default 'pt-BR' check (language in ('pt-BR', 'en'));
-- Messages a calendar month, set by the operator; null: no limit.
alter table account add column monthly_limit integer check (monthly_limit >= 0);
-- The plain notice about WhatsApp's rules was read; the first steps were put away.
alter table account add column risk_read_at timestamptz;
alter table account add column steps_hidden_at timestamptz;

-- What a key may do: everything, only read, or read and send single messages.
alter table api_key add column scope text not null default 'all' check (scope in ('all', 'send', 'read'));

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
  subject text not null,
  body text not null,
  tries smallint not null default 0,
  error text,
  created_at timestamptz not null default now(),
  sent_at timestamptz,
  given_up_at timestamptz,
  unique (account_id, kind, key)
);
create index on mail (id) where sent_at is null and given_up_at is null;
