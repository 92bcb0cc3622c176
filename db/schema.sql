-- What db/migrations add up to. Written by a test: vitest run tests/platform/schema.test.ts --update

create table account (
  id uuid not null default gen_random_uuid(),
  name text not null,
  email text not null,
  email_verified boolean not null default false,
  image text,
  time_zone text not null default 'America/Sao_Paulo'::text,
  terms_version text not null,
  terms_accepted_at timestamp with time zone not null,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  company text not null default ''::text,
  language text not null default 'pt-BR'::text,
  monthly_limit integer,
  risk_read_at timestamp with time zone,
  steps_hidden_at timestamp with time zone,
  removed_at timestamp with time zone,
  suspended_at timestamp with time zone,
  email_confirmed_at timestamp with time zone,
  pending_email text,
  browser_generation integer not null default 0,
  campaigns_per_week smallint,
  undo_seconds smallint,
  opt_out_confirmation text,
  constraint account_pkey PRIMARY KEY (id),
  constraint account_email_key UNIQUE (email),
  constraint account_campaigns_per_week_check CHECK (((campaigns_per_week >= 1) AND (campaigns_per_week <= 20))),
  constraint account_language_check CHECK ((language = ANY (ARRAY['pt-BR'::text, 'en'::text]))),
  constraint account_monthly_limit_check CHECK ((monthly_limit >= 0)),
  constraint account_opt_out_confirmation_check CHECK (((char_length(opt_out_confirmation) >= 1) AND (char_length(opt_out_confirmation) <= 500))),
  constraint account_undo_seconds_check CHECK (((undo_seconds >= 0) AND (undo_seconds <= 300)))
);
create index account_removed_at_idx on account USING btree (removed_at) WHERE (removed_at IS NOT NULL);
create index account_suspended_idx on account USING btree (id) WHERE (suspended_at IS NOT NULL);

create table account_limit (
  account_id uuid,
  name text not null,
  value bigint,
  constraint account_limit_account_id_name_key UNIQUE NULLS NOT DISTINCT (account_id, name),
  constraint account_limit_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id) ON DELETE CASCADE,
  constraint account_limit_value_check CHECK ((value >= 0))
);

create table account_people (
  account_id uuid not null,
  people bigint not null,
  constraint account_people_pkey PRIMARY KEY (account_id),
  constraint account_people_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id) ON DELETE CASCADE
);

create table agent_answer (
  id bigint not null generated always as identity,
  account_id uuid not null,
  connection_id bigint not null,
  chat_id bigint not null,
  message_id bigint not null,
  question text not null,
  chat_name text not null,
  agent_id text not null,
  agent_name text not null,
  state text not null default 'thinking'::text,
  reason text,
  text text,
  outbox_id bigint,
  tries smallint not null default 0,
  created_at timestamp with time zone not null default now(),
  finished_at timestamp with time zone,
  further_outbox_ids bigint[] not null default '{}'::bigint[],
  constraint agent_answer_pkey PRIMARY KEY (id),
  constraint agent_answer_chat_id_message_id_key UNIQUE (chat_id, message_id),
  constraint agent_answer_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id) ON DELETE CASCADE,
  constraint agent_answer_chat_id_fkey FOREIGN KEY (chat_id) REFERENCES chat(id) ON DELETE CASCADE,
  constraint agent_answer_connection_id_fkey FOREIGN KEY (connection_id) REFERENCES connection(id) ON DELETE CASCADE,
  constraint agent_answer_state_check CHECK ((state = ANY (ARRAY['thinking'::text, 'sent'::text, 'failed'::text, 'skipped'::text])))
);
create index agent_answer_account_id_idx on agent_answer USING btree (account_id);
create index agent_answer_connection_id_id_idx on agent_answer USING btree (connection_id, id DESC);

create table agent_calls (
  account_id uuid not null,
  day date not null,
  calls bigint not null,
  constraint agent_calls_pkey PRIMARY KEY (account_id),
  constraint agent_calls_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id) ON DELETE CASCADE
);

create table answer_job (
  id bigint not null generated always as identity,
  account_id uuid not null,
  chat_id bigint not null,
  due_at timestamp with time zone not null,
  waited boolean not null,
  tries smallint not null default 0,
  taken_until timestamp with time zone,
  constraint answer_job_pkey PRIMARY KEY (id),
  constraint answer_job_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id) ON DELETE CASCADE
);
create index answer_job_account_id_due_at_idx on answer_job USING btree (account_id, due_at);
create UNIQUE index answer_job_waiting on answer_job USING btree (chat_id) WHERE (taken_until IS NULL);

create table api_key (
  id bigint not null generated always as identity,
  account_id uuid not null,
  name text not null,
  prefix text not null,
  hash bytea not null,
  expires_at timestamp with time zone,
  revoked_at timestamp with time zone,
  last_used_at timestamp with time zone,
  created_at timestamp with time zone not null default now(),
  scope text not null default 'all'::text,
  constraint api_key_pkey PRIMARY KEY (id),
  constraint api_key_hash_key UNIQUE (hash),
  constraint api_key_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id) ON DELETE CASCADE,
  constraint api_key_scope_check CHECK ((scope = ANY (ARRAY['all'::text, 'send'::text, 'read'::text])))
);
create index api_key_account_id_idx on api_key USING btree (account_id);

create table assistant_link (
  connection_id bigint not null,
  account_id uuid not null,
  agent_id text not null,
  agent_name text not null,
  active boolean not null default true,
  pause_minutes integer not null default 60,
  linked_at timestamp with time zone not null default now(),
  constraint assistant_link_pkey PRIMARY KEY (connection_id),
  constraint assistant_link_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id) ON DELETE CASCADE,
  constraint assistant_link_connection_id_fkey FOREIGN KEY (connection_id) REFERENCES connection(id) ON DELETE CASCADE,
  constraint assistant_link_pause_minutes_check CHECK (((pause_minutes >= 0) AND (pause_minutes <= 10080)))
);
create index assistant_link_account_id_idx on assistant_link USING btree (account_id);

create table attachment (
  id bigint not null generated always as identity,
  account_id uuid not null,
  sha256 bytea not null,
  mime text not null,
  width integer,
  height integer,
  bytes bytea,
  created_at timestamp with time zone not null default now(),
  kind text not null,
  name text not null,
  size bigint not null,
  seconds double precision,
  stored_as uuid,
  constraint attachment_pkey PRIMARY KEY (id),
  constraint attachment_account_id_sha256_kind_name_key UNIQUE (account_id, sha256, kind, name),
  constraint attachment_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id) ON DELETE CASCADE,
  constraint attachment_kind_check CHECK ((kind = ANY (ARRAY['image'::text, 'video'::text, 'audio'::text, 'voice'::text, 'document'::text, 'sticker'::text]))),
  constraint attachment_place_check CHECK (((bytes IS NULL) <> (stored_as IS NULL)))
);
create UNIQUE index attachment_stored_as_idx on attachment USING btree (stored_as) WHERE (stored_as IS NOT NULL);

