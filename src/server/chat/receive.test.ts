import { randomBytes } from "node:crypto";
import fc from "fast-check";
import { sql } from "kysely";
import sharp from "sharp";
import { expect, test } from "vitest";
import { accountRow, campaignRow, connectionRow } from "../../../tests/support/campaign-rows.ts";
import { chatRow, sentRow } from "../../../tests/support/chat-rows.ts";
import { testDatabase, testLog } from "../../../tests/support/database.ts";
import { encodeMessageId } from "../../domain/message-id.ts";
import { systemClock } from "../clock.ts";
import { fileService } from "../files/service.ts";
import { openGuardedFetch } from "../net/guarded-fetch.ts";
import { optOutService } from "../opt-outs/service.ts";
import type { IncomingMessage } from "../transports/transport.ts";
import { type Assistant, noAssistant } from "./assistant.ts";
import { phoneReceipts } from "./receipts.ts";
import { messageReceiver } from "./receive.ts";
import type { StoredMessage } from "./stored-message.ts";

const { db } = await testDatabase();
const KEY = Buffer.alloc(32, 3);
const ANA = "5511987654321";
const ANA_JID = `${ANA}@s.whatsapp.net`;
const ANA_LID = "70000000000001@lid";
const GROUP = "120363000000000000@g.us";

let next = 0;
function incoming(sketch: Partial<IncomingMessage> = {}): IncomingMessage {
  next += 1;
  return {
    providerId: `3A${String(next).padStart(18, "0")}`,
    chat: [ANA_JID],
    fromMe: false,
    viaApi: false,
    pushName: null,
    participant: null,
    kind: "text",
    text: `mensagem ${next}`,
    image: null,
    quotedId: null,
    at: new Date(Date.now() - 60_000 + next),
    ...sketch,
  };
}
const fromPhone = (sketch: Partial<IncomingMessage> = {}) => incoming({ fromMe: true, ...sketch });

async function arrange({ assistant = {} as Partial<Assistant> } = {}) {
  const account = await accountRow(db);
  const connectionId = await connectionRow(db, account);
  const texts: StoredMessage[] = [];
  const humans: number[] = [];
  const marks: (number | undefined)[] = [];
  const changes = {
    mark: (_: string, topic: string, id?: number) => void (topic === "chats" && marks.push(id)),
  };
  const receipts = phoneReceipts({ db, changes, messageKey: KEY });
  const receive = messageReceiver({
    ...{ db, changes, receipts, messageKey: KEY },
    clock: systemClock,
    log: testLog,
    files: fileService({ guardedFetch: openGuardedFetch({ privateHosts: new Set() }) }),
    assistant: {
      ...noAssistant,
      onIncoming: async (batch) => void texts.push(...batch),
      onHuman: async (_, chatId) => void humans.push(chatId),
      ...assistant,
    },
    optOut: (owner, reply) => optOutService({ changes: { mark: () => undefined } }).replied(owner, reply),
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
      }>`select id, chat_id as chat, text, kind, from_me, image_id as image, participant, participant_name, at
        from chat_message where connection_id = ${connectionId} order by id`.execute(db)
    ).rows;
  return {
    ...{ account, connectionId, here, texts, humans, marks, chats, messages, receipts },
    receive: (...batch: IncomingMessage[]) => receive(here, batch),
    stored: async () => (await messages()).map(({ text }) => text),
  };
}

