import { sql } from "kysely";
import { expect, test } from "vitest";
import { testDatabase } from "../../../../tests/support/database.ts";
import { laneLab } from "../../../../tests/support/lane-lab.ts";
import { outgoingFile } from "../../../../tests/support/outgoing-file.ts";
import { scriptedTransport } from "../../../../tests/support/scripted-transport.ts";
import { makeAccount, makeCampaign, makeConnection } from "../../../../tests/support/sending.ts";
import { GATEWAY_BYTES } from "../../../domain/attachment.ts";
import { encodeMessageId } from "../../../domain/message-id.ts";
import { findOutgoing } from "../../files/repo.ts";
import type { OutgoingFile } from "../../transports/transport.ts";
import { OutgoingMedia } from "../lane/media.ts";
import { contentOf } from "./content.ts";

const { db, database } = await testDatabase();
const { arrange } = laneLab({ db, database });
const KEY = Buffer.alloc(32, 3);

async function imageOf(accountId: string, letter = "x"): Promise<number> {
  const { rows } = await sql<{
    id: number;
  }>`insert into attachment (account_id, sha256, kind, name, mime, size, width, height, bytes)
    values (${accountId}::uuid, ${letter}::bytea, 'image', '', 'image/png', 1, 1, 1, ${letter}::bytea) returning id`.execute(
    db,
  );
  return rows[0]?.id ?? 0;
}

const nonceOf = async (campaignId: number) =>
  (await sql<{ nonce: number }>`select nonce from campaign where id = ${campaignId}`.execute(db)).rows[0]
    ?.nonce ?? -1;

test("sent content is rebuilt from its id: text with name, image of this pairing, nothing for others", async () => {
  const it = await arrange({ people: 2, text: "Oi, {nome}!" });
  const nonce = await nonceOf(it.campaignId);
  const id = (generation: number) => encodeMessageId(KEY, { nonce, seq: 1, generation });
  for (const generation of [0, 3]) {
    expect(await contentOf(db, KEY, "p1", id(generation))).toEqual({
      text: "Oi, Pessoa 1!",
      media: null,
      hasAttachment: false,
    });
  }
  expect(
    await contentOf(db, KEY, "p1", encodeMessageId(KEY, { nonce, seq: 2, generation: 0 })),
    "no such person",
  ).toBeNull();
  expect(await contentOf(db, Buffer.alloc(32, 4), "p1", id(0)), "another installation's id").toBeNull();
  expect(await contentOf(db, KEY, "p1", "3EB0000000000000000000")).toBeNull();

  const attachmentId = await imageOf(it.accountId);
  await sql`update campaign set attachment_id = ${attachmentId} where id = ${it.campaignId}`.execute(db);
  expect(await contentOf(db, KEY, "p1", id(0)), "not uploaded").toBeNull();
  await sql`insert into campaign_upload (campaign_id, pairing, media) values (${it.campaignId}, 'p1', '{"ref":1}')`.execute(
    db,
  );
  expect(await contentOf(db, KEY, "p1", id(0))).toEqual({
    text: "Oi, Pessoa 1!",
    media: { ref: 1 },
    hasAttachment: true,
  });
  expect(await contentOf(db, KEY, "p2", id(0)), "paired again").toBeNull();
});

test("each of several messages is rebuilt from its own id and upload", async () => {
  const it = await arrange({ people: 1, text: "Oi, {nome}!", more: 2 });
  const nonce = await nonceOf(it.campaignId);
  const rebuilt = (part: number) =>
    contentOf(db, KEY, "p1", encodeMessageId(KEY, { nonce, seq: 0, generation: 0, part }));
  await sql`insert into campaign_upload (campaign_id, part, pairing, media)
    values (${it.campaignId}, 2, 'p1', '{"ref":2}')`.execute(db);
  expect(await rebuilt(0)).toEqual({ text: "Oi, Pessoa 0!", media: null, hasAttachment: false });
  expect(await rebuilt(1), "not uploaded").toBeNull();
  expect(await rebuilt(2)).toEqual({ text: "", media: { ref: 2 }, hasAttachment: true });
  expect(await rebuilt(3), "no such message").toBeNull();
});

