import fc from "fast-check";
import { sql } from "kysely";
import sharp from "sharp";
import { expect, test } from "vitest";
import { CODE_POINT } from "../../../tests/support/code-point.ts";
import { testDatabase, testLog } from "../../../tests/support/database.ts";
import { noAssistant } from "../../../tests/support/no-assistant.ts";
import {
  ANA,
  ANA_JID,
  ANA_LID,
  fileOf,
  fromPhone,
  GROUP,
  incoming,
  KEY,
  receiveLab,
} from "../../../tests/support/receive-lab.ts";
import { DELIVERY } from "../../domain/delivery.ts";
import { systemClock } from "../base/clock.ts";
import { messageReceiver } from "./receive.ts";

const { db } = await testDatabase();
const arrange = (options: Parameters<typeof receiveLab>[1] = {}) => receiveLab(db, options);

test("unread counts others' messages since the last phone answer; reactions and old messages change nothing", async () => {
  const { receive, chats } = await arrange();
  const at = (s: number) => new Date(1_700_000_000_000 + s * 1_000);
  await receive(incoming({ at: at(1) }), incoming({ at: at(2) }));
  expect((await chats())[0]?.unread).toBe(2);
  await receive(fromPhone({ at: at(3), text: "respondi" }), incoming({ at: at(4), text: "obrigada" }));
  expect(await chats()).toMatchObject([{ unread: 1, last: "obrigada" }]);
  await receive(fromPhone({ at: at(0), text: "antiga" }), incoming({ at: at(1), text: "antiga também" }));
  expect(await chats()).toMatchObject([{ unread: 1, last: "obrigada" }]);
  await receive(incoming({ at: at(9), kind: "reaction", text: "👍" }));
  expect(await chats()).toMatchObject([{ unread: 1, last: "👍" }]);
  await receive(
    fromPhone({ at: at(10), kind: "reaction", text: "❤️" }),
    fromPhone({ at: at(11), viaApi: true, text: "lembrete" }),
  );
  expect(await chats()).toMatchObject([{ unread: 1, last: "lembrete" }]);
});

test("what was read here stays read, whatever comes late from before it", async () => {
  const { receive, chats, connectionId } = await arrange();
  const at = (s: number) => new Date(1_700_000_000_000 + s * 1_000);
  await receive(incoming({ at: at(10) }));
  await sql`update chat set unread = 0 where connection_id = ${connectionId}`.execute(db);
  await receive(incoming({ at: at(1) }), fromPhone({ at: at(2) }));
  expect(await chats()).toMatchObject([{ unread: 0 }]);
});

test("a push name comes from what others wrote, never from our own messages or a group", async () => {
  const { receive, chats } = await arrange();
  await receive(fromPhone({ pushName: "Ótica Horizonte" }));
  expect((await chats())[0]?.name).toBeNull();
  await receive(incoming({ pushName: "Ana" }), incoming({ pushName: null }));
  await receive(fromPhone({ pushName: "Ótica Horizonte" }));
  expect((await chats())[0]?.name).toBe("Ana");
});

test("W13 a picture is re-encoded; what is no picture is a document; one that comes late joins its message", async () => {
  const { receive, messages, account } = await arrange();
  const picture = await sharp({ create: { width: 40, height: 30, channels: 3, background: "#0a0" } })
    .withExif({ IFD0: { Copyright: "Maria" } })
    .jpeg()
    .toBuffer();
  const good = incoming({ kind: "image", text: "a vitrine", file: fileOf(picture) });
  const later = incoming({ kind: "image", text: "chega depois", file: fileOf(null) });
  await receive(
    good,
    later,
    incoming({ kind: "image", text: "estragada", file: fileOf(picture.subarray(0, 200)) }),
    incoming({ kind: "image", text: "nenhuma", file: fileOf(Buffer.from("<svg onload=alert(1)>")) }),
    incoming({ kind: "image", text: "vazia", file: fileOf(Buffer.alloc(0)) }),
  );
  expect((await messages()).map(({ text, image }) => [text, image !== null])).toEqual([
    ["a vitrine", true],
    ["chega depois", false],
    ["estragada", true],
    ["nenhuma", true],
    ["vazia", false],
  ]);
  await receive({ ...later, file: fileOf(picture) });
  await receive({ ...good });
  const rows = await messages();
  expect(rows[1]?.image).toBe(rows[0]?.image);
  const [first, second] = [incoming({ kind: "image" }), incoming({ kind: "image" })];
  const file = fileOf(picture);
  await receive(first, { ...first, file }, { ...second, file }, second);
  expect((await messages()).slice(-2).map(({ image }) => image)).toEqual([rows[0]?.image, rows[0]?.image]);
  const { rows: kept } = await sql<{ kind: string; name: string; width: number | null }>`
    select kind, name, width from attachment where account_id = ${account}::uuid order by id`.execute(db);
  expect(kept).toEqual([
    { kind: "image", name: "", width: 40 },
    { kind: "document", name: "whatsapp.jpg", width: null },
    { kind: "document", name: "whatsapp", width: null },
  ]);
});

