import { sql } from "kysely";
import type { Db } from "../../src/server/db/client.ts";
import { campaignRow, listRow } from "./campaign-rows.ts";
import { chatRow } from "./chat-rows.ts";

export type Place = { account: string; connectionId: number };

export async function longAudience(db: Db, { account, connectionId }: Place, people: number) {
  const listId = await listRow(db, account, people, "Clientes de todas as lojas");
  const campaignId = await campaignRow(db, account, {
    name: "Inverno",
    connectionId,
    listId,
    people: {
      read: people - 2 * Math.floor(people / 10),
      delivered: Math.floor(people / 10),
      sent: Math.floor(people / 10),
    },
  });
  return { listId, campaignId };
}

export async function longOptOuts(db: Db, account: string, people: number): Promise<void> {
  await sql`insert into opt_out (account_id, phone, source, created_at)
    select ${account}::uuid, 5511900000000 + n, 'manual', now() - n * interval '1 second'
    from generate_series(0, ${people}::int - 1) n`.execute(db);
}

export async function longChatList(db: Db, { account, connectionId }: Place, chats: number): Promise<void> {
  await sql`insert into chat (account_id, connection_id, kind, phone, push_name, last_text, last_at)
    select ${account}::uuid, ${connectionId}, 'person', 5521900000000 + n, 'Conversa ' || n, 'Mensagem ' || n,
      now() - n * interval '1 minute'
    from generate_series(0, ${chats}::int - 1) n`.execute(db);
}

export async function longTalk(db: Db, { account, connectionId }: Place, messages: number): Promise<number> {
  const chat = await chatRow(db, { account, connectionId, phone: 5_511_987_654_321, pushName: "Ana Rocha" });
  await sql`insert into chat_message (chat_id, account_id, connection_id, provider_id, from_me, status, text, at)
    select ${chat}, ${account}::uuid, ${connectionId}, 'long-' || n, n % 3 = 0, case when n % 3 = 0 then 8 end,
      'Mensagem ' || n || repeat(E'\nmais uma linha', n % 4), now() - n * interval '1 minute'
    from generate_series(0, ${messages}::int - 1) n`.execute(db);
  return chat;
}
