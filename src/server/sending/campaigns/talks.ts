import { sql } from "kysely";
import { DELIVERY } from "../../../domain/delivery.ts";

/** SQL rows `phone`, `last_in_at`, `last_answered_at` of people who wrote or were answered from the phone. */
export const talksOf = (accountId: string) => sql`(
  select phone, max(last_in_at) as last_in_at, max(last_answered_at) as last_answered_at from (
    select case when k.address ~ '^[0-9]+$' then k.address::bigint else coalesce(g.phone, w.phone) end as phone,
      k.last_in_at, k.last_answered_at
    from connection n join known_conversation k on k.connection_id = n.id
      left join gateway_address g on g.account_id = n.account_id and g.lid = k.address
      left join wa_address w on w.lid = k.address
    where n.account_id = ${accountId}::uuid and coalesce(k.last_in_at, k.last_answered_at) is not null) known
  where phone is not null group by phone)`;

/** SQL rows `phone` of people who wrote, or were answered by a human here or on the phone, in the last hours. */
export const talkedSince = (accountId: string, hours: number) => sql`
  select phone from ${talksOf(accountId)} t
  where greatest(last_in_at, last_answered_at) > now() - make_interval(hours => ${hours})
  union select phone from outbox
  where account_id = ${accountId}::uuid and origin = 'chat' and status >= ${DELIVERY.accepted}
    and at > now() - make_interval(hours => ${hours}) and phone is not null`;