test("no one attaches an image to another person's message by reusing its id", async () => {
  const { receive, messages } = await arrange();
  const inGroup = incoming({ chat: [GROUP], participant: ANA_JID, kind: "image", text: "de Ana" });
  await receive(inGroup);
  const { providerId } = inGroup;
  const picture = await sharp({ create: { width: 8, height: 8, channels: 3, background: "#0a0" } })
    .jpeg()
    .toBuffer();
  const mallory = {
    providerId,
    chat: ["5521999990000@s.whatsapp.net"],
    kind: "image" as const,
    file: fileOf(picture),
  };
  await receive(incoming(mallory));
  expect((await messages()).map(({ image }) => image)).toEqual([null]);
  await receive({ ...inGroup, file: fileOf(picture) });
  expect((await messages()).map(({ image }) => image !== null)).toEqual([true]);
  const ours = fromPhone({ kind: "image", text: "nossa" });
  await receive(ours);
  await receive(incoming({ ...mallory, chat: [ANA_JID], providerId: ours.providerId }));
  expect((await messages()).map(({ image }) => image !== null)).toEqual([true, false]);
});

test("only its writer may edit a message, and only an existing one", async () => {
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
  await receive(incoming({ edits: mine.providerId, text: "amanhã cedo" }));
  expect([(await stored())[0], (await chats())[0]?.last]).toEqual(["amanhã cedo", "alheia 3"]);
});

test("a correction that comes together with what it corrects is none of its own, in whichever order", async () => {
  for (const order of [1, -1]) {
    const { receive, stored, chats, account } = await arrange();
    const typo = incoming({ text: "asir" });
    const correction = incoming({ edits: typo.providerId, text: "SAIR", at: typo.at });
    await receive(...(order === 1 ? [typo, correction] : [correction, typo]));
    expect(await stored()).toEqual(["SAIR"]);
    expect(await chats()).toMatchObject([{ last: "SAIR", unread: 1 }]);
    const left = await sql`select text from opt_out where account_id = ${account}::uuid`.execute(db);
    expect(left.rows).toEqual([{ text: "SAIR" }]);
  }
});

test("a correction of what never came is heard like any other message", async () => {
  const { receive, account, texts, stored } = await arrange();
  await receive(incoming({ edits: "NEVER1", text: "Qual o preço?" }));
  await receive(incoming({ edits: "NEVER2", text: "SAIR" }));
  expect(await stored()).toEqual(["Qual o preço?", "SAIR"]);
  expect(texts.map(({ text }) => text)).toEqual(["Qual o preço?"]);
  const left =
    await sql`select phone::text as phone from opt_out where account_id = ${account}::uuid`.execute(db);
  expect(left.rows).toEqual([{ phone: ANA }]);
});

test("who corrects what they wrote into a word of leaving leaves", async () => {
  const { receive, account, texts } = await arrange();
  const typo = incoming({ text: "asir" });
  const ours = fromPhone({ text: "oi" });
  await receive(typo, ours);
  texts.length = 0;
  const correction = incoming({ edits: typo.providerId, text: "SAIR" });
  await receive(correction);
  await receive(correction);
  await receive(fromPhone({ edits: ours.providerId, text: "SAIR", chat: ["5511955551111@s.whatsapp.net"] }));
  const left =
    await sql`select phone::text as phone, text from opt_out where account_id = ${account}::uuid`.execute(db);
  expect(left.rows).toEqual([{ phone: ANA, text: "SAIR" }]);
  const confirmations = await sql`select origin from outbox where account_id = ${account}::uuid`.execute(db);
  expect(confirmations.rows).toEqual([{ origin: "opt_out" }]);
  expect(texts).toEqual([]);
});

test("a repeated edit undoes no later decision and triggers no refetch", async () => {
  const { receive, account, stored, marks } = await arrange();
  const typo = incoming({ text: "asir" });
  await receive(typo);
  const correction = { ...typo, edits: typo.providerId, text: "SAIR" };
  await receive(correction);
  await sql`delete from opt_out where account_id = ${account}::uuid`.execute(db);
  marks.length = 0;
  await receive(correction);
  const left = await sql`select from opt_out where account_id = ${account}::uuid`.execute(db);
  expect([left.rows, marks, await stored()]).toEqual([[], [], ["SAIR"]]);
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
  const confirmations = await sql<{
    origin: string;
    phone: string;
  }>`select origin, phone::text as phone from outbox
    where account_id = ${account}::uuid`.execute(db);
  expect(confirmations.rows).toEqual([{ origin: "opt_out", phone: "5511955550000" }]);
  expect(texts.map(({ text }) => text)).toEqual(["oi", "quero sair com vocês"]);
  await sql`delete from opt_out where account_id = ${account}::uuid`.execute(db);
  await receive(leave);
  const after = await sql`select 1 from opt_out where account_id = ${account}::uuid`.execute(db);
  expect(after.rows).toEqual([]);
});

