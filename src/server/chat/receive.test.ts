import { randomBytes } from "node:crypto";
import { sql } from "kysely";
import { expect, test } from "vitest";
import { campaignRow, listRow } from "../../../tests/support/campaign-rows.ts";
import { chatRow, sentRow } from "../../../tests/support/chat-rows.ts";
import { testDatabase } from "../../../tests/support/database.ts";
import {
  ANA,
  ANA_JID,
  ANA_LID,
  fromPhone,
  GROUP,
  incoming,
  KEY,
  receiveLab,
} from "../../../tests/support/receive-lab.ts";
import { untilWaiting } from "../../../tests/support/waiting.ts";
import { encodeMessageId } from "../../domain/message-id.ts";
import { outboxAddress, rememberAddress } from "../sending/addresses/addresses.ts";

const { db } = await testDatabase();
const arrange = (options: Parameters<typeof receiveLab>[1] = {}) => receiveLab(db, options);

test("W14–W15 a message is stored once, however often and in whatever batches it comes @spec 3.7", async () => {
  const { receive, chats, messages } = await arrange();
  const one = incoming({ text: "oi", pushName: "Ana" });
  const two = incoming({ text: "tudo bem?" });
  await receive(two, one, one);
  await receive(one);
  await Promise.all([receive(one, two), receive(two, one), receive(one)]);
  expect(await messages()).toHaveLength(2);
  expect(await chats()).toMatchObject([
    { phone: ANA, jid: ANA_JID, name: "Ana", unread: 2, last: "tudo bem?" },
  ]);
});

test("a person is one chat, by phone, hidden address or both, in any order @spec 7.12", async () => {
  for (const addresses of [
    [[ANA_JID], [ANA_LID, ANA_JID], [ANA_LID]],
    [[ANA_LID], [ANA_JID], [ANA_JID, ANA_LID]],
    [[ANA_JID, ANA_LID], ["551187654321:3@s.whatsapp.net"], ["5511987654321@c.us"]],
  ]) {
    const { receive, chats, messages } = await arrange();
    for (const chat of addresses) await receive(incoming({ chat }));
    expect(await chats()).toMatchObject([{ phone: ANA, lid: ANA_LID, unread: 3 }]);
    const [chat] = await chats();
    expect((await messages()).every((message) => message.chat === chat?.id)).toBe(true);
  }
});

test("two chats that turn out to be one person's become the older one, with everything in it", async () => {
  const merged: number[][] = [];
  const { receive, chats, messages, marks } = await arrange({
    assistant: { chatMerged: async (_, from, into) => void merged.push([from, into]) },
  });
  await receive(incoming({ chat: [ANA_LID], text: "escondida", at: new Date(1_400_000_000_000) }));
  await receive(incoming({ chat: [ANA_JID], text: "com número" }));
  const [first, second] = await chats();
  marks.length = 0;
  await receive(incoming({ chat: [ANA_LID, ANA_JID], text: "ambos", at: new Date(1_300_000_000_000) }));
  expect(await chats()).toMatchObject([
    { id: first?.id, phone: ANA, lid: ANA_LID, unread: 3, last: "com número" },
  ]);
  expect((await messages()).map(({ chat }) => chat)).toEqual([first?.id, first?.id, first?.id]);
  expect(merged).toEqual([[second?.id, first?.id]]);
  expect(marks).toEqual([first?.id]);
});

test("pages hear of two chats that become one by a message that was there already", async () => {
  const { receive, chats, marks } = await arrange();
  const hidden = incoming({ chat: [ANA_LID] });
  await receive(hidden);
  await receive(incoming());
  marks.length = 0;
  await receive({ ...hidden, chat: [ANA_LID, ANA_JID] });
  const [chat, ...others] = await chats();
  expect(others).toEqual([]);
  expect(marks).toEqual([chat?.id]);
});

test("a message that comes late, of those that were read on the phone, leaves nothing unread", async () => {
  const { receive, receipts, chats, here } = await arrange();
  const [first, second, third] = [incoming(), incoming(), incoming()];
  await receive(second);
  await receipts.read(here, [first.providerId, second.providerId]);
  await receive(first);
  expect(await chats()).toMatchObject([{ unread: 0 }]);
  await receive(third);
  expect(await chats()).toMatchObject([{ unread: 1 }]);
});