test("W14–W15 a message is stored once, however often and in whatever batches it comes", async () => {
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

test("a person is one chat, by phone, hidden address or both, in any order", async () => {
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

test("a hidden address whose number was looked up before belongs to that number's chat", async () => {
  const { receive, chats } = await arrange();
  await sql`insert into wa_address (phone, jid, lid) values (5531987650001, '553187650001@s.whatsapp.net', '73000@lid')`.execute(
    db,
  );
  await receive(incoming({ chat: ["5531987650001@s.whatsapp.net"] }));
  await receive(incoming({ chat: ["73000@lid"] }));
  expect(await chats()).toMatchObject([{ phone: "5531987650001", lid: "73000@lid", unread: 2 }]);
});

test("our own number beside a hidden address says who wrote, not to whom", async () => {
  const { receive, chats, connectionId } = await arrange();
  const { rows } = await sql<{
    own: string;
  }>`select device_id as own from connection where id = ${connectionId}`.execute(db);
  const own = `${rows[0]?.own}@s.whatsapp.net`;
  await receive(
    fromPhone({ chat: ["70000000000001@lid", own] }),
    fromPhone({ chat: ["70000000000002@lid", own] }),
  );
  expect((await chats()).map(({ phone, lid }) => [phone, lid])).toEqual([
    [null, "70000000000001@lid"],
    [null, "70000000000002@lid"],
  ]);
});

test("W17 groups are kept by their id, with who wrote; status updates, channels and nonsense are nobody's chat", async () => {
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
  // Groups are not answered.
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
    incoming({ kind: "poll" as "text" }),
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

test("W16 our own messages told back are not stored again; others with the ids of ours are", async () => {
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
    // The id of nothing of ours, though of the same make.
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
    life: "sending",
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
    // Typed on the phone with the same words: that is theirs.
    fromPhone({ text: "resposta" }),
  );
  expect(await stored()).toEqual(["Oi, Pessoa 1!", "de outro programa", "resposta"]);
});

test("unread counts what others wrote since somebody answered on the phone; reactions and old messages do not disturb", async () => {
  const { receive, chats } = await arrange();
  const at = (s: number) => new Date(1_700_000_000_000 + s * 1_000);
  await receive(incoming({ at: at(1) }), incoming({ at: at(2) }));
  expect((await chats())[0]?.unread).toBe(2);
  await receive(fromPhone({ at: at(3), text: "respondi" }), incoming({ at: at(4), text: "obrigada" }));
  expect(await chats()).toMatchObject([{ unread: 1, last: "obrigada" }]);
  // Late ones: from before the answer, and so read.
  await receive(fromPhone({ at: at(0), text: "antiga" }), incoming({ at: at(1), text: "antiga também" }));
  expect(await chats()).toMatchObject([{ unread: 1, last: "obrigada" }]);
  await receive(incoming({ at: at(9), kind: "reaction", text: "👍" }));
  expect(await chats()).toMatchObject([{ unread: 1, last: "👍" }]);
});

test("a push name comes from what others wrote, never from our own messages or a group", async () => {
  const { receive, chats } = await arrange();
  await receive(fromPhone({ pushName: "Ótica Horizonte" }));
  expect((await chats())[0]?.name).toBeNull();
  await receive(incoming({ pushName: "Ana" }), incoming({ pushName: null }));
  await receive(fromPhone({ pushName: "Ótica Horizonte" }));
  expect((await chats())[0]?.name).toBe("Ana");
});

test("W13 a picture is encoded anew; one that is none, too large or brought later leaves its message as it is", async () => {
  const { receive, messages, account } = await arrange();
  const picture = await sharp({ create: { width: 40, height: 30, channels: 3, background: "#0a0" } })
    .withExif({ IFD0: { Copyright: "Maria" } })
    .jpeg()
    .toBuffer();
  const good = incoming({ kind: "image", text: "a vitrine", image: picture });
  const later = incoming({ kind: "image", text: "chega depois" });
  await receive(
    good,
    later,
    incoming({ kind: "image", text: "estragada", image: picture.subarray(0, 200) }),
    incoming({ kind: "image", text: "nenhuma", image: Buffer.from("<svg onload=alert(1)>") }),
    incoming({ kind: "image", text: "grande", image: Buffer.alloc(9 * 1024 * 1024, 1) }),
  );
  expect((await messages()).map(({ text, image, kind }) => [text, image !== null, kind])).toEqual([
    ["a vitrine", true, "image"],
    ["chega depois", false, "image"],
    ["estragada", false, "image"],
    ["nenhuma", false, "image"],
    ["grande", false, "image"],
  ]);
  await receive({ ...later, image: picture });
  await receive({ ...good });
  const rows = await messages();
  expect(rows[1]?.image).toBe(rows[0]?.image);
  const { rows: kept } = await sql<{
    bytes: Buffer;
  }>`select bytes from image where account_id = ${account}::uuid`.execute(db);
  expect(kept).toHaveLength(1);
  expect(kept[0]?.bytes.includes("Maria")).toBe(false);
});

test("who wrote a message may change it; nobody else, and nothing that is not there", async () => {
  const { receive, stored, chats } = await arrange();
  const mine = incoming({ text: "amanha" });
  const inGroup = incoming({ chat: [GROUP], participant: ANA_JID, text: "no grupo" });
  await receive(mine, inGroup);
  await receive(incoming({ edits: mine.providerId, text: "amanhã" }));
  await receive(incoming({ edits: mine.providerId, text: "alheia", chat: ["5511911112222@s.whatsapp.net"] }));
  await receive(
    incoming({ edits: inGroup.providerId, text: "alheia 2", chat: [GROUP], participant: ANA_LID }),
  );
  await receive(fromPhone({ edits: mine.providerId, text: "alheia 3" }));
  expect(await stored()).toEqual(["amanhã", "no grupo", "alheia", "alheia 2", "alheia 3"]);
  expect((await chats())[0]?.last).toBe("alheia 3");
});

test("a reply of leaving suppresses its writer, is confirmed once, and no assistant answers it", async () => {
  const { receive, account, texts } = await arrange();
  const leave = incoming({ text: " Sair! ", chat: ["74000@lid"] });
  await receive(incoming({ chat: ["5511955550000@s.whatsapp.net", "74000@lid"], text: "oi" }));
  await Promise.all([receive(leave), receive(leave)]);
  await receive(incoming({ chat: ["5511955550000@s.whatsapp.net"], text: "quero sair com vocês" }));
  await receive(
    incoming({ chat: [GROUP], participant: ANA_JID, text: "SAIR" }),
    fromPhone({ text: "SAIR" }),
    incoming({ text: "PARAR", kind: "reaction" }),
  );
  const left = await sql<{ phone: string; text: string }>`select phone::text as phone, text from opt_out
    where account_id = ${account}::uuid`.execute(db);
  expect(left.rows).toEqual([{ phone: "5511955550000", text: " Sair! " }]);
  const told = await sql<{ origin: string; phone: string }>`select origin, phone::text as phone from outbox
    where account_id = ${account}::uuid`.execute(db);
  expect(told.rows).toEqual([{ origin: "opt_out", phone: "5511955550000" }]);
  expect(texts.map(({ text }) => text)).toEqual(["oi", "quero sair com vocês"]);
  // Taken back by hand; the same reply told once more is no new one.
  await sql`delete from opt_out where account_id = ${account}::uuid`.execute(db);
  await receive(leave);
  const after = await sql`select 1 from opt_out where account_id = ${account}::uuid`.execute(db);
  expect(after.rows).toEqual([]);
});

test("nothing of a batch is stored when the opt-out in it cannot be", async () => {
  const { receive, stored, chats, account, connectionId, here } = await arrange();
  await sql`insert into opt_out (account_id, phone, source) select ${account}::uuid, 0, 'manual'`.execute(db);
  const broken = messageReceiver({
    ...{ db, messageKey: KEY, log: testLog, clock: systemClock, assistant: noAssistant },
    changes: { mark: () => undefined },
    receipts: { arrived: async () => undefined },
    files: { keepReceived: async () => null },
    optOut: async () => {
      throw new Error("the database is away");
    },
  });
  const leave = incoming({ text: "SAIR" });
  await expect(broken(here, [incoming(), leave])).rejects.toThrow("away");
  expect([await stored(), await chats()]).toEqual([[], []]);
  await receive(leave);
  const left = await sql`select 1 from opt_out where connection_id = ${connectionId}`.execute(db);
  expect(left.rows).toHaveLength(1);
});

test("the assistant hears of texts in direct chats, again if they come again, with the same row", async () => {
  const { receive, texts, messages } = await arrange();
  const one = incoming({ text: "Qual o preço?" });
  await receive(one, incoming({ kind: "audio", text: "" }), fromPhone({ text: "eu" }));
  await receive(one);
  const [row] = await messages();
  expect(texts.map(({ id, text, phone }) => [id, text, phone])).toEqual([
    [row?.id, "Qual o preço?", ANA],
    [row?.id, "Qual o preço?", ANA],
  ]);
});

test("an answer on the phone silences the assistant from then on for its pause; one from long ago does not", async () => {
  const { receive, chats, humans } = await arrange({
    assistant: { linkedTo: async () => ({ name: "Robô", active: true, pauseMinutes: 30 }) },
  });
  await receive(incoming());
  await receive(fromPhone({ at: new Date(Date.now() - 40 * 60_000) }));
  expect((await chats())[0]?.paused).toBeNull();
  const at = new Date(Math.floor(Date.now() / 1_000) * 1_000 - 10 * 60_000 + 1);
  await receive(fromPhone({ at }), fromPhone({ viaApi: true, text: "de outro programa" }));
  const [chat] = await chats();
  expect(chat?.paused).toEqual(new Date(at.getTime() + 30 * 60_000));
  expect(humans).toEqual([chat?.id, chat?.id]);
});

test("a receipt that overtakes the message it is about waits for it", async () => {
  const { receive, receipts, connectionId } = await arrange();
  const [early, other] = [fromPhone(), fromPhone()];
  const at = new Date();
  const { providerId: messageId } = early;
  await receipts.told(connectionId, [{ messageId, status: "read", at }]);
  await receipts.told(connectionId, [{ messageId, status: "delivered", at }]);
  await receipts.told(connectionId + 1, [{ messageId: other.providerId, status: "read", at }]);
  await receive(early, other);
  const { rows } = await sql<{ status: number }>`select status from chat_message
    where connection_id = ${connectionId} order by id`.execute(db);
  expect(rows.map(({ status }) => status)).toEqual([8, 6]);
});

test("whatever a stranger's program sends is taken: a message that could not be would hold up all others", async () => {
  const { receive } = await arrange();
  const text = fc.oneof(
    fc.string({ unit: "binary", maxLength: 60 }),
    fc.constantFrom("", "\0", "\ud800", "SAIR"),
  );
  const address = fc.oneof(
    text,
    fc.constantFrom(ANA_JID, ANA_LID, GROUP, "0@s.whatsapp.net", "999999999999999@s.whatsapp.net"),
    fc.stringMatching(/^[0-9a-z:.]{1,22}@(lid|c\.us|g\.us|s\.whatsapp\.net|hosted|broadcast)$/),
  );
  const odd = fc.record({
    providerId: fc.oneof(text, fc.stringMatching(/^[!-~]{1,140}$/)),
    chat: fc.array(address, { maxLength: 4 }),
    fromMe: fc.boolean(),
    viaApi: fc.boolean(),
    pushName: fc.option(text),
    participant: fc.option(address),
    kind: fc.oneof(
      fc.constantFrom("text" as const, "image" as const, "reaction" as const),
      text as fc.Arbitrary<"text">,
    ),
    text,
    image: fc.option(fc.uint8Array({ maxLength: 50 })),
    quotedId: fc.option(text),
    edits: fc.option(text),
    at: fc.date({ noInvalidDate: false }),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(odd, { maxLength: 6 }), async (batch) => receive(...batch)),
    { numRuns: 200 },
  );
});

test("a connection that is gone takes nothing, and another account's neither", async () => {
  const { receive, here, connectionId, stored } = await arrange();
  const other = await arrange();
  await messageReceiver({
    ...{ db, messageKey: KEY, log: testLog, clock: systemClock, assistant: noAssistant },
    changes: { mark: () => undefined },
    receipts: { arrived: async () => undefined },
    files: { keepReceived: async () => null },
    optOut: async () => undefined,
  })({ accountId: other.account, connectionId }, [incoming()]);
  expect(await stored()).toEqual([]);
  await sql`delete from connection where id = ${here.connectionId}`.execute(db);
  await receive(incoming());
  expect(await stored()).toEqual([]);
});

test("many batches at once, in several orders, with chats that merge on the way: nothing is lost and nobody waits for ever", async () => {
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