create table audit_event (
  id bigint not null generated always as identity,
  account_id uuid not null,
  at timestamp with time zone not null default now(),
  kind text not null,
  actor text not null,
  key_name text,
  address text,
  browser text,
  subject text,
  subject_id bigint,
  details jsonb,
  constraint audit_event_pkey PRIMARY KEY (id),
  constraint audit_event_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id) ON DELETE CASCADE,
  constraint audit_event_actor_check CHECK ((actor = ANY (ARRAY['session'::text, 'key'::text, 'operator'::text, 'system'::text, 'stranger'::text])))
);
create index audit_event_account_id_id_idx on audit_event USING btree (account_id, id DESC);
create index audit_event_at_idx on audit_event USING btree (at);

create table campaign (
  id bigint not null generated always as identity,
  account_id uuid not null,
  name text not null,
  text text not null default ''::text,
  name_fallback text not null default ''::text,
  attachment_id bigint,
  connection_id bigint,
  connection_name text,
  list_id bigint,
  list_name text,
  interval_seconds integer not null default 60,
  jitter_seconds integer not null default 0,
  scheduled_local text,
  zone text not null,
  scheduled_at timestamp with time zone,
  status text not null default 'draft'::text,
  pause_reason text,
  late boolean not null default false,
  resends_id bigint,
  idempotency_key text,
  idempotency_hash bytea,
  idempotency_at timestamp with time zone,
  nonce bigint not null,
  total integer not null default 0,
  cursor integer not null default 0,
  lowest_in_flight_seq integer not null default 0,
  pending_count integer not null default 0,
  sending_count integer not null default 0,
  waiting_count integer not null default 0,
  skipped_count integer not null default 0,
  uncertain_count integer not null default 0,
  error_count integer not null default 0,
  sent_count integer not null default 0,
  delivered_count integer not null default 0,
  read_count integer not null default 0,
  first_sent_at timestamp with time zone,
  last_sent_at timestamp with time zone,
  claimed_at timestamp with time zone,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  started_at timestamp with time zone,
  ended_at timestamp with time zone,
  claimed_to integer not null default 0,
  accepted_count integer not null default 0,
  goes_on_unconfirmed boolean not null default false,
  text_version smallint not null default 2,
  archived_at timestamp with time zone,
  deleted_at timestamp with time zone,
  people_deleted boolean not null default false,
  variables jsonb not null default '[]'::jsonb,
  audience jsonb,
  claims_to integer,
  judged_from timestamp with time zone,
  breaker jsonb,
  cold_people integer,
  leave_hint boolean not null default false,
  parts smallint not null default 1,
  constraint campaign_pkey PRIMARY KEY (id),
  constraint campaign_account_id_idempotency_key_key UNIQUE (account_id, idempotency_key),
  constraint campaign_nonce_key UNIQUE (nonce),
  constraint campaign_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id) ON DELETE CASCADE,
  constraint campaign_attachment_id_fkey FOREIGN KEY (attachment_id) REFERENCES attachment(id),
  constraint campaign_connection_id_fkey FOREIGN KEY (connection_id) REFERENCES connection(id) ON DELETE SET NULL,
  constraint campaign_list_id_fkey FOREIGN KEY (list_id) REFERENCES contact_list(id) ON DELETE SET NULL,
  constraint campaign_resends_id_fkey FOREIGN KEY (resends_id) REFERENCES campaign(id) ON DELETE SET NULL,
  constraint campaign_check CHECK ((((archived_at IS NULL) AND (deleted_at IS NULL)) OR (status = ANY (ARRAY['cancelled'::text, 'ended'::text])))),
  constraint campaign_interval_seconds_check CHECK (((interval_seconds >= 0) AND (interval_seconds <= 86400))),
  constraint campaign_jitter_seconds_check CHECK (((jitter_seconds >= 0) AND (jitter_seconds <= 86400))),
  constraint campaign_parts_check CHECK (((parts >= 1) AND (parts <= 5))),
  constraint campaign_status_check CHECK ((status = ANY (ARRAY['draft'::text, 'scheduled'::text, 'starting'::text, 'sending'::text, 'paused'::text, 'cancelled'::text, 'ended'::text]))),
  constraint campaign_total_check CHECK ((total <= 16777215))
) with (fillfactor=50);
create index campaign_account_id_id_idx on campaign USING btree (account_id, id DESC);
create index campaign_attachment_idx on campaign USING btree (attachment_id) WHERE (attachment_id IS NOT NULL);
create index campaign_connection_id_idx on campaign USING btree (connection_id) WHERE (status = ANY (ARRAY['sending'::text, 'paused'::text, 'starting'::text]));
create index campaign_ended_at_idx on campaign USING btree (ended_at) WHERE (ended_at IS NOT NULL);
create index campaign_id_idx on campaign USING btree (id) WHERE (status = 'starting'::text);
create index campaign_people_to_delete_idx on campaign USING btree (id) WHERE ((deleted_at IS NOT NULL) AND (NOT people_deleted));
create index campaign_resends_id_idx on campaign USING btree (resends_id) WHERE (resends_id IS NOT NULL);
create index campaign_scheduled_at_idx on campaign USING btree (scheduled_at) WHERE (status = 'scheduled'::text);

create table campaign_alias (
  campaign_id bigint not null,
  address text not null,
  seq integer not null,
  constraint campaign_alias_pkey PRIMARY KEY (campaign_id, address)
);

create table campaign_day (
  campaign_id bigint not null,
  day date not null,
  accepted integer not null default 0,
  failed integer not null default 0,
  uncertain integer not null default 0,
  delivered integer not null default 0,
  read integer not null default 0,
  first_at timestamp with time zone,
  last_at timestamp with time zone,
  unconfirmed integer not null default 0,
  constraint campaign_day_pkey PRIMARY KEY (campaign_id, day),
  constraint campaign_day_campaign_id_fkey FOREIGN KEY (campaign_id) REFERENCES campaign(id) ON DELETE CASCADE
) with (fillfactor=50);

create table campaign_part (
  campaign_id bigint not null,
  part smallint not null,
  attachment_id bigint not null,
  constraint campaign_part_pkey PRIMARY KEY (campaign_id, part),
  constraint campaign_part_attachment_id_fkey FOREIGN KEY (attachment_id) REFERENCES attachment(id) DEFERRABLE INITIALLY DEFERRED,
  constraint campaign_part_campaign_id_fkey FOREIGN KEY (campaign_id) REFERENCES campaign(id) ON DELETE CASCADE,
  constraint campaign_part_part_check CHECK (((part >= 1) AND (part <= 4)))
);
create index campaign_part_attachment_id_idx on campaign_part USING btree (attachment_id);

