import { sql } from "kysely";
import { expect, test } from "vitest";
import { pageLab } from "../../../tests/support/chat-page.ts";
import { sentRow } from "../../../tests/support/chat-rows.ts";
import { testDatabase } from "../../../tests/support/database.ts";
import { ANA_JID, ANA_LID, fromPhone, GROUP, incoming } from "../../../tests/support/receive-lab.ts";
import type { IncomingMessage } from "../transports/transport.ts";

const { db } = await testDatabase();

const deletion = (deletes: string, sketch: Partial<IncomingMessage> = {}) =>
  incoming({ kind: "other", text: "", deletes, ...sketch });

async function arrange() {
  const lab = await pageLab(db);
  const shown = async () =>
    (await lab.page()).messages.map(({ text, edited, deletedBy }) =>
      [text, edited && "edited", deletedBy].filter(Boolean).join(" / "),
    );
  return { ...lab, shown };
}

test("a deleted message is marked, once, and what it said stays; it is nothing new and no talk", async () => {
  const { receive, shown, chats, texts, marks } = await arrange();
  const one = incoming({ text: "preço errado" });
  await receive(deletion(one.providerId), one);
  texts.length = 0;
  marks.length = 0;
  await receive(deletion(one.providerId));
  expect(await shown()).toEqual(["preço errado / writer"]);
  expect(await chats()).toMatchObject([{ unread: 1, last: "preço errado", at: one.at }]);
  expect([texts, marks]).toEqual([[], []]);
});

test("an id that is not stored, of another chat or of the other side deletes nothing and makes no chat", async () => {
  const { receive, shown, chats } = await arrange();
  const one = incoming({ text: "oi" });
  const own = fromPhone({ text: "olá" });
  await receive(one, own, deletion("3AUNKNOWN"));
  await receive(deletion(own.providerId), { ...deletion(one.providerId), fromMe: true });
  await receive(deletion(one.providerId, { chat: ["5511900000009@s.whatsapp.net"] }));
  expect(await shown()).toEqual(["oi", "olá"]);
  expect(await chats()).toHaveLength(1);
});

test("in a group a member deletes their own, an administrator any", async () => {
  const { receive, shown } = await arrange();
  const bia = { chat: [GROUP], participant: "5511911111111@s.whatsapp.net" };
  const ana = { chat: [GROUP], participant: ANA_JID };
  const own = incoming({ ...bia, text: "da Bia" });
  const other = incoming({ ...ana, text: "da Ana" });
  const ours = fromPhone({ chat: [GROUP], text: "nossa" });
  await receive(own, other, ours);
  await receive(...[own, other, ours].map(({ providerId }) => deletion(providerId, bia)));
  expect(await shown()).toEqual(["da Bia / writer", "da Ana / admin", "nossa / admin"]);
});

test("what Recado sent is marked when the phone deletes it, and stays marked when chats merge", async () => {
  const { receive, shown, chats } = await arrange();
  await receive(incoming({ chat: [ANA_LID], text: "escondida" }));
  await receive(incoming({ text: "com número" }));
  const [, chat] = await chats();
  const sent = await sentRow(db, chat?.id ?? 0, { text: "promoção", status: 8 });
  await sql`update outbox set message_id = '3EB0DELETED' where id = ${sent}`.execute(db);
  await receive(deletion("3EB0DELETED"));
  await receive(deletion("3EB0DELETED", { fromMe: true }));
  await receive(incoming({ chat: [ANA_LID, ANA_JID], text: "ambos" }));
  expect((await shown()).toSorted()).toEqual(["ambos", "com número", "escondida", "promoção / writer"]);
});

test("an edited message says so, also one whose first text never came", async () => {
  const { receive, shown } = await arrange();
  const one = incoming({ text: "R$ 10" });
  await receive(one, incoming({ text: "oi" }));
  await receive(incoming({ edits: one.providerId, text: "R$ 100" }));
  await receive(incoming({ edits: "3AUNKNOWN", text: "corrigida" }));
  expect(await shown()).toEqual(["R$ 100 / edited", "oi", "corrigida / edited"]);
});