test("what was read on the phone is read up to there, in each conversation, and what came since stays unread", async () => {
  const { receive, receipts, chats, here, marks } = await arrange();
  const [first, second, third] = [incoming(), incoming(), incoming()];
  const inGroup = incoming({ chat: [GROUP], participant: ANA_JID });
  await receive(third, first, second, inGroup);
  const unread = async () => (await chats()).map((chat) => chat.unread).sort();
  expect(await unread()).toEqual([1, 3]);
  marks.length = 0;
  await receipts.read(here, [second.providerId, "3AUNKNOWN"]);
  expect(await unread()).toEqual([1, 1]);
  expect(marks).toHaveLength(1);
  await receipts.read(here, [first.providerId]);
  expect(marks).toHaveLength(1);
  await receipts.read({ ...here, connectionId: here.connectionId + 1 }, [third.providerId]);
  expect(await unread()).toEqual([1, 1]);
  await receipts.read(here, [inGroup.providerId, third.providerId]);
  expect(await unread()).toEqual([0, 0]);
  await receive(incoming());
  expect(await unread()).toEqual([0, 1]);
});

test("a message that was read on the phone before it could be opened here comes as read, with those before it", async () => {
  const { receive, receipts, chats, here } = await arrange();
  const [first, late] = [incoming(), incoming()];
  await receive(first);
  await receipts.read(here, [late.providerId]);
  expect(await chats()).toMatchObject([{ unread: 1 }]);
  await receive(late);
  expect(await chats()).toMatchObject([{ unread: 0 }]);
  await receive(incoming());
  expect(await chats()).toMatchObject([{ unread: 1 }]);
});

test("what is being stored while the phone tells of a reading stays unread", async () => {
  const first = incoming();
  let reading: Promise<void> | undefined;
  const storing = async () => {
    const { rows } = await sql`select from chat_message where provider_id = ${first.providerId}`.execute(db);
    if (rows.length === 0) return;
    reading = receipts.read(here, [first.providerId]);
    await untilWaiting(db);
  };
  const { receive, receipts, chats, here } = await arrange({ storing });
  await receive(first);
  await receive(incoming());
  await reading;
  expect(await chats()).toMatchObject([{ unread: 1 }]);
});

test("merging two chats keeps what either had: assistant off, the longer pause and the name", async () => {
  const { receive, chats } = await arrange();
  await receive(incoming({ chat: [ANA_LID] }));
  await receive(incoming({ pushName: "Ana" }));
  const [kept, gone] = await chats();
  const paused = new Date("2099-01-01");
  await sql`update chat set agent_off = true, agent_paused_until = ${paused} where id = ${gone?.id}`.execute(
    db,
  );
  await sql`update chat set agent_paused_until = now() where id = ${kept?.id}`.execute(db);
  await receive(incoming({ chat: [ANA_LID, ANA_JID] }));
  expect(await chats()).toMatchObject([{ id: kept?.id, paused, name: "Ana" }]);
  const { rows } = await sql`select agent_off as off from chat where id = ${kept?.id}`.execute(db);
  expect(rows).toEqual([{ off: true }]);
});

test("a hidden address whose number was looked up before belongs to that number's chat", async () => {
  const { receive, chats } = await arrange();
  await sql`insert into wa_address (phone, jid, lid) values (5531987650001, '553187650001@s.whatsapp.net', '73000@lid')`.execute(
    db,
  );
  await receive(incoming({ chat: ["5531987650001@s.whatsapp.net"] }));
  await receive(incoming({ chat: ["73000@lid"] }));
  expect(await chats()).toMatchObject([{ phone: "5531987650001", lid: "73000@lid", unread: 2 }]);
});

test("an address that WhatsApp writes with other digits belongs to the number that was looked up", async () => {
  const { receive, chats, account } = await arrange();
  // Mexico and Argentina: addresses keep a digit the number lacks.
  await sql`insert into wa_address (phone, jid) values (525512345678, '5215512345678@s.whatsapp.net')`.execute(
    db,
  );
  await listRow(db, account, 1);
  await sql`update person set phone = 525512345678 where account_id = ${account}`.execute(db);
  await receive(incoming({ chat: ["5215512345678@s.whatsapp.net"], text: "Sair" }));
  expect(await chats()).toMatchObject([{ phone: "525512345678", jid: "5215512345678@s.whatsapp.net" }]);
  const { rows } =
    await sql`select phone::text as phone from opt_out where account_id = ${account}::uuid`.execute(db);
  expect(rows).toEqual([{ phone: "525512345678" }]);
});

test("a writer is on WhatsApp whatever look-ups said: checked again, a gateway's word only for its account", async () => {
  const { receive, account, connectionId } = await arrange();
  const becomes = (kind: string) =>
    sql`update connection set kind = ${kind} where id = ${connectionId}`.execute(db);
  const books = [account, null];
  for (const book of books) await rememberAddress(db, ANA, null, book);
  const known = () =>
    Promise.all(
      books.map(async (book) => (await outboxAddress(db, { phone: ANA, jid: null }, true, book))?.kind),
    );

  await receive(fromPhone(), incoming({ chat: [GROUP], participant: ANA_JID }));
  expect(await known()).toEqual(["absent", "absent"]);
  await becomes("instance");
  await receive(incoming());
  expect(await known()).toEqual(["unknown", "absent"]);
  await becomes("device");
  await receive(incoming());
  expect(await known()).toEqual(["unknown", "unknown"]);
  const address = { jid: ANA_JID, lid: null };
  for (const book of books) await rememberAddress(db, ANA, address, book);
  await receive(incoming());
  expect(await known()).toEqual(["address", "address"]);
  await sql`delete from wa_address where phone = ${ANA}::bigint`.execute(db);
});

