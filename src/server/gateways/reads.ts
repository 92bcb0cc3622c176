import { sql } from "kysely";

/** SQL: the number of connection `c`, or of its instance `i`. */
export const OWN_PHONE = sql`case c.kind when 'device' then c.device_id else i.phone::text end`;

/**
 * SQL rows `id`, `account_id`, `state`, `phone` of connections that people see. `provided`: not over an
 * account's own server.
 */
export const NUMBERS = sql`(
  select c.id, c.account_id, c.state, g.account_id is null as provided,
    ${OWN_PHONE} as phone
  from connection c left join instance i on i.connection_id = c.id left join gateway g on g.id = i.gateway_id
  where c.desired <> 'removed')`;