create table campaign_upload (
  campaign_id bigint not null,
  pairing text not null,
  media jsonb not null,
  part smallint not null default 0,
  constraint campaign_upload_pkey PRIMARY KEY (campaign_id, part, pairing),
  constraint campaign_upload_campaign_id_fkey FOREIGN KEY (campaign_id) REFERENCES campaign(id) ON DELETE CASCADE
);

create table chat (
  id bigint not null generated always as identity,
  account_id uuid not null,
  connection_id bigint not null,
  kind text not null,
  phone bigint,
  jid text,
  lid text,
  push_name text,
  unread integer not null default 0,
  last_at timestamp with time zone not null default now(),
  last_text text not null default ''::text,
  last_kind text not null default 'text'::text,
  last_from_me boolean not null default false,
  agent_off boolean not null default false,
  agent_paused_until timestamp with time zone,
  created_at timestamp with time zone not null default now(),
  subject text,
  subject_asked_at timestamp with time zone,
  constraint chat_pkey PRIMARY KEY (id),
  constraint chat_connection_id_jid_key UNIQUE (connection_id, jid),
  constraint chat_connection_id_lid_key UNIQUE (connection_id, lid),
  constraint chat_connection_id_phone_key UNIQUE (connection_id, phone),
  constraint chat_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id) ON DELETE CASCADE,
  constraint chat_connection_id_fkey FOREIGN KEY (connection_id) REFERENCES connection(id) ON DELETE CASCADE,
  constraint chat_check CHECK (((phone IS NOT NULL) OR (jid IS NOT NULL) OR (lid IS NOT NULL))),
  constraint chat_kind_check CHECK ((kind = ANY (ARRAY['person'::text, 'group'::text])))
);
create index chat_account_id_idx on chat USING btree (account_id);
create index chat_connection_id_last_at_id_idx on chat USING btree (connection_id, last_at DESC, id DESC);
create index chat_connection_id_subject_asked_at_idx on chat USING btree (connection_id, subject_asked_at) WHERE (subject_asked_at IS NOT NULL);
create index chat_connection_id_unread_idx on chat USING btree (connection_id) INCLUDE (unread) WHERE (unread > 0);

create table chat_message (
  id bigint not null generated always as identity,
  chat_id bigint not null,
  account_id uuid not null,
  connection_id bigint not null,
  provider_id text not null,
  from_me boolean not null,
  via_api boolean not null default false,
  participant text,
  participant_name text,
  kind text not null default 'text'::text,
  text text not null default ''::text,
  attachment_id bigint,
  quoted_id text,
  status smallint,
  at timestamp with time zone not null,
  received_at timestamp with time zone not null default now(),
  quoted_key text,
  quoted jsonb,
  edited boolean not null default false,
  details jsonb,
  constraint chat_message_pkey PRIMARY KEY (id),
  constraint chat_message_connection_id_provider_id_key UNIQUE (connection_id, provider_id),
  constraint chat_message_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id) ON DELETE CASCADE,
  constraint chat_message_attachment_id_fkey FOREIGN KEY (attachment_id) REFERENCES attachment(id),
  constraint chat_message_chat_id_fkey FOREIGN KEY (chat_id) REFERENCES chat(id) ON DELETE CASCADE,
  constraint chat_message_connection_id_fkey FOREIGN KEY (connection_id) REFERENCES connection(id) ON DELETE CASCADE
);
create index chat_message_account_id_idx on chat_message USING btree (account_id);
create index chat_message_attachment_idx on chat_message USING btree (attachment_id) WHERE (attachment_id IS NOT NULL);
create index chat_message_chat_id_at_id_idx on chat_message USING btree (chat_id, at DESC, id DESC);
create index chat_message_chat_words_idx on chat_message USING gin (chat_words(connection_id, text));

create table cold_message (
  id bigint not null generated always as identity,
  connection_id bigint not null,
  at timestamp with time zone not null default now(),
  campaign_id bigint,
  constraint cold_message_pkey PRIMARY KEY (id),
  constraint cold_message_connection_id_fkey FOREIGN KEY (connection_id) REFERENCES connection(id) ON DELETE CASCADE
);
create index cold_message_campaign_id_idx on cold_message USING btree (campaign_id) WHERE (campaign_id IS NOT NULL);
create index cold_message_connection_id_at_idx on cold_message USING btree (connection_id, at);

create table connection (
  id bigint not null generated always as identity,
  account_id uuid not null,
  kind text not null,
  device_id text not null,
  name text not null,
  is_default boolean not null default false,
  desired text not null default 'connected'::text,
  state text not null default 'disconnected'::text,
  state_reason text,
  state_reason_until timestamp with time zone,
  state_since timestamp with time zone not null default now(),
  qr text,
  qr_expires_at timestamp with time zone,
  pairing_code_wanted boolean not null default false,
  pairing_code text,
  pairing_code_expires_at timestamp with time zone,
  pairing text,
  fence integer not null default 0,
  owner uuid,
  created_at timestamp with time zone not null default now(),
  new_chats jsonb,
  constraint connection_pkey PRIMARY KEY (id),
  constraint connection_account_id_device_id_key UNIQUE (account_id, device_id),
  constraint connection_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id) ON DELETE CASCADE,
  constraint connection_desired_check CHECK ((desired = ANY (ARRAY['connected'::text, 'disconnected'::text, 'removed'::text]))),
  constraint connection_kind_check CHECK ((kind = ANY (ARRAY['device'::text, 'instance'::text]))),
  constraint connection_state_check CHECK ((state = ANY (ARRAY['connected'::text, 'connecting'::text, 'pending'::text, 'disconnected'::text])))
);
create index connection_account_id_id_idx on connection USING btree (account_id, id);
create UNIQUE index connection_account_id_idx on connection USING btree (account_id) WHERE is_default;
create index connection_owner_idx on connection USING btree (owner) WHERE (owner IS NOT NULL);

create table contact_field (
  id bigint not null generated always as identity,
  account_id uuid not null,
  key text not null,
  label text not null,
  kind text not null,
  seq smallint not null,
  constraint contact_field_pkey PRIMARY KEY (id),
  constraint contact_field_account_id_key_key UNIQUE (account_id, key),
  constraint contact_field_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id) ON DELETE CASCADE,
  constraint contact_field_kind_check CHECK ((kind = ANY (ARRAY['text'::text, 'number'::text, 'date'::text, 'boolean'::text])))
);