test("another account's look-ups reveal nothing", async () => {
  const [lid, phone] = ["79990@lid", "5511900000000"];
  await sql`insert into wa_address (phone, jid, lid) values (${phone}::bigint, ${`${phone}@s.whatsapp.net`}, ${lid})`.execute(
    db,
  );
  const theirs = await arrange();
  await listRow(db, theirs.account, 1);
  const { receive, chats } = await arrange();
  await receive(incoming({ chat: [lid] }));
  expect(await chats()).toMatchObject([{ phone: null, lid }]);
  await theirs.receive(incoming({ chat: [lid] }));
  expect(await theirs.chats()).toMatchObject([{ phone, lid }]);
});

test.each(["device", "instance"])(
  "own number beside a hidden address names the writer, not the recipient: of the %s",
  async (kind) => {
    const { receive, chats, account, connectionId } = await arrange();
    const { rows } = await sql<{
      own: string;
    }>`select device_id as own from connection where id = ${connectionId}`.execute(db);
    const number = rows[0]?.own ?? "";
    if (kind === "instance") await becomeInstance(account, connectionId, number);
    const own = `${number}@s.whatsapp.net`;
    await receive(
      fromPhone({ chat: ["70000000000001@lid", own] }),
      fromPhone({ chat: ["70000000000002@lid", own] }),
    );
    expect((await chats()).map(({ phone, lid }) => [phone, lid])).toEqual([
      [null, "70000000000001@lid"],
      [null, "70000000000002@lid"],
    ]);
  },
);

async function becomeInstance(account: string, connectionId: number, phone: string): Promise<void> {
  await sql`with
    gateway as (insert into gateway (account_id, name, url, api_key, key_hint)
      values (${account}::uuid, 'Loja', 'http://127.0.0.1:1', '', '') returning id),
    loja as (update connection set kind = 'instance', device_id = 'loja' where id = ${connectionId})
    insert into instance (connection_id, account_id, gateway_id, gateway_url, name, phone, hook_id, hook_secret)
    select ${connectionId}, ${account}::uuid, id, 'http://127.0.0.1:1', 'loja', ${phone}::bigint, 'loja', '' from gateway`.execute(
    db,
  );
}

test("W17 groups keep their id and writers; status updates, channels and nonsense make no chat", async () => {
  const { receive, chats, messages, texts } = await arrange();
  await receive(
    incoming({ chat: [GROUP], participant: ANA_JID, pushName: "Ana", text: "a todos" }),
    incoming({ chat: [GROUP], participant: ANA_LID, pushName: "Bia" }),
    ...["status@broadcast", "123@newsletter", "12@broadcast", "", "x@y", "@lid", "abc@s.whatsapp.net"].map(
      (address) => incoming({ chat: [address] }),
    ),
    incoming({ chat: ["status@broadcast", ANA_JID] }),
    incoming({ chat: [] }),
  );
  expect(await chats()).toMatchObject([{ kind: "group", jid: GROUP, phone: null, name: null, unread: 2 }]);
  expect((await messages()).map((one) => [one.participant, one.participant_name])).toEqual([
    [ANA, "Ana"],
    [ANA_LID, "Bia"],
  ]);
  expect(texts).toEqual([]);
});

test("W12 W18 T10: times that cannot be, HTML, NUL, half characters, marks that turn a line, endless texts", async () => {
  const { receive, chats, messages } = await arrange();
  const before = Date.now();
  const odd = "<img src=x onerror=alert(1)>";
  await receive(
    incoming({ at: new Date(0) }),
    incoming({ at: new Date(Number.NaN) }),
    incoming({ at: new Date("2100-01-01") }),
    incoming({ text: "a\0b\ud800c\r\nd", pushName: `\u202e${odd}\0\n` }),
    incoming({ text: "🐝".repeat(50_000), at: new Date() }),
    incoming({ kind: "moon" as "text" }),
    incoming({ providerId: "com espaço" }),
    incoming({ providerId: "x".repeat(129) }),
    incoming({ providerId: "" }),
  );
  const rows = await messages();
  expect(rows).toHaveLength(6);
  for (const { at } of rows) expect(Math.abs(at.getTime() - before)).toBeLessThan(70_000);
  expect(rows.map(({ text }) => text)).toContain("ab\ufffdc\nd");
  expect(rows.some(({ text }) => text === "🐝".repeat(32_768))).toBe(true);
  expect(rows.some(({ kind }) => kind === "other")).toBe(true);
  expect((await chats())[0]?.name).toBe(odd);
});

