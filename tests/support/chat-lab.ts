import { sql } from "kysely";
import type { z } from "zod";
import type { Chat, ChatMessage } from "../../src/contract/chats.ts";
import { systemClock } from "../../src/server/base/clock.ts";
import type { Assistant } from "../../src/server/chat/assistant.ts";
import { mountChats } from "../../src/server/chat/routes.ts";
import { ChatService } from "../../src/server/chat/service.ts";
import type { Db } from "../../src/server/db/client.ts";
import { openGuardedFetch } from "../../src/server/net/guarded-fetch.ts";
import { testApi } from "./api.ts";
import { accountRow, connectionRow } from "./campaign-rows.ts";
import { testLog } from "./database.ts";
import { testFiles } from "./file-service.ts";
import { noAssistant } from "./no-assistant.ts";

export type ShownChat = z.output<typeof Chat>;
export type ShownMessage = z.output<typeof ChatMessage>;
type List = { chats: ShownChat[]; next: string | null; unread: number };
type Messages = { messages: ShownMessage[]; older: string | null };
export type Refusal = { code: string; fields?: Record<string, string> };

export const ANA = 5_511_987_654_321;

export function chatLab(db: Db) {
  const seen = {
    assistant: { link: null as Awaited<ReturnType<Assistant["linkedTo"]>> },
    humans: [] as number[],
    marks: [] as string[],
  };
  const api = testApi(db, (app) =>
    mountChats(
      app,
      new ChatService({
        clock: systemClock,
        log: testLog,
        changes: { mark: (_, topic, id) => void seen.marks.push(`${topic} ${id}`) },
        files: testFiles(openGuardedFetch({ privateHosts: new Set() })),
        assistant: {
          ...noAssistant,
          linkedTo: async () => seen.assistant.link,
          onHuman: async (_, chatId) => void seen.humans.push(chatId),
        },
      }),
    ),
  );

  return async function arrange() {
    const account = await accountRow(db);
    const connectionId = await connectionRow(db, account);
    const call = api(account);
    const list = async (query = "") =>
      (await call<List>("GET", `/api/chats?connectionId=${connectionId}${query}`)).body;
    const messages = async (chat: number, older?: string | null) =>
      (await call<Messages>("GET", `/api/chats/${chat}/messages${older ? `?older=${older}` : ""}`)).body;
    const send = (chat: number, body: unknown) =>
      call<ShownMessage>("POST", `/api/chats/${chat}/messages`, body);
    const outbox = async () =>
      (
        await sql<{
          phone: string | null;
          jid: string | null;
          text: string;
          origin: string;
          image: number | null;
        }>`
      select phone::text as phone, jid, text, origin, attachment_id as image from outbox where account_id = ${account}::uuid order by id`.execute(
          db,
        )
      ).rows;
    return { ...seen, account, connectionId, call, list, messages, send, outbox };
  };
}