test("a message to the writer's own list is shown, not answered; a word of leaving counts there", async () => {
  const { receive, account, texts } = await arrange();
  const menu = incoming({ text: "Cardápio de hoje", toMany: true });
  await receive(menu, incoming({ text: "Vai querer?" }));
  expect(texts.map(({ text }) => text)).toEqual(["Vai querer?"]);
  await receive(incoming({ edits: menu.providerId, text: "Cardápio de amanhã", toMany: true }));
  expect(texts).toHaveLength(1);
  await receive(incoming({ text: "SAIR", toMany: true }));
  const left = await sql`select from opt_out where account_id = ${account}::uuid`.execute(db);
  expect(left.rows).toHaveLength(1);
});

test("an opt-out under a hidden address applies as soon as the number is known", async () => {
  const { receive, account } = await arrange();
  const phones = ["5511955551111", "5511955552222"];
  const [hers, his] = phones.map((phone) => `${phone}@s.whatsapp.net`);
  const left = async () => {
    const { rows } = await sql<{ phone: string; text: string; confirmations: number }>`
      select phone::text as phone, text, (select count(*)::int from outbox b where b.account_id = o.account_id and b.phone = o.phone) as confirmations
      from opt_out o where account_id = ${account}::uuid order by phone`.execute(db);
    return rows;
  };
  await receive(incoming({ chat: [his ?? ""], text: "PARAR" }));
  await sql`delete from opt_out where account_id = ${account}::uuid`.execute(db);
  await receive(
    incoming({ chat: ["75001@lid"], text: "Sair!" }),
    incoming({ chat: ["75001@lid"], text: "obrigada" }),
  );
  await receive(
    incoming({ chat: ["75002@lid"], text: "quero parar com isso" }),
    fromPhone({ chat: ["75002@lid"], text: "Sair" }),
  );
  expect(await left()).toEqual([]);
  await receive(
    incoming({ chat: [hers ?? "", "75001@lid"], text: "oi" }),
    incoming({ chat: [his ?? "", "75002@lid"], text: "oi" }),
  );
  const gone = [{ phone: phones[0], text: "Sair!", confirmations: 1 }];
  expect(await left()).toEqual(gone);
  await receive(incoming({ chat: [hers ?? "", "75001@lid"], text: "ainda?" }));
  expect(await left()).toEqual(gone);
});

test("nothing of a batch is stored when the opt-out in it cannot be", async () => {
  const { receive, stored, chats, account, connectionId, here, secrets } = await arrange();
  await sql`insert into opt_out (account_id, phone, source) select ${account}::uuid, 0, 'manual'`.execute(db);
  const broken = messageReceiver({
    db,
    messageKey: KEY,
    twinsOf: async () => [],
    log: testLog,
    clock: systemClock,
    assistant: noAssistant,
    changes: { mark: () => undefined },
    receipts: { arrived: async () => undefined },
    files: { storeReceived: async () => 0 },
    secrets,
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
  await receive(fromPhone({ at: new Date(at.getTime() - 60_000) }));
  expect((await chats())[0]?.paused).toEqual(chat?.paused);
});

test("a receipt that overtakes the message it is about waits for it", async () => {
  const { receive, receipts, connectionId } = await arrange();
  const [early, other] = [fromPhone(), fromPhone()];
  const at = new Date();
  const { providerId: messageId } = early;
  await receipts.record(connectionId, [{ messageId, status: "read", at }]);
  await receipts.record(connectionId, [{ messageId, status: "delivered", at }]);
  await receipts.record(connectionId + 1, [{ messageId: other.providerId, status: "read", at }]);
  await receive(early, other);
  const { rows } = await sql<{ status: number }>`select status from chat_message
    where connection_id = ${connectionId} order by id`.execute(db);
  expect(rows.map(({ status }) => status)).toEqual([DELIVERY.read, DELIVERY.sent]);
});

test("whatever a stranger's program sends is taken: a message that could not be would hold up all others", async () => {
  const { receive } = await arrange();
  const text = fc.oneof(
    fc.string({ unit: CODE_POINT, maxLength: 60 }),
    fc.constantFrom("", "\0", "\ud800", "SAIR"),
  );
  const address = fc.oneof(
    text,
    fc.constantFrom(
      ANA_JID,
      ANA_LID,
      GROUP,
      "0@s.whatsapp.net",
      "000@hosted",
      "999999999999999@s.whatsapp.net",
    ),
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
    file: fc.option(fc.uint8Array({ maxLength: 50 }).map((content) => fileOf(content))),
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
  const { receive, here, connectionId, stored, secrets } = await arrange();
  const other = await arrange();
  await messageReceiver({
    db,
    messageKey: KEY,
    twinsOf: async () => [],
    log: testLog,
    clock: systemClock,
    assistant: noAssistant,
    changes: { mark: () => undefined },
    receipts: { arrived: async () => undefined },
    files: { storeReceived: async () => 0 },
    secrets,
    optOut: async () => undefined,
  })({ accountId: other.account, connectionId }, [incoming()]);
  expect(await stored()).toEqual([]);
  await sql`delete from connection where id = ${here.connectionId}`.execute(db);
  await receive(incoming());
  expect(await stored()).toEqual([]);
});