create table contact_import (
  id bigint not null generated always as identity,
  account_id uuid not null,
  list_id bigint,
  list_name text not null,
  file_name text,
  state text not null,
  format text not null default 'csv'::text,
  encoding text,
  separator text,
  header boolean,
  sha256 bytea,
  spool uuid,
  spool_folder uuid,
  worker uuid,
  lease_until timestamp with time zone,
  tries smallint not null default 0,
  fault text,
  fault_details jsonb,
  bytes_total bigint,
  bytes_read bigint not null default 0,
  rows_read integer not null default 0,
  imported integer not null default 0,
  repeated integer not null default 0,
  refused integer not null default 0,
  ninth_added integer not null default 0,
  created_at timestamp with time zone not null default now(),
  finished_at timestamp with time zone,
  left_out jsonb,
  plan jsonb,
  basis text,
  basis_note text,
  erased integer not null default 0,
  constraint contact_import_pkey PRIMARY KEY (id),
  constraint contact_import_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id) ON DELETE CASCADE,
  constraint contact_import_list_id_fkey FOREIGN KEY (list_id) REFERENCES contact_list(id) ON DELETE SET NULL,
  constraint contact_import_basis_check CHECK ((basis = ANY (ARRAY['asked'::text, 'customer'::text, 'other'::text]))),
  constraint contact_import_format_check CHECK ((format = ANY (ARRAY['csv'::text, 'json'::text]))),
  constraint contact_import_state_check CHECK ((state = ANY (ARRAY['waiting'::text, 'running'::text, 'done'::text, 'failed'::text])))
);
create index contact_import_account_id_id_idx on contact_import USING btree (account_id, id DESC);
create index contact_import_account_id_sha256_idx on contact_import USING btree (account_id, sha256) WHERE (state = 'done'::text);
create index contact_import_id_idx on contact_import USING btree (id) WHERE (state = ANY (ARRAY['waiting'::text, 'running'::text]));
create UNIQUE index contact_import_running on contact_import USING btree (account_id) WHERE (state = 'running'::text);

create table contact_import_row (
  import_id bigint not null,
  row_number integer not null,
  kind text not null,
  name text not null,
  value text not null,
  reason text not null,
  constraint contact_import_row_pkey PRIMARY KEY (import_id, row_number),
  constraint contact_import_row_import_id_fkey FOREIGN KEY (import_id) REFERENCES contact_import(id) ON DELETE CASCADE,
  constraint contact_import_row_kind_check CHECK ((kind = ANY (ARRAY['refused'::text, 'ninth_added'::text])))
);

create table contact_list (
  id bigint not null generated always as identity,
  account_id uuid not null,
  name text not null,
  contacts integer not null default 0,
  created_at timestamp with time zone not null default now(),
  constraint contact_list_pkey PRIMARY KEY (id),
  constraint contact_list_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id) ON DELETE CASCADE
);
create index contact_list_account_id_id_idx on contact_list USING btree (account_id, id DESC);
CREATE OR REPLACE FUNCTION public.delete_memberships_of_lists()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  delete from membership using gone where membership.list_id = gone.id;
  return null;
end $function$;
CREATE TRIGGER memberships_go_with_their_list AFTER DELETE ON public.contact_list REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION delete_memberships_of_lists();

create table credential (
  id uuid not null default gen_random_uuid(),
  account_id uuid not null,
  provider_id text not null,
  provider_account_id text not null,
  password text,
  access_token text,
  refresh_token text,
  id_token text,
  access_token_expires_at timestamp with time zone,
  refresh_token_expires_at timestamp with time zone,
  scope text,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  constraint credential_pkey PRIMARY KEY (id),
  constraint credential_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id) ON DELETE CASCADE
);
create index credential_account_id_idx on credential USING btree (account_id);

create table delivery (
  campaign_id bigint not null,
  seq integer not null,
  phone bigint not null,
  name text not null,
  status smallint not null default 0,
  tries smallint not null default 0,
  ambiguous boolean not null default false,
  resend_number smallint not null default 0,
  fence integer,
  not_before timestamp with time zone,
  error text,
  at timestamp with time zone,
  needs_attention smallint generated always as ( CASE WHEN ((status >= 2) AND (status <= 6)) THEN status ELSE NULL::smallint END) stored,
  vars jsonb,
  constraint delivery_pkey PRIMARY KEY (campaign_id, seq),
  constraint delivery_campaign_id_phone_key UNIQUE (campaign_id, phone)
) with (fillfactor=42);
create index delivery_campaign_id_needs_attention_seq_idx on delivery USING btree (campaign_id, needs_attention, seq) WHERE (needs_attention IS NOT NULL);

create table delivery_action (
  id bigint not null generated always as identity,
  campaign_id bigint not null,
  seq integer not null,
  account_id uuid not null,
  action text not null,
  created_at timestamp with time zone not null default now(),
  constraint delivery_action_pkey PRIMARY KEY (id),
  constraint delivery_action_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id) ON DELETE CASCADE,
  constraint delivery_action_campaign_id_fkey FOREIGN KEY (campaign_id) REFERENCES campaign(id) ON DELETE CASCADE,
  constraint delivery_action_action_check CHECK ((action = ANY (ARRAY['resend'::text, 'mark_sent'::text, 'ignore'::text])))
);

create table delivery_part (
  campaign_id bigint not null,
  seq integer not null,
  part smallint not null,
  status smallint not null,
  resend_number smallint not null,
  at timestamp with time zone not null,
  constraint delivery_part_pkey PRIMARY KEY (campaign_id, seq, part),
  constraint delivery_part_part_check CHECK (((part >= 0) AND (part <= 4)))
) with (fillfactor=70);

create table device_creds (
  connection_id bigint not null,
  data bytea not null,
  updated_at timestamp with time zone not null default now(),
  constraint device_creds_pkey PRIMARY KEY (connection_id),
  constraint device_creds_connection_id_fkey FOREIGN KEY (connection_id) REFERENCES connection(id) ON DELETE CASCADE
);

create table device_key (
  connection_id bigint not null,
  kind text not null,
  id text not null,
  data bytea not null,
  constraint device_key_pkey PRIMARY KEY (connection_id, kind, id),
  constraint device_key_connection_id_fkey FOREIGN KEY (connection_id) REFERENCES connection(id) ON DELETE CASCADE
);

create table direct_message_usage (
  account_id uuid not null,
  day date not null,
  messages integer not null,
  constraint direct_message_usage_pkey PRIMARY KEY (account_id, day),
  constraint direct_message_usage_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id) ON DELETE CASCADE
);

create table erased_person (
  account_id uuid not null,
  hash bytea not null,
  key_id bytea not null,
  erased_at timestamp with time zone not null default now(),
  constraint erased_person_pkey PRIMARY KEY (account_id, hash),
  constraint erased_person_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id) ON DELETE CASCADE
);

