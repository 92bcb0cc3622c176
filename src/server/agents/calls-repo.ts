import { sql } from "kysely";
import { accountRow } from "../db/account.ts";
import { requireRoom } from "../db/account-limits.ts";
import type { Owner } from "../db/owner.ts";
import { CALLS_A_DAY } from "./counts.ts";

/** Before the call, by the account's day. Throws `limit_reached`. */
export async function countCall(owner: Owner): Promise<void> {
  await owner.db.transaction().execute(async (tx) => {
    await requireRoom(owner.in(tx), CALLS_A_DAY);
    await sql`insert into agent_calls as known (account_id, day, calls)
      select a.id, (now() at time zone a.zone)::date, 1 from ${accountRow(owner.accountId)} a
      on conflict (account_id) do update set day = excluded.day,
        calls = case when known.day = excluded.day then known.calls else 0 end + 1`.execute(tx);
  });
}