test("a time in whole seconds is as late as it can be: an answer stands below what it answers", async () => {
  const { receive, messages } = await arrange();
  const second = Math.floor(Date.now() / 1_000) * 1_000;
  await receive(incoming({ at: new Date(second - 60_000) }), incoming({ at: new Date(second) }));
  const [old, fresh] = (await messages()).map(({ at }) => at.getTime());
  expect(old).toBe(second - 60_000 + 999);
  expect(fresh).toBeGreaterThanOrEqual(second);
  expect(fresh).toBeLessThanOrEqual(Date.now());
});

test("W16 outgoing webhook messages of ours are not stored again; others' with the same ids are", async () => {
  const { receive, stored, account, connectionId } = await arrange();
  const chat = await chatRow(db, { account, connectionId, phone: Number(ANA) });
  const sent = await sentRow(db, chat, { text: "da caixa", status: 6 });
  const { rows } = await sql<{ id: string }>`select message_id as id from outbox where id = ${sent}`.execute(
    db,
  );
  const outboxId = rows[0]?.id ?? "";
  const campaign = await campaignRow(db, account, { connectionId, people: { sent: 1 } });
  const { rows: nonces } = await sql<{
    nonce: number;
  }>`select nonce from campaign where id = ${campaign}`.execute(db);
  const campaignId = encodeMessageId(KEY, { nonce: nonces[0]?.nonce ?? 0, seq: 0, generation: 0 });
  await sql`insert into provider_message (connection_id, provider_id, outbox_id) values (${connectionId}, 'GATEWAY', ${sent})`.execute(
    db,
  );
  await receive(
    fromPhone({ providerId: outboxId, text: "nossa 1" }),
    fromPhone({ providerId: campaignId, text: "nossa 2" }),
    fromPhone({ providerId: "GATEWAY", text: "nossa 3", viaApi: true }),
    fromPhone({ providerId: `3EB0${randomBytes(9).toString("hex").toUpperCase()}`, text: "do WhatsApp Web" }),
    incoming({ providerId: campaignId, text: "de outra pessoa" }),
  );
  expect(await stored()).toEqual(["do WhatsApp Web", "de outra pessoa"]);
});

test("what a gateway tells of before it answers our own send is left out, another program's message is not", async () => {
  const { receive, stored, account, connectionId } = await arrange();
  const first = "5511900000000@s.whatsapp.net";
  await campaignRow(db, account, {
    connectionId,
    status: "sending",
    people: { sending: 1, sent: 1 },
    text: "Oi, {nome}!",
  });
  const chat = await chatRow(db, { account, connectionId, phone: Number(ANA) });
  await sentRow(db, chat, { text: "resposta", status: 1 });
  await receive(
    fromPhone({ viaApi: true, chat: [first], text: "Oi, Pessoa 0!" }),
    fromPhone({ viaApi: true, text: "resposta" }),
    fromPhone({ viaApi: true, chat: [first], text: "Oi, Pessoa 1!" }),
    fromPhone({ viaApi: true, text: "de outro programa" }),
    fromPhone({ text: "resposta" }),
  );
  expect(await stored()).toEqual(["Oi, Pessoa 1!", "de outro programa", "resposta"]);
});

test("many batches at once in several orders, with merging chats: nothing is lost, none waits for ever", async () => {
  const { receive, stored, chats } = await arrange();
  const people = Array.from({ length: 12 }, (_, i) => ({
    jid: `55119${String(60_000_000 + i)}@s.whatsapp.net`,
    lid: `7500${i}@lid`,
  }));
  const all = people.flatMap(({ jid, lid }) => [
    incoming({ chat: [jid] }),
    incoming({ chat: [lid] }),
    incoming({ chat: [lid, jid], text: "ambos" }),
  ]);
  const shuffled = (seed: number) =>
    all
      .map((one, i) => [((i + 1) * seed) % 37, one] as const)
      .toSorted(([a], [b]) => a - b)
      .map(([, one]) => one);
  await Promise.all(
    [5, 7, 11, 13, 17, 19].flatMap((seed) => {
      const batch = shuffled(seed);
      return [receive(...batch.slice(0, 10)), receive(...batch.slice(10, 25)), receive(...batch.slice(25))];
    }),
  );
  expect((await stored()).toSorted()).toEqual(all.map(({ text }) => text).toSorted());
  expect((await chats()).map(({ unread }) => unread)).toEqual(people.map(() => 3));
});
