import { sql } from "kysely";
import type { Owner } from "../db/owner.ts";

const PHONE_LIKE = /^[\d\s().+\-/]+$/;

/**
 * A numeric or used name gets its server's number appended: the REST interface must not take it for a phone.
 */
export async function insertInstanceConnection(tx: Owner, name: string, gatewayId: number): Promise<number> {
  const { rows } = await sql<{ id: number }>`
    insert into connection (account_id, kind, device_id, name, desired, state)
    select ${tx.accountId}::uuid, 'instance',
      case when ${PHONE_LIKE.test(name)} or exists (select 1 from connection where account_id = ${tx.accountId} and device_id = ${name})
        then ${`${name}@${gatewayId}`} else ${name} end,
      ${name}, 'connected', 'connecting'
    returning id`.execute(tx.db);
  const id = rows[0]?.id;
  if (id === undefined) throw new Error("insert answered no row");
  return id;
}