test("MS01 {primeiro_nome} goes out as the first name, and is rebuilt so; in a campaign that started before, literally", async () => {
  const text = "Olá {primeiro_nome}, {nome}!";
  const now = await arrange({ people: 1, text });
  const before = await arrange({ people: 1, text });
  await sql`update delivery set name = 'Ana Rocha'`.execute(db);
  await sql`update campaign set text_version = 1 where id = ${before.campaignId}`.execute(db);
  for (const [it, said] of [
    [now, "Olá Ana, Ana Rocha!"],
    [before, "Olá {primeiro_nome}, Ana Rocha!"],
  ] as const) {
    await it.run();
    await it.finishes();
    expect(it.phone.frames.map((frame) => frame.text)).toEqual([said]);
    const nonce = await nonceOf(it.campaignId);
    const id = encodeMessageId(KEY, { nonce, seq: 0, generation: 0 });
    expect(await contentOf(db, KEY, "p1", id)).toMatchObject({ text: said });
  }
});

test("a file that no gateway takes is refused before its bytes are read", async () => {
  const large: OutgoingFile = outgoingFile(Buffer.alloc(0), {
    size: GATEWAY_BYTES + 1,
    open: () => Promise.reject(new Error("it was read")),
  });
  const files = new OutgoingMedia(db, scriptedTransport().transport, async () => large);
  await expect(files.ofDirect({ id: 1, attachmentId: 1 })).rejects.toMatchObject({
    code: "attachment_too_large",
  });
});

test("a picture outside campaigns is uploaded once: the same id carries the same message, and can be rebuilt", async () => {
  let uploads = 0;
  const it = await arrange({
    people: 1,
    intervalS: 3_600,
    answer: (message, nth) =>
      nth < 3 && message.hasAttachment
        ? { kind: "ambiguous", reason: "no_ack" }
        : { kind: "accepted", providerId: message.messageId, at: Date.now() },
  });
  it.phone.transport.upload = async () => ({ ref: ++uploads });
  const attachmentId = await imageOf(it.accountId);
  await sql`insert into outbox (account_id, connection_id, phone, text, attachment_id, message_id, body_hash)
    values (${it.accountId}::uuid, ${it.connectionId}, 5511988887777, 'Veja', ${attachmentId}, '3EB0DD', '')`.execute(
    db,
  );
  await it.run();
  const own = () => it.phone.frames.filter((frame) => frame.messageId === "3EB0DD");
  await it.until(() => own().length === 3, 500);
  expect(own().map((frame) => frame.media)).toEqual([{ ref: 1 }, { ref: 1 }, { ref: 1 }]);
  expect(await contentOf(db, KEY, "pairing-1", "3EB0DD")).toEqual({
    text: "Veja",
    media: { ref: 1 },
    hasAttachment: true,
  });
  expect(await contentOf(db, KEY, "pairing-2", "3EB0DD")).toBeNull();
});

test("where pictures travel as bytes each message has its own, whichever was sent before", async () => {
  const accountId = await makeAccount(db);
  const id = await makeCampaign(db, accountId, { people: 1, status: "draft" });
  const images = [await imageOf(accountId, "a"), await imageOf(accountId, "b")];
  const pictures = new OutgoingMedia(db, scriptedTransport().transport, findOutgoing);
  const sent: unknown[] = [];
  for (const attachmentId of [...images, ...images]) {
    sent.push(await pictures.ofCampaign({ id, attachmentId }));
    sent.push(await pictures.ofDirect({ id: 1, attachmentId }));
  }
  const [one, two] = ["YQ==", "Yg=="].map((base64) => ({
    kind: "image",
    mime: "image/png",
    name: "",
    base64,
  }));
  expect(sent).toEqual([one, one, two, two, one, one, two, two]);
});