create table gateway (
  id bigint not null generated always as identity,
  account_id uuid,
  name text not null,
  url text not null,
  api_key bytea not null,
  key_hint text not null,
  withdrawn boolean not null default false,
  check_state text,
  version text,
  license_url text,
  reaches_us text not null default 'unknown'::text,
  checked_at timestamp with time zone,
  created_at timestamp with time zone not null default now(),
  constraint gateway_pkey PRIMARY KEY (id),
  constraint gateway_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id) ON DELETE CASCADE,
  constraint gateway_check_state_check CHECK ((check_state = ANY (ARRAY['ok'::text, 'unreachable'::text, 'wrong_key'::text, 'license_required'::text, 'not_evolution'::text, 'failing'::text]))),
  constraint gateway_reaches_us_check CHECK ((reaches_us = ANY (ARRAY['unknown'::text, 'yes'::text, 'no'::text])))
);
create UNIQUE index gateway_account_id_url_idx on gateway USING btree (account_id, url) WHERE (account_id IS NOT NULL);
create UNIQUE index gateway_url_idx on gateway USING btree (url) WHERE (account_id IS NULL);

create table gateway_address (
  account_id uuid not null,
  phone bigint not null,
  jid text,
  lid text,
  checked_at timestamp with time zone not null default now(),
  constraint gateway_address_pkey PRIMARY KEY (account_id, phone),
  constraint gateway_address_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id) ON DELETE CASCADE
);
create index gateway_address_account_id_jid_idx on gateway_address USING btree (account_id, jid) WHERE (jid IS NOT NULL);
create index gateway_address_account_id_lid_idx on gateway_address USING btree (account_id, lid) WHERE (lid IS NOT NULL);
create index gateway_address_account_id_phone_idx on gateway_address USING btree (account_id, phone) WHERE (jid IS NULL);

create table idempotency_key (
  account_id uuid not null,
  key bytea not null,
  hash bytea not null,
  made text,
  at timestamp with time zone not null default now(),
  constraint idempotency_key_pkey PRIMARY KEY (account_id, key),
  constraint idempotency_key_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id) ON DELETE CASCADE
);

create table import_draft (
  id bigint not null generated always as identity,
  account_id uuid not null,
  file_name text,
  format text not null,
  encoding text not null,
  sha256 bytea not null,
  spool uuid not null,
  spool_folder uuid not null,
  bytes bigint not null,
  created_at timestamp with time zone not null default now(),
  constraint import_draft_pkey PRIMARY KEY (id),
  constraint import_draft_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id) ON DELETE CASCADE,
  constraint import_draft_format_check CHECK ((format = ANY (ARRAY['text'::text, 'table'::text, 'json'::text])))
);
create index import_draft_account_id_id_idx on import_draft USING btree (account_id, id);

create table instance (
  connection_id bigint not null,
  account_id uuid not null,
  gateway_id bigint not null,
  gateway_url text not null,
  name text not null,
  integration text not null default 'WHATSAPP-BAILEYS'::text,
  token bytea,
  number text,
  phone bigint,
  profile_name text,
  picture_url text,
  hook_id text not null,
  hook_secret bytea not null,
  hook_state text not null default 'unset'::text,
  former_webhook text,
  relay_url text,
  relay_at timestamp with time zone,
  relay_status integer,
  relay_error text,
  event_at timestamp with time zone,
  state_stamp timestamp with time zone,
  qr_stamp timestamp with time zone,
  checked_to timestamp with time zone,
  created_at timestamp with time zone not null default now(),
  keeps_messages boolean,
  constraint instance_pkey PRIMARY KEY (connection_id),
  constraint instance_gateway_url_name_key UNIQUE (gateway_url, name),
  constraint instance_hook_id_key UNIQUE (hook_id),
  constraint instance_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id) ON DELETE CASCADE,
  constraint instance_connection_id_fkey FOREIGN KEY (connection_id) REFERENCES connection(id) ON DELETE CASCADE,
  constraint instance_gateway_id_fkey FOREIGN KEY (gateway_id) REFERENCES gateway(id) ON DELETE CASCADE,
  constraint instance_hook_state_check CHECK ((hook_state = ANY (ARRAY['unset'::text, 'ours'::text, 'literal'::text, 'failed'::text, 'taken'::text])))
);
create index instance_account_id_idx on instance USING btree (account_id);
create index instance_gateway_id_idx on instance USING btree (gateway_id);

create table invitation (
  id bigint not null generated always as identity,
  hash bytea not null,
  email text,
  created_at timestamp with time zone not null default now(),
  expires_at timestamp with time zone not null,
  used_at timestamp with time zone,
  account_id uuid,
  revoked_at timestamp with time zone,
  constraint invitation_pkey PRIMARY KEY (id),
  constraint invitation_hash_key UNIQUE (hash),
  constraint invitation_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id) ON DELETE CASCADE,
  constraint invitation_check CHECK (((account_id IS NULL) OR (used_at IS NOT NULL)))
);
create index invitation_account_id_idx on invitation USING btree (account_id);

create table known_conversation (
  connection_id bigint not null,
  address text not null,
  last_in_at timestamp with time zone,
  last_delivered_at timestamp with time zone,
  last_answered_at timestamp with time zone,
  constraint known_conversation_pkey PRIMARY KEY (connection_id, address),
  constraint known_conversation_connection_id_fkey FOREIGN KEY (connection_id) REFERENCES connection(id) ON DELETE CASCADE,
  constraint known_conversation_check CHECK ((COALESCE(last_in_at, last_delivered_at, last_answered_at) IS NOT NULL))
);

create table limit_reservation (
  id bigint not null generated always as identity,
  account_id uuid not null,
  name text not null,
  until timestamp with time zone not null,
  constraint limit_reservation_pkey PRIMARY KEY (id),
  constraint limit_reservation_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id) ON DELETE CASCADE
);
create index limit_reservation_account_id_name_idx on limit_reservation USING btree (account_id, name);

create table mail (
  id bigint not null generated always as identity,
  account_id uuid not null,
  kind text not null,
  key text not null,
  address text,
  subject text not null,
  body text not null,
  tries smallint not null default 0,
  next_at timestamp with time zone not null default now(),
  error text,
  created_at timestamp with time zone not null default now(),
  sent_at timestamp with time zone,
  given_up_at timestamp with time zone,
  urgent boolean not null default false,
  constraint mail_pkey PRIMARY KEY (id),
  constraint mail_account_id_kind_key_key UNIQUE (account_id, kind, key),
  constraint mail_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id) ON DELETE CASCADE,
  constraint mail_kind_check CHECK ((kind = ANY (ARRAY['campaign_completed'::text, 'delivery_issues'::text, 'account_updates'::text, 'marketing'::text, 'product'::text, 'test'::text])))
);
create index mail_account_id_sent_at_idx on mail USING btree (account_id, sent_at) WHERE (sent_at IS NOT NULL);
create index mail_next_at_idx on mail USING btree (next_at) WHERE ((sent_at IS NULL) AND (given_up_at IS NULL));

