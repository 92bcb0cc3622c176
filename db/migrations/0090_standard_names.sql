-- Tables and columns under the field's standard terms (docs/glossary.md). Names alone change: no row is rewritten.
alter table campaign rename column life to status;
alter table campaign rename column cause to pause_reason;
alter table campaign rename column low to lowest_in_flight_seq;
alter table campaign rename column interval_s to interval_seconds;
alter table campaign rename column extra_s to jitter_seconds;
alter table campaign rename column scheduled_wall to scheduled_local;
alter table campaign rename column n_pending to pending_count;
alter table campaign rename column n_sending to sending_count;
alter table campaign rename column n_waiting to waiting_count;
alter table campaign rename column n_skipped to skipped_count;
alter table campaign rename column n_uncertain to uncertain_count;
alter table campaign rename column n_error to error_count;
alter table campaign rename column n_accepted to accepted_count;
alter table campaign rename column n_sent to sent_count;
alter table campaign rename column n_delivered to delivered_count;
alter table campaign rename column n_read to read_count;
alter table campaign rename constraint campaign_life_check to campaign_status_check;
alter table campaign rename constraint campaign_interval_s_check to campaign_interval_seconds_check;
alter table campaign rename constraint campaign_extra_s_check to campaign_jitter_seconds_check;

alter table connection rename column cause to state_reason;
alter table connection rename column cause_until to state_reason_until;

alter table delivery rename column attention to needs_attention;
alter table delivery rename column generation to resend_number;
alter index delivery_campaign_id_attention_seq_idx rename to delivery_campaign_id_needs_attention_seq_idx;
alter table provider_message rename column generation to resend_number;
alter index provider_message_campaign_id_seq_generation_idx rename to provider_message_campaign_id_seq_resend_number_idx;

alter table deed rename to idempotency_key;
alter table idempotency_key rename constraint deed_pkey to idempotency_key_pkey;
alter table idempotency_key rename constraint deed_account_id_fkey to idempotency_key_account_id_fkey;

alter table instance_making rename to pending_instance;
alter table pending_instance rename constraint instance_making_pkey to pending_instance_pkey;

alter table sent_echo rename to outgoing_webhook_message;
alter table outgoing_webhook_message rename constraint sent_echo_pkey to outgoing_webhook_message_pkey;
alter table outgoing_webhook_message rename constraint sent_echo_connection_id_fkey to outgoing_webhook_message_connection_id_fkey;
alter index sent_echo_connection_id_content_idx rename to outgoing_webhook_message_connection_id_content_idx;
alter index sent_echo_received_at_idx rename to outgoing_webhook_message_received_at_idx;

alter table webhook_oddity rename to unrecognized_event;
alter table unrecognized_event rename constraint webhook_oddity_pkey to unrecognized_event_pkey;
alter table unrecognized_event rename constraint webhook_oddity_connection_id_fkey to unrecognized_event_connection_id_fkey;
alter table unrecognized_event rename constraint webhook_oddity_reason_check to unrecognized_event_reason_check;
alter index webhook_oddity_connection_id_id_idx rename to unrecognized_event_connection_id_id_idx;
alter sequence webhook_oddity_id_seq rename to unrecognized_event_id_seq;

alter table single_usage rename to direct_message_usage;
alter table direct_message_usage rename constraint single_usage_pkey to direct_message_usage_pkey;
alter table direct_message_usage rename constraint single_usage_account_id_fkey to direct_message_usage_account_id_fkey;
-- The body of a function names tables as text.
create or replace function keep_usage_of_messages() returns trigger language plpgsql as $$
begin
  insert into direct_message_usage (account_id, day, messages)
  select gone.account_id, (coalesce(gone.at, gone.created_at) at time zone a.time_zone)::date, count(*)
  from gone join account a on a.id = gone.account_id
  where gone.status >= 6
  group by 1, 2
  on conflict (account_id, day) do update set messages = direct_message_usage.messages + excluded.messages;
  return null;
end $$;
