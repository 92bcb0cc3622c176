import { sql } from "kysely";
import type { Db } from "../src/server/db/client.ts";
import { heldConnection } from "../tests/e2e/support/product-rows.ts";
import { campaignRow } from "../tests/support/campaign-rows.ts";
import { longAudience, longChatList, longOptOuts, longTalk } from "../tests/support/long-rows.ts";
import { BENCH_EMAIL } from "./sign-up.ts";

export type FrontRows = { campaignId: number; chatId: number; connectionId: number; listId: number };

export async function writeFrontRows(db: Db, long: number): Promise<FrontRows> {
  const { rows } = await sql<{ id: string }>`select id from account where email = ${BENCH_EMAIL}`.execute(db);
  const account = rows[0]?.id;
  if (!account) throw new Error("the account is not there");
  const connectionId = await heldConnection(db, account, "connected", "Matriz");
  const place = { account, connectionId };
  for (let each = 1; each <= 12; each++) {
    const people = { read: 300 + each, delivered: 40, sent: 20, error: each };
    const id = await campaignRow(db, account, { name: `Campanha ${each}`, connectionId, people });
    await sql`insert into campaign_day (campaign_id, day, accepted, failed, delivered, read, first_at, last_at)
      select ${id}, current_date - n, 40 + 7 * n, n, 35 + 7 * n, 30 + 5 * n, now(), now()
      from generate_series(0, 6) n`.execute(db);
  }
  const { campaignId, listId } = await longAudience(db, place, long);
  await longOptOuts(db, account, long);
  await longChatList(db, place, long);
  const chatId = await longTalk(db, place, long);
  await sql`analyze`.execute(db);
  return { campaignId, chatId, connectionId, listId };
}
