import { sql } from "kysely";

/**
 * SQL rows `id`, `account_id`, `state`, `phone` of connections that people see. `provided`: not over an
 * account's own server.
 */
export const NUMBERS = sql`(
  select c.id, c.account_id, c.state, g.account_id is null as provided,
    case c.kind when 'device' then c.device_id else i.phone::text end as phone
  from connection c left join instance i on i.connection_id = c.id left join gateway g on g.id = i.gateway_id
  where c.desired <> 'removed')`;
