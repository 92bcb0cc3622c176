import { sql } from "kysely";
import { expect, test } from "vitest";
import { pageLab } from "../../../tests/support/chat-page.ts";
import { sentRow } from "../../../tests/support/chat-rows.ts";
import { testDatabase } from "../../../tests/support/database.ts";
import { ANA_JID, ANA_LID, GROUP, incoming } from "../../../tests/support/receive-lab.ts";
import type { IncomingMessage, QuotedPart } from "../transports/transport.ts";

const { db } = await testDatabase();

async function arrange() {
  const lab = await pageLab(db);
  const quotes = async () => (await lab.page()).messages.map(({ text, quoted }) => [text, quoted]);
  return { ...lab, quotes };
}

const copy = (sketch: Partial<QuotedPart> = {}): QuotedPart => ({
  kind: "text",
  text: "o que o WhatsApp diz",
  participant: ANA_JID,
  ...sketch,
});
const answer = (quotedId: string, sketch: Partial<IncomingMessage> = {}) =>
  incoming({ text: "sim", quotedId, quoted: copy(), ...sketch });

test("an answer shows the stored message, not what its writer claims was said, also if both come together", async () => {
  const { receive, quotes, messages } = await arrange();
  const one = incoming({ text: "fecha às 18h?" });
  await receive(answer(one.providerId), one);
  const [stored] = (await messages()).filter(({ text }) => text === one.text);
  const quoted = {
    key: `m${stored?.id}`,
    fromMe: false,
    who: null,
    kind: "text",
    text: one.text,
    attachment: null,
  };
  expect(new Map((await quotes()) as [string, unknown][]).get("sim")).toEqual(quoted);
});

test("without the stored one it shows what WhatsApp sends along, by its writer, and nothing of another chat", async () => {
  const { receive, quotes, connectionId } = await arrange();
  const { rows } = await sql<{
    own: string;
  }>`select device_id as own from connection where id = ${connectionId}`.execute(db);
  const me = `${rows[0]?.own}@s.whatsapp.net`;
  const elsewhere = incoming({ chat: ["5511900000009@s.whatsapp.net"], text: "de outra conversa" });
  const from = { key: null, attachment: null, kind: "text", text: "o que o WhatsApp diz", who: null };
  await receive(answer("3AGONE", { text: "1" }));
  await receive(elsewhere);
  await receive(answer("3AGONE", { text: "2", quoted: copy({ participant: me, kind: "image", text: "" }) }));
  await receive(answer("3AGONE", { text: "3", quoted: copy({ participant: ANA_LID }) }));
  await receive(answer(elsewhere.providerId, { text: "4", quoted: null }));
  expect(await quotes()).toEqual([
    ["1", { ...from, fromMe: false }],
    ["2", { ...from, fromMe: true, kind: "image", text: "" }],
    ["3", { ...from, fromMe: null }],
    ["4", { ...from, fromMe: null, kind: "other", text: "" }],
  ]);
});

test("in a group the quoted one names its writer", async () => {
  const { receive, quotes } = await arrange();
  await receive(answer("3AGONE", { chat: [GROUP], participant: "5511911111111@s.whatsapp.net" }));
  expect(await quotes()).toMatchObject([["sim", { fromMe: false, who: "5511987654321", key: null }]]);
});

test("what Recado sent is quoted by its key, beyond the page too", async () => {
  const { receive, page, chats } = await arrange();
  await receive(incoming({ text: "oi", at: new Date(Date.now() - 3_600_000) }));
  const [chat] = await chats();
  const sent = await sentRow(db, chat?.id ?? 0, {
    text: "promoção",
    status: 8,
    at: new Date(Date.now() - 3_000_000),
  });
  await sql`update outbox set message_id = '3EB0SENT' where id = ${sent}`.execute(db);
  await receive(...Array.from({ length: 100 }, () => incoming()), answer("3EB0SENT", { at: new Date() }));
  const { messages, older } = await page();
  expect(messages.some(({ key }) => key === `o${sent}`)).toBe(false);
  expect(messages.at(-1)?.quoted).toMatchObject({ key: `o${sent}`, fromMe: true, text: "promoção" });
  expect((await page(older ?? "")).messages.some(({ key }) => key === `o${sent}`)).toBe(true);
});
