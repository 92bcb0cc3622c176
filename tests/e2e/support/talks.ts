import type { Page } from "@playwright/test";
import { sql } from "kysely";
import type { Db } from "../../../src/server/db/client.ts";
import { chatRow, messageRow } from "../../support/chat-rows.ts";
import { accountOf, heldConnection } from "./product-rows.ts";

const MINUTE = 60_000;

const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * MINUTE);

export async function talk(
  db: Db,
  place: { account: string; connectionId: number },
  person: { name: string; phone: number; texts: readonly string[]; endedMinutesAgo: number; unread?: number },
): Promise<number> {
  const { name, phone, texts, endedMinutesAgo, unread = 0 } = person;
  const lastAt = minutesAgo(endedMinutesAgo);
  const chat = await chatRow(db, { ...place, phone, pushName: name, unread, lastAt });
  for (const [at, text] of texts.entries())
    await messageRow(db, chat, { text, at: new Date(lastAt.getTime() - (texts.length - 1 - at) * MINUTE) });
  await sql`update chat set last_text = ${texts.at(-1) ?? ""} where id = ${chat}`.execute(db);
  return chat;
}

export async function someTalks(db: Db, email: string) {
  const account = await accountOf(db, email);
  const connectionId = await heldConnection(db, account, "connected", "Matriz – Centro");
  const away = await heldConnection(db, account, "disconnected", "Unidade Savassi", "network");
  const here = { account, connectionId };
  const ana = await talk(db, here, {
    name: "Ana Beatriz Rocha",
    phone: 5_531_902_341_187,
    texts: ["Oi! Vale para óculos de sol?", "Passo aí às 17h"],
    endedMinutesAgo: 2,
    unread: 2,
  });
  const bruno = await talk(db, here, {
    name: "Bruno Carvalho",
    phone: 5_531_905_620_001,
    texts: ["QUERO"],
    endedMinutesAgo: 30,
    unread: 1,
  });
  const group = await chatRow(db, {
    ...here,
    kind: "group",
    jid: "120363042198765432@g.us",
    pushName: "Vitrine",
    lastAt: minutesAgo(50),
  });
  const said = await messageRow(db, group, { text: "a vitrine ficou ótima", at: minutesAgo(50) });
  await sql`update chat_message set participant = '5531900000001@s.whatsapp.net', participant_name = 'Lucas' where id = ${said}`.execute(
    db,
  );
  const empty = await chatRow(db, {
    account,
    connectionId: away,
    phone: 5_531_900_000_002,
    pushName: "Rita Moura",
    lastAt: minutesAgo(5),
  });
  return { account, connectionId, away, ana, bruno, group, empty };
}

export const thread = (page: Page, name: string | RegExp) =>
  page.getByRole("navigation", { name: "Conversas" }).getByRole("link", { name });
export const log = (page: Page) => page.getByRole("log", { name: "Mensagens" });
export const field = (page: Page) => page.getByRole("textbox", { name: "Mensagem", exact: true });
