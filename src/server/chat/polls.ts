import { sql } from "kysely";
import type { Owner } from "../db/owner.ts";
import type { MessageRow } from "./messages-repo.ts";

/** Null: sealed, shown by the phone alone. */
export type PollVote = { key: string; chosen: string[] | null };

/** The last vote of each voter. */
export async function findVotes(
  { db, accountId }: Owner,
  chatId: number,
  polls: readonly string[],
): Promise<Map<string, PollVote[]>> {
  if (polls.length === 0) return new Map();
  const { rows } = await sql<PollVote>`
    select distinct on (quoted_key, from_me, participant) quoted_key as key, details #> '{vote,chosen}' as chosen
    from chat_message
    where chat_id = ${chatId} and account_id = ${accountId}::uuid and kind = 'vote' and quoted_key = any(${[...polls]})
    order by quoted_key, from_me, participant, at desc, id desc`.execute(db);
  return Map.groupBy(rows, ({ key }) => key);
}

export function pollOf({ details }: MessageRow, votes: readonly PollVote[] = []) {
  if (details === null || !("poll" in details)) return null;
  const { question, options } = details.poll;
  const open = votes.flatMap(({ chosen }) => (chosen === null ? [] : [chosen]));
  return {
    question,
    options: options.map((text) => ({ text, votes: open.filter((chosen) => chosen.includes(text)).length })),
    voters: open.filter((chosen) => chosen.length > 0).length,
    sealed: votes.length - open.length,
  };
}
