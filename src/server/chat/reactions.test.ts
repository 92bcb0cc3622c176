import { sql } from "kysely";
import { expect, test } from "vitest";
import { campaignRow, listRow } from "../../../tests/support/campaign-rows.ts";
import { pageLab } from "../../../tests/support/chat-page.ts";
import { testDatabase } from "../../../tests/support/database.ts";
import {
  ANA,
  ANA_JID,
  ANA_LID,
  fromPhone,
  GROUP,
  incoming,
  KEY,
} from "../../../tests/support/receive-lab.ts";
import { encodeMessageId } from "../../domain/message-id.ts";
import type { IncomingMessage } from "../transports/transport.ts";
import { personChats } from "./erase.ts";

const { db } = await testDatabase();

const at = (second: number) => new Date(Date.UTC(2026, 10, 28, 10, 0, second, 1));
const reaction = (quotedId: string, text: string, second: number, sketch: Partial<IncomingMessage> = {}) =>
  incoming({ kind: "reaction", text, quotedId, at: at(second), ...sketch });

async function arrange() {
  const lab = await pageLab(db);
  const shown = async () =>
    (await lab.page()).messages.map(({ text, kind, reactions }) => [
      kind === "reaction" ? `line ${text}` : text,
      ...reactions.map(nameOf),
    ]);
  return { ...lab, shown };
}
const nameOf = ({ emoji, fromMe, who }: { emoji: string; fromMe: boolean; who: string | null }) =>
  `${emoji}${fromMe ? " me" : ""}${who === null ? "" : ` ${who}`}`;

test("a reaction is shown on its message, replaced by the next, taken away by an empty one, in any order", async () => {
  const { receive, shown, chats } = await arrange();
  const one = incoming({ text: "chegou?", at: at(1) });
  const thumb = reaction(one.providerId, "👍", 2);
  const heart = reaction(one.providerId, "❤️", 3);
  const own = fromPhone({ kind: "reaction", text: "🙏", quotedId: one.providerId, at: at(4) });
  await receive(thumb, one);
  expect(await shown()).toEqual([["chegou?", "👍"]]);
  expect(await chats()).toMatchObject([{ unread: 1, last: "👍" }]);
  await receive(heart, own);
  await receive(thumb);
  expect(await shown()).toEqual([["chegou?", "❤️", "🙏 me"]]);
  await receive(reaction(one.providerId, "", 6));
  await receive(heart);
  expect(await shown()).toEqual([["chegou?", "🙏 me"]]);
  expect(await chats()).toMatchObject([{ unread: 1, last: "🙏" }]);
  await receive(fromPhone({ kind: "reaction", text: "", quotedId: one.providerId, at: at(7) }));
  expect(await shown()).toEqual([["chegou?"]]);
  expect(await chats()).toMatchObject([{ unread: 1, last: "chegou?", at: at(1) }]);
});

test("in a group each member has one, by name, and none reaches a message of another chat", async () => {
  const { receive, shown, messages } = await arrange();
  const group = { chat: [GROUP] };
  const one = incoming({ ...group, text: "foto", participant: ANA_JID, at: at(1) });
  await receive(one, incoming({ text: "a sós", at: at(1), providerId: "3AALONE" }));
  const of = (emoji: string, phone: string, pushName: string | null, id = one.providerId) =>
    reaction(id, emoji, 2, { ...group, participant: `${phone}@s.whatsapp.net`, pushName });
  await receive(of("😂", "5511911111111", "Bia"), of("😂", "5511922222222", null));
  await receive(of("👀", "5511911111111", "Bia", "3AALONE"));
  expect(await shown()).toEqual([["foto", "😂 Bia", "😂 5511922222222"], ["line 👀"]]);
  const stored = await messages();
  expect(stored.filter(({ kind }) => kind === "reaction")).toMatchObject([{ text: "👀" }]);
});

test("a reaction to a message that is not stored stays a line; one taken away there is nothing", async () => {
  const { receive, shown } = await arrange();
  await receive(reaction("3AUNKNOWN", "👍", 1), reaction("3AUNKNOWN", "", 2));
  expect(await shown()).toEqual([["line 👍"]]);
});

