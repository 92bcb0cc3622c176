import { sql } from "kysely";
import { expect, test } from "vitest";
import { testDatabase } from "../../../../tests/support/database.ts";
import { laneLab } from "../../../../tests/support/lane-lab.ts";
import { contentHash } from "../../../domain/content-hash.ts";
import { DELIVERY } from "../../../domain/delivery.ts";
import { LEAVE_HINT } from "../../../domain/leave-hint.ts";
import { encodeMessageId } from "../../../domain/message-id.ts";
import { startNext } from "../campaigns/audience.ts";
import { createResend } from "../campaigns/campaign-status.ts";
import { findCampaignsTo } from "../campaigns/campaigns-to.ts";
import { campaignMessages } from "../campaigns/messages-to.ts";
import { findDoubts } from "../doubts/doubts.ts";
import { contentOf } from "../outbox/content.ts";
import { findOwnOutgoing } from "../receipts/own-messages.ts";

const { db, database } = await testDatabase();
const { arrange } = laneLab({ db, database });
const KEY = Buffer.alloc(32, 3);
const said = (seq: number) => `Oi, Pessoa ${seq}!\n\n${LEAVE_HINT}`;

async function withLine(options: Parameters<typeof arrange>[0]) {
  const it = await arrange({ text: "Oi, {nome}!", ...options });
  await sql`update campaign set leave_hint = true where id = ${it.campaignId}`.execute(db);
  return it;
}

test("the line goes out below each text, stands in the chat and the person's data, is rebuilt, and a resend has it", async () => {
  const it = await withLine({
    people: 2,
    answer: ({ messageId, to }) =>
      to.jid?.startsWith("5511900000001")
        ? { kind: "refused", code: "blocked", passing: false }
        : { kind: "accepted", providerId: messageId, at: Date.now() },
  });
  await it.run();
  await it.finishes();
  expect(it.phone.frames.map(({ text }) => text).toSorted()).toEqual([said(0), said(1)]);

  const { rows: nonces } = await sql<{ nonce: number }>`select nonce from campaign
    where id = ${it.campaignId}`.execute(db);
  const id = encodeMessageId(KEY, { nonce: nonces[0]?.nonce ?? -1, seq: 0, generation: 0 });
  expect(await contentOf(db, KEY, "p1", id)).toMatchObject({ text: said(0) });
  const place = { accountId: it.accountId, connectionId: it.connectionId };
  const chat = await sql`select text from ${campaignMessages(place, "5511900000000")} m`.execute(db);
  const text = `Oi, {nome}!\n\n${LEAVE_HINT}`;
  expect(chat.rows).toEqual([{ text }]);
  expect(await findCampaignsTo(it.owner, "5511900000000", null, 1)).toMatchObject([{ text }]);

  const resend = await createResend(it.owner, it.campaignId);
  await startNext(database);
  const again = await sql`select text, leave_hint from campaign where id = ${resend}`.execute(db);
  expect(again.rows).toEqual([{ text: "Oi, {nome}!", leave_hint: true }]);
});

test("a gateway's message with the line is known as ours, and a doubt is looked for with it", async () => {
  const it = await withLine({ people: 1 });
  await sql`update delivery set status = ${DELIVERY.waiting}, ambiguous = true, at = now()
    where campaign_id = ${it.campaignId}`.execute(db);
  await sql`update campaign set waiting_count = 1, pending_count = 0, cursor = 1 where id = ${it.campaignId}`.execute(
    db,
  );
  const echo = { phone: "5511900000000", jid: null, lid: null, text: said(0) };
  const bare = { ...echo, text: "Oi, Pessoa 0!" };
  expect(await findOwnOutgoing(db, it.connectionId, [echo, bare])).toEqual(new Set([echo]));
  const content = contentHash("text", said(0)).toString("hex");
  expect(await findDoubts(db, it.connectionId)).toMatchObject([{ content }]);
});

test("a picture without a text goes out with the line as its caption", async () => {
  const it = await withLine({ people: 1, text: "" });
  await it.run();
  await it.finishes();
  expect(it.phone.frames.map(({ text }) => text)).toEqual([LEAVE_HINT]);
});