test("a picture outside campaigns is uploaded again for a new pairing, which lacks the former upload", async () => {
  const accountId = await makeAccount(db);
  const connectionId = await makeConnection(db, accountId);
  const attachmentId = await imageOf(accountId);
  const { rows } = await sql<{ id: number }>`insert into outbox
      (account_id, connection_id, phone, text, attachment_id, message_id, body_hash)
    values (${accountId}::uuid, ${connectionId}, 5511988887777, 'Veja', ${attachmentId}, '3EB0EE', '') returning id`.execute(
    db,
  );
  const message = { id: rows[0]?.id ?? 0, attachmentId };
  let uploads = 0;
  const through = (pairing: string) => ({
    ...scriptedTransport().transport,
    pairing: () => pairing,
    upload: async () => ({ ref: ++uploads }),
  });
  expect(await new OutgoingMedia(db, through("former"), findOutgoing).ofDirect(message)).toEqual({ ref: 1 });
  expect(await new OutgoingMedia(db, through("former"), findOutgoing).ofDirect(message)).toEqual({ ref: 1 });
  expect(await new OutgoingMedia(db, through("new"), findOutgoing).ofDirect(message)).toEqual({ ref: 2 });
  expect((await contentOf(db, KEY, "new", "3EB0EE"))?.media).toEqual({ ref: 2 });
  expect(await contentOf(db, KEY, "former", "3EB0EE")).toBeNull();
});

test("messages that want a campaign's image at once share one upload; lanes that do keep one", async () => {
  const accountId = await makeAccount(db);
  const id = await makeCampaign(db, accountId, { people: 1, status: "draft" });
  const attachmentId = await imageOf(accountId);
  let uploads = 0;
  const { transport } = scriptedTransport();
  const both = Promise.withResolvers<void>();
  transport.upload = async () => {
    const ref = ++uploads;
    if (ref === 3) both.resolve();
    if (ref > 1) await both.promise;
    return { ref };
  };
  const pictures = new OutgoingMedia(db, transport, findOutgoing);
  const media = await Promise.all([1, 2, 3].map(() => pictures.ofCampaign({ id, attachmentId })));
  expect([media, uploads]).toEqual([[{ ref: 1 }, { ref: 1 }, { ref: 1 }], 1]);
  await sql`delete from campaign_upload where campaign_id = ${id}`.execute(db);
  const lanes = [1, 2].map(() => new OutgoingMedia(db, transport, findOutgoing));
  const [one, other] = await Promise.all(lanes.map((lane) => lane.ofCampaign({ id, attachmentId })));
  expect([one, uploads]).toEqual([other, 3]);
});

test("a picture is uploaded again once WhatsApp may have dropped it, in a long or stopped campaign", async () => {
  const accountId = await makeAccount(db);
  const connectionId = await makeConnection(db, accountId);
  const id = await makeCampaign(db, accountId, { people: 1, status: "draft" });
  const attachmentId = await imageOf(accountId);
  const { rows } = await sql<{ id: number }>`insert into outbox
      (account_id, connection_id, phone, text, attachment_id, message_id, body_hash)
    values (${accountId}::uuid, ${connectionId}, 5511988887777, 'Veja', ${attachmentId}, '3EB0FF', '') returning id`.execute(
    db,
  );
  let day = 0;
  const transport = {
    ...scriptedTransport().transport,
    upload: async () => ({ day }),
    lasts: (media: unknown) => day - (media as { day: number }).day < 7,
  };
  const pictures = new OutgoingMedia(db, transport, findOutgoing);
  const sent: unknown[] = [];
  for (day of [0, 6, 7, 8, 20]) {
    const [one, other] = await Promise.all([1, 2].map(() => pictures.ofCampaign({ id, attachmentId })));
    expect(other).toEqual(one);
    sent.push([one, await pictures.ofDirect({ id: rows[0]?.id ?? 0, attachmentId })]);
  }
  expect(sent).toEqual([0, 0, 7, 7, 20].map((uploaded) => [{ day: uploaded }, { day: uploaded }]));
});

test("frozen values go out and are rebuilt as sent, although the person's changed since", async () => {
  const it = await arrange({ people: 1, text: "{nome}: {pet}" });
  await sql`update delivery set vars = '{"pet": "Rex"}' where campaign_id = ${it.campaignId}`.execute(db);
  await it.run();
  await it.finishes();
  expect(it.phone.frames.map((frame) => frame.text)).toEqual(["Pessoa 0: Rex"]);
  const id = encodeMessageId(KEY, { nonce: await nonceOf(it.campaignId), seq: 0, generation: 0 });
  expect(await contentOf(db, KEY, "p1", id)).toMatchObject({ text: "Pessoa 0: Rex" });
});