test("what Recado sent is found by WhatsApp's id: a single message, a campaign's, and a gateway's of both", async () => {
  const { receive, shown, chats, messages, account, connectionId } = await arrange();
  const list = await listRow(db, account, 1, "Clientes", Number(ANA));
  const campaign = await campaignRow(db, account, { connectionId, listId: list });
  const { rows } = await sql<{ nonce: number }>`
    update campaign set text = 'promoção', status = 'ended' where id = ${campaign} returning nonce`.execute(
    db,
  );
  await sql`insert into delivery (campaign_id, seq, phone, name, status, at)
    values (${campaign}, 7, ${ANA}::bigint, 'Ana', 8, ${at(0)})`.execute(db);
  const outbox = async (text: string, id: string) =>
    (
      await sql<{ id: number }>`insert into outbox
        (account_id, connection_id, phone, text, message_id, body_hash, status, origin, created_at)
      values (${account}::uuid, ${connectionId}, ${ANA}::bigint, ${text}, ${id}, '', 8, 'chat', ${at(1)}) returning id`.execute(
        db,
      )
    ).rows[0]?.id ?? 0;
  await outbox("pelo aparelho", "3EB0OUTBOX");
  const through = await outbox("pelo gateway", "3EB0OTHER");
  await sql`insert into provider_message (connection_id, provider_id, outbox_id)
    values (${connectionId}, '3EB0GATEWAY', ${through})`.execute(db);
  const sent = encodeMessageId(KEY, { nonce: rows[0]?.nonce ?? 0, seq: 7, generation: 0 });
  await receive(reaction(sent, "🎉", 2), reaction("3EB0OUTBOX", "👍", 3), reaction("3EB0GATEWAY", "👏", 4));
  expect(await shown()).toEqual([
    ["promoção", "🎉"],
    ["pelo aparelho", "👍"],
    ["pelo gateway", "👏"],
  ]);
  expect(await chats()).toMatchObject([{ unread: 0, last: "👏" }]);
  await receive(reaction(sent, "🎈", 5, { chat: ["5511900000009@s.whatsapp.net"] }));
  expect((await chats()).map(({ last }) => last)).toEqual(["👏", "🎈"]);
  expect((await messages()).map(({ text }) => text)).toEqual(["🎈"]);
});

test("merged chats keep their reactions, and an erased person's go, in groups too", async () => {
  const { receive, shown, owner } = await arrange();
  const one = incoming({ chat: [ANA_LID], text: "oi", at: at(1) });
  await receive(one, reaction(one.providerId, "👍", 2, { chat: [ANA_LID] }));
  const group = { chat: [GROUP], participant: ANA_JID };
  const said = incoming({ chat: [GROUP], participant: "5511911111111@s.whatsapp.net", at: at(1) });
  await receive(said, reaction(said.providerId, "😂", 2, group));
  await receive(incoming({ chat: [ANA_JID], at: at(3), text: "de novo" }));
  await receive(incoming({ chat: [ANA_LID, ANA_JID], at: at(4), text: "sou eu" }));
  expect(await shown()).toEqual([["oi", "👍"], ["de novo"], ["sou eu"]]);
  const quoted = { kind: "text", text: "palavra dela", participant: ANA_JID } as const;
  const participant = "5511911111111@s.whatsapp.net";
  await receive(incoming({ chat: [GROUP], participant, quotedId: "3AGONE", quoted, text: "responde" }));
  await personChats.erase(owner, { phone: ANA, addresses: [ANA_JID, ANA_LID] });
  const { rows } =
    await sql`select emoji from message_reaction where account_id = ${owner.accountId}::uuid`.execute(db);
  expect(rows).toEqual([]);
  const left = await sql`select quoted from chat_message
    where account_id = ${owner.accountId}::uuid and text = 'responde'`.execute(db);
  expect(left.rows).toEqual([{ quoted: null }]);
});
