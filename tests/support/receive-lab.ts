import { sql } from "kysely";
import { systemClock } from "../../src/server/base/clock.ts";
import type { Assistant } from "../../src/server/chat/assistant.ts";
import { phoneReceipts } from "../../src/server/chat/receipts.ts";
import { messageReceiver, type ReceiveDeps } from "../../src/server/chat/receive.ts";
import type { StoredMessage } from "../../src/server/chat/stored-message.ts";
import type { Db } from "../../src/server/db/client.ts";
import { createSecrets } from "../../src/server/db/secrets.ts";
import { twinsOf } from "../../src/server/gateways/twins.ts";
import { openGuardedFetch } from "../../src/server/net/guarded-fetch.ts";
import { optOutService } from "../../src/server/opt-outs/service.ts";
import type { IncomingFile, IncomingMessage } from "../../src/server/transports/transport.ts";
import { accountRow, connectionRow } from "./campaign-rows.ts";
import { testLog } from "./database.ts";
import { testFiles } from "./file-service.ts";
import { noAssistant } from "./no-assistant.ts";
import { undoForTests } from "./undo.ts";

export const KEY = Buffer.alloc(32, 3);
export const ANA = "5511987654321";
export const ANA_JID = `${ANA}@s.whatsapp.net`;
export const ANA_LID = "70000000000001@lid";
export const GROUP = "120363000000000000@g.us";

let next = 0;
export function incoming(sketch: Partial<IncomingMessage> = {}): IncomingMessage {
  next += 1;
  const ms = Date.now() - 60_000 + next;
  return {
    providerId: `3A${String(next).padStart(18, "0")}`,
    chat: [ANA_JID],
    fromMe: false,
    viaApi: false,
    pushName: null,
    participant: null,
    kind: "text",
    text: `mensagem ${next}`,
    file: null,
    quotedId: null,
    at: new Date(ms % 1_000 === 0 ? ms + 1 : ms),
    ...sketch,
  };
}
export const fileOf = (content: Uint8Array | null, said: Partial<IncomingFile> = {}): IncomingFile => ({
  kind: "image",
  mime: "image/jpeg",
  name: "",
  size: null,
  seconds: null,
  pages: null,
  source: null,
  content,
  ...said,
});

export const fromPhone = (sketch: Partial<IncomingMessage> = {}) => incoming({ fromMe: true, ...sketch });

export async function receiveLab(
  db: Db,
  {
    assistant = {} as Partial<Assistant>,
    storing = async (): Promise<void> => undefined,
    files = testFiles(openGuardedFetch({ privateHosts: new Set() })) as ReceiveDeps["files"],
  } = {},
) {
  const account = await accountRow(db);
  const connectionId = await connectionRow(db, account);
  const texts: StoredMessage[] = [];
  const humans: number[] = [];
  const marks: (number | undefined)[] = [];
  const changes = {
    mark: (_: string, topic: string, id?: number) => void (topic === "chats" && marks.push(id)),
  };
  const receipts = phoneReceipts({ db, changes, messageKey: KEY });
  const secrets = createSecrets(KEY.toString("base64"));
  const receive = messageReceiver({
    db,
    changes,
    receipts,
    messageKey: KEY,
    twinsOf,
    clock: systemClock,
    log: testLog,
    secrets,
    files,
    assistant: {
      ...noAssistant,
      onIncoming: async (batch) => void texts.push(...batch),
      onHuman: async (_, chatId) => void humans.push(chatId),
      ...assistant,
    },
    optOut: async (owner, ...replies) => {
      await storing();
      await optOutService({ changes: { mark: () => undefined }, undo: undoForTests() }).replied(
        owner,
        ...replies,
      );
    },
  });
  const here = { accountId: account, connectionId };
  const chats = async () =>
    (
      await sql<{
        id: number;
        kind: string;
        phone: string | null;
        jid: string | null;
        lid: string | null;
        name: string | null;
        unread: number;
        last: string;
        at: Date;
        paused: Date | null;
      }>`select id, kind, phone::text as phone, jid, lid, push_name as name, unread, last_text as last, last_at as at,
        agent_paused_until as paused from chat where connection_id = ${connectionId} order by id`.execute(db)
    ).rows;
  const messages = async () =>
    (
      await sql<{
        id: number;
        chat: number;
        text: string;
        kind: string;
        from_me: boolean;
        image: number | null;
        participant: string | null;
        participant_name: string | null;
        at: Date;
      }>`select id, chat_id as chat, text, kind, from_me, attachment_id as image, participant, participant_name, at
        from chat_message where connection_id = ${connectionId} order by id`.execute(db)
    ).rows;
  return {
    account,
    secrets,
    connectionId,
    here,
    texts,
    humans,
    marks,
    chats,
    messages,
    receipts,
    receive: (...batch: IncomingMessage[]) => receive(here, batch),
    stored: async () => (await messages()).map(({ text }) => text),
  };
}