create table membership (
  list_id bigint not null,
  seq bigint not null,
  person_id bigint not null,
  constraint membership_pkey PRIMARY KEY (person_id, list_id)
);
create UNIQUE index membership_list_id_seq_idx on membership USING btree (list_id, seq);

create table message_deletion (
  chat_id bigint not null,
  account_id uuid not null,
  message_key text not null,
  by_writer boolean not null,
  at timestamp with time zone not null,
  outbox_id bigint,
  constraint message_deletion_pkey PRIMARY KEY (chat_id, message_key),
  constraint message_deletion_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id) ON DELETE CASCADE,
  constraint message_deletion_chat_id_fkey FOREIGN KEY (chat_id) REFERENCES chat(id) ON DELETE CASCADE
);
create index message_deletion_account_id_idx on message_deletion USING btree (account_id);

create table message_reaction (
  chat_id bigint not null,
  account_id uuid not null,
  message_key text not null,
  from_me boolean not null,
  participant text not null,
  participant_name text,
  emoji text not null,
  at timestamp with time zone not null,
  outbox_id bigint,
  constraint message_reaction_pkey PRIMARY KEY (chat_id, message_key, from_me, participant),
  constraint message_reaction_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id) ON DELETE CASCADE,
  constraint message_reaction_chat_id_fkey FOREIGN KEY (chat_id) REFERENCES chat(id) ON DELETE CASCADE
);
create index message_reaction_account_id_idx on message_reaction USING btree (account_id);

create table message_template (
  id bigint not null generated always as identity,
  account_id uuid not null,
  name text not null,
  text text not null,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  attachment_id bigint,
  constraint message_template_pkey PRIMARY KEY (id),
  constraint message_template_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id) ON DELETE CASCADE,
  constraint message_template_attachment_id_fkey FOREIGN KEY (attachment_id) REFERENCES attachment(id)
);
create UNIQUE index message_template_account_id_lower_idx on message_template USING btree (account_id, lower(name));
create index message_template_attachment_idx on message_template USING btree (attachment_id) WHERE (attachment_id IS NOT NULL);

create table mistral_setting (
  account_id uuid not null,
  api_key bytea not null,
  key_hint text not null,
  base_url text,
  updated_at timestamp with time zone not null default now(),
  constraint mistral_setting_pkey PRIMARY KEY (account_id),
  constraint mistral_setting_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id) ON DELETE CASCADE
);

create table notification_preference (
  account_id uuid not null,
  email_campaign_completed boolean not null default true,
  email_delivery_issues boolean not null default true,
  email_account_updates boolean not null default true,
  email_marketing boolean not null default false,
  email_product boolean not null default false,
  browser_campaign_status boolean not null default true,
  browser_new_message boolean not null default true,
  updated_at timestamp with time zone not null default now(),
  constraint notification_preference_pkey PRIMARY KEY (account_id),
  constraint notification_preference_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id) ON DELETE CASCADE
);

create table number_check (
  connection_id bigint not null,
  phone bigint not null,
  asked_at timestamp with time zone not null default now(),
  constraint number_check_pkey PRIMARY KEY (connection_id, phone),
  constraint number_check_connection_id_fkey FOREIGN KEY (connection_id) REFERENCES connection(id) ON DELETE CASCADE
);

create table number_incident (
  id bigint not null generated always as identity,
  connection_id bigint not null,
  cause text not null,
  at timestamp with time zone not null default now(),
  until timestamp with time zone,
  read_at timestamp with time zone,
  constraint number_incident_pkey PRIMARY KEY (id),
  constraint number_incident_connection_id_fkey FOREIGN KEY (connection_id) REFERENCES connection(id) ON DELETE CASCADE,
  constraint number_incident_cause_check CHECK ((cause = ANY (ARRAY['timelocked'::text, 'number_locked_again'::text, 'number_banned'::text, 'number_logged_out'::text])))
);
create index number_incident_connection_id_at_idx on number_incident USING btree (connection_id, at);

create table number_plan (
  connection_id bigint not null,
  plan jsonb not null,
  updated_at timestamp with time zone not null default now(),
  last_at timestamp with time zone,
  last_cold_at timestamp with time zone,
  in_a_row smallint not null default 0,
  rests_until timestamp with time zone,
  constraint number_plan_pkey PRIMARY KEY (connection_id),
  constraint number_plan_connection_id_fkey FOREIGN KEY (connection_id) REFERENCES connection(id) ON DELETE CASCADE,
  constraint number_plan_in_a_row_check CHECK ((in_a_row >= 0))
);

create table operator_agent (
  agent_id text not null,
  account_id uuid not null,
  created_at timestamp with time zone not null default now(),
  constraint operator_agent_pkey PRIMARY KEY (agent_id),
  constraint operator_agent_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id) ON DELETE CASCADE
);
create index operator_agent_account_id_idx on operator_agent USING btree (account_id);

create table operator_service (
  account_id uuid not null,
  service text not null,
  constraint operator_service_pkey PRIMARY KEY (account_id, service),
  constraint operator_service_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id) ON DELETE CASCADE,
  constraint operator_service_service_check CHECK ((service = ANY (ARRAY['mistral'::text, 'gateways'::text, 'mail'::text])))
);

create table opt_out (
  account_id uuid not null,
  phone bigint not null,
  source text not null,
  connection_id bigint,
  text text,
  created_at timestamp with time zone not null default now(),
  constraint opt_out_pkey PRIMARY KEY (account_id, phone),
  constraint opt_out_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id) ON DELETE CASCADE,
  constraint opt_out_connection_id_fkey FOREIGN KEY (connection_id) REFERENCES connection(id) ON DELETE SET NULL,
  constraint opt_out_source_check CHECK ((source = ANY (ARRAY['reply'::text, 'manual'::text, 'asked'::text])))
);
create index opt_out_account_id_created_at_idx on opt_out USING btree (account_id, created_at DESC);

