import { sql } from "kysely";
import { requireRoom } from "../db/account-limits.ts";
import type { Owner } from "../db/owner.ts";

/** Before the call, by the account's day. Throws `limit_reached`. */
export async function countCall(owner: Owner): Promise<void> {
  await owner.db.transaction().execute(async (tx) => {
    await requireRoom(owner.in(tx), "agent_calls_a_day");
    await sql`insert into agent_calls as known (account_id, day, calls)
      select id, (now() at time zone time_zone)::date, 1 from account where id = ${owner.accountId}::uuid
      on conflict (account_id) do update set day = excluded.day,
        calls = case when known.day = excluded.day then known.calls else 0 end + 1`.execute(tx);
  });
}