create table outbox (
  id bigint not null generated always as identity,
  account_id uuid not null,
  connection_id bigint not null,
  phone bigint,
  text text not null,
  attachment_id bigint,
  media jsonb,
  media_pairing text,
  message_id text not null,
  idempotency_key text,
  body_hash bytea not null,
  status smallint not null default 0,
  tries smallint not null default 0,
  ambiguous boolean not null default false,
  fence integer,
  not_before timestamp with time zone,
  error text,
  created_at timestamp with time zone not null default now(),
  at timestamp with time zone,
  jid text,
  origin text not null default 'api'::text,
  about_key text,
  about jsonb,
  action text,
  send_at timestamp with time zone,
  constraint outbox_pkey PRIMARY KEY (id),
  constraint outbox_account_id_idempotency_key_key UNIQUE (account_id, idempotency_key),
  constraint outbox_message_id_key UNIQUE (message_id),
  constraint outbox_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id) ON DELETE CASCADE,
  constraint outbox_attachment_id_fkey FOREIGN KEY (attachment_id) REFERENCES attachment(id),
  constraint outbox_connection_id_fkey FOREIGN KEY (connection_id) REFERENCES connection(id) ON DELETE CASCADE,
  constraint outbox_action_check CHECK ((action = ANY (ARRAY['react'::text, 'delete'::text]))),
  constraint outbox_check CHECK (((phone IS NOT NULL) OR (jid IS NOT NULL))),
  constraint outbox_origin_check CHECK ((origin = ANY (ARRAY['api'::text, 'chat'::text, 'agent'::text, 'opt_out'::text, 'test'::text])))
);
create index outbox_account_id_at_idx on outbox USING btree (account_id, at) WHERE (status >= 6);
create index outbox_account_id_idx on outbox USING btree (account_id) WHERE (origin = 'test'::text);
create index outbox_answers_idx on outbox USING btree (connection_id) WHERE ((origin = 'agent'::text) AND (status = ANY (ARRAY[0, 2])));
create index outbox_attachment_idx on outbox USING btree (attachment_id) WHERE (attachment_id IS NOT NULL);
create index outbox_chat_words_idx on outbox USING gin (chat_words(connection_id, text));
create index outbox_connection_id_idx on outbox USING btree (connection_id) WHERE (ambiguous AND (status = ANY (ARRAY[2, 4])));
create index outbox_connection_id_jid_created_at_id_idx on outbox USING btree (connection_id, jid, created_at, id) WHERE (jid IS NOT NULL);
create index outbox_connection_id_phone_created_at_id_idx on outbox USING btree (connection_id, phone, created_at, id) WHERE (phone IS NOT NULL);
create index outbox_next_idx on outbox USING btree (connection_id, ((origin = 'api'::text)), id) WHERE (status = ANY (ARRAY[0, 1, 2]));
CREATE OR REPLACE FUNCTION public.keep_usage_of_messages()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into direct_message_usage (account_id, day, messages)
  select gone.account_id, (coalesce(gone.at, gone.created_at) at time zone a.time_zone)::date, count(*)
  from gone join account a on a.id = gone.account_id
  where gone.status >= 6
  group by 1, 2
  on conflict (account_id, day) do update set messages = direct_message_usage.messages + excluded.messages;
  return null;
end $function$;
CREATE TRIGGER usage_outlives_messages AFTER DELETE ON public.outbox REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION keep_usage_of_messages();

create table outgoing_webhook_message (
  connection_id bigint not null,
  provider_id text not null,
  phone bigint,
  jid text,
  lid text,
  content bytea not null,
  at timestamp with time zone not null,
  received_at timestamp with time zone not null default now(),
  constraint outgoing_webhook_message_pkey PRIMARY KEY (connection_id, provider_id),
  constraint outgoing_webhook_message_connection_id_fkey FOREIGN KEY (connection_id) REFERENCES connection(id) ON DELETE CASCADE
);
create index outgoing_webhook_message_connection_id_content_idx on outgoing_webhook_message USING btree (connection_id, content);
create index outgoing_webhook_message_received_at_idx on outgoing_webhook_message USING btree (received_at);

create table pending_instance (
  hook_id text not null,
  until timestamp with time zone not null,
  constraint pending_instance_pkey PRIMARY KEY (hook_id)
);

create table person (
  id bigint not null generated always as identity,
  account_id uuid not null,
  phone bigint not null,
  name text not null default ''::text,
  fields jsonb not null default '{}'::jsonb,
  origin text not null,
  origin_import_id bigint,
  origin_row integer,
  origin_by text,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  constraint person_pkey PRIMARY KEY (id),
  constraint person_account_id_phone_key UNIQUE (account_id, phone),
  constraint person_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id) ON DELETE CASCADE,
  constraint person_origin_check CHECK ((origin = ANY (ARRAY['file'::text, 'hand'::text, 'chat'::text, 'api'::text, 'migration'::text])))
);
create index person_account_id_created_at_id_idx on person USING btree (account_id, created_at, id);
create index person_account_id_lower_id_idx on person USING btree (account_id, lower(name), id);
CREATE OR REPLACE FUNCTION public.delete_memberships_of_people()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  with left_lists as (
    delete from membership using gone where membership.person_id = gone.id returning membership.list_id)
  update contact_list l set contacts = l.contacts - n.places
  from (select list_id, count(*) as places from left_lists group by list_id) n where l.id = n.list_id;
  update account_people a set people = a.people - n.people
  from (select account_id, count(*) as people from gone group by account_id) n where a.account_id = n.account_id;
  return null;
end $function$;
CREATE TRIGGER memberships_go_with_their_person AFTER DELETE ON public.person REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION delete_memberships_of_people();

create table provider_message (
  connection_id bigint not null,
  provider_id text not null,
  campaign_id bigint,
  seq integer,
  resend_number smallint,
  outbox_id bigint,
  created_at timestamp with time zone not null default now(),
  part smallint not null default 0,
  constraint provider_message_pkey PRIMARY KEY (connection_id, provider_id),
  constraint provider_message_connection_id_fkey FOREIGN KEY (connection_id) REFERENCES connection(id) ON DELETE CASCADE,
  constraint provider_message_check CHECK (((campaign_id IS NULL) <> (outbox_id IS NULL)))
);
create UNIQUE index provider_message_outbox_id_idx on provider_message USING btree (outbox_id) WHERE (outbox_id IS NOT NULL);
create UNIQUE index provider_message_person_idx on provider_message USING btree (campaign_id, seq, resend_number, part) WHERE (campaign_id IS NOT NULL);

create table rate_limit (
  key text not null,
  points integer not null default 0,
  expire bigint,
  constraint rate_limit_pkey PRIMARY KEY (key)
);

create table receipt_inbox (
  connection_id bigint not null,
  provider_id text not null,
  status text not null,
  code text,
  at timestamp with time zone not null,
  tries smallint not null default 0,
  next_at timestamp with time zone not null default now(),
  received_at timestamp with time zone not null default now(),
  lid text,
  constraint receipt_inbox_pkey PRIMARY KEY (connection_id, provider_id, status),
  constraint receipt_inbox_connection_id_fkey FOREIGN KEY (connection_id) REFERENCES connection(id) ON DELETE CASCADE,
  constraint receipt_inbox_status_check CHECK ((status = ANY (ARRAY['accepted'::text, 'delivered'::text, 'read'::text, 'error'::text])))
);
create index receipt_inbox_connection_id_next_at_idx on receipt_inbox USING btree (connection_id, next_at);

create table received_file (
  message_id bigint not null,
  account_id uuid not null,
  connection_id bigint not null,
  state text not null,
  kind text not null,
  name text not null,
  mime text not null,
  size bigint,
  seconds double precision,
  pages integer,
  source bytea,
  tries smallint not null default 0,
  at timestamp with time zone not null,
  constraint received_file_pkey PRIMARY KEY (message_id),
  constraint received_file_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id) ON DELETE CASCADE,
  constraint received_file_connection_id_fkey FOREIGN KEY (connection_id) REFERENCES connection(id) ON DELETE CASCADE,
  constraint received_file_message_id_fkey FOREIGN KEY (message_id) REFERENCES chat_message(id) ON DELETE CASCADE,
  constraint received_file_kind_check CHECK ((kind = ANY (ARRAY['image'::text, 'video'::text, 'audio'::text, 'voice'::text, 'document'::text, 'sticker'::text]))),
  constraint received_file_state_check CHECK ((state = ANY (ARRAY['coming'::text, 'here'::text, 'expired'::text, 'failed'::text, 'gone'::text, 'too_large'::text, 'no_room'::text, 'disk_full'::text])))
);
create index received_file_account_id_idx on received_file USING btree (account_id);
create index received_file_at_idx on received_file USING btree (at) WHERE (state = 'here'::text);
create index received_file_connection_id_at_idx on received_file USING btree (connection_id, at) WHERE (state = 'coming'::text);

create table schema_migration (
  name text not null,
  sha256 text not null,
  applied_at timestamp with time zone not null default now(),
  constraint schema_migration_pkey PRIMARY KEY (name)
);

create table segment (
  id bigint not null generated always as identity,
  account_id uuid not null,
  name text not null,
  rule jsonb not null,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  constraint segment_pkey PRIMARY KEY (id),
  constraint segment_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id) ON DELETE CASCADE
);
create UNIQUE index segment_account_id_lower_idx on segment USING btree (account_id, lower(name));

create table session (
  id uuid not null default gen_random_uuid(),
  account_id uuid not null,
  token text not null,
  expires_at timestamp with time zone not null,
  ip_address text,
  user_agent text,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  password_proved_at timestamp with time zone,
  constraint session_pkey PRIMARY KEY (id),
  constraint session_token_key UNIQUE (token),
  constraint session_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id) ON DELETE CASCADE
);
create index session_account_id_idx on session USING btree (account_id);

create table setting (
  key text not null,
  value jsonb not null,
  updated_at timestamp with time zone not null default now(),
  constraint setting_pkey PRIMARY KEY (key)
);

create table unread_leaving (
  event_id bigint not null,
  account_id uuid not null,
  address text not null,
  constraint unread_leaving_pkey PRIMARY KEY (account_id, event_id, address),
  constraint unread_leaving_event_id_fkey FOREIGN KEY (event_id) REFERENCES webhook_event(id) ON DELETE CASCADE
);
create index unread_leaving_address_idx on unread_leaving USING btree (account_id, address);
create index unread_leaving_event_id_idx on unread_leaving USING btree (event_id);

create table unrecognized_event (
  id bigint not null generated always as identity,
  connection_id bigint not null,
  reason text not null,
  event text,
  body text not null,
  received_at timestamp with time zone not null default now(),
  constraint unrecognized_event_pkey PRIMARY KEY (id),
  constraint unrecognized_event_connection_id_fkey FOREIGN KEY (connection_id) REFERENCES connection(id) ON DELETE CASCADE,
  constraint unrecognized_event_reason_check CHECK ((reason = ANY (ARRAY['unknown_event'::text, 'malformed'::text, 'foreign_instance'::text])))
);
create index unrecognized_event_connection_id_id_idx on unrecognized_event USING btree (connection_id, id DESC);

create table verification (
  id uuid not null default gen_random_uuid(),
  identifier text not null,
  value text not null,
  expires_at timestamp with time zone not null,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  constraint verification_pkey PRIMARY KEY (id)
);

create table wa_address (
  phone bigint not null,
  jid text,
  lid text,
  checked_at timestamp with time zone not null default now(),
  constraint wa_address_pkey PRIMARY KEY (phone)
);
create index wa_address_jid_idx on wa_address USING btree (jid) WHERE (jid IS NOT NULL);
create index wa_address_lid_idx on wa_address USING btree (lid) WHERE (lid IS NOT NULL);
create index wa_address_phone_idx on wa_address USING btree (phone) WHERE (jid IS NULL);

create table webhook_event (
  id bigint not null generated always as identity,
  connection_id bigint not null,
  key text not null,
  body text storage external not null,
  tries smallint not null default 0,
  not_before timestamp with time zone,
  received_at timestamp with time zone not null default now(),
  account_id uuid not null,
  constraint webhook_event_pkey PRIMARY KEY (id),
  constraint webhook_event_connection_id_key_key UNIQUE (connection_id, key)
);
create index webhook_event_again_idx on webhook_event USING btree (account_id, not_before) WHERE (not_before IS NOT NULL);
create index webhook_event_fresh_idx on webhook_event USING btree (account_id, id) WHERE (not_before IS NULL);

create table webhook_relay (
  id bigint not null generated always as identity,
  connection_id bigint not null,
  key text not null,
  body text storage external,
  tries smallint not null default 0,
  next_at timestamp with time zone not null default now(),
  status integer,
  error text,
  done_at timestamp with time zone,
  created_at timestamp with time zone not null default now(),
  constraint webhook_relay_pkey PRIMARY KEY (id),
  constraint webhook_relay_connection_id_key_key UNIQUE (connection_id, key),
  constraint webhook_relay_connection_id_fkey FOREIGN KEY (connection_id) REFERENCES connection(id) ON DELETE CASCADE
);
create index webhook_relay_next_at_idx on webhook_relay USING btree (next_at) WHERE (done_at IS NULL);
create index webhook_relay_waiting_idx on webhook_relay USING btree (connection_id, next_at, id) WHERE (done_at IS NULL);

create table webhook_state (
  connection_id bigint not null,
  event text not null,
  stamp timestamp with time zone not null,
  body text not null,
  received_at timestamp with time zone not null default now(),
  constraint webhook_state_pkey PRIMARY KEY (connection_id, event)
);

create table worker (
  id uuid not null,
  kinds text[] not null,
  data_folder uuid,
  lease_until timestamp with time zone not null,
  started_at timestamp with time zone not null default now(),
  leaving boolean not null default false,
  constraint worker_pkey PRIMARY KEY (id)
) with (fillfactor=50);
