import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import { beforeEach, expect, test } from "vitest";
import { rememberAddress } from "../../src/server/sending/addresses/addresses.ts";
import { startNext } from "../../src/server/sending/campaigns/audience.ts";
import { storeAccepted } from "../../src/server/sending/receipts/provider-messages.ts";
import { joinReceipts } from "../../src/server/sending/receipts/receipt-inbox.ts";
import { testDatabase } from "../support/database.ts";
import { makeCampaign } from "../support/sending.ts";
import { endState, type MadeInstance, makeInstance, openLab, upsert } from "./lab.ts";

const { db, database } = await testDatabase();
const left: { phone: string; text: string }[] = [];
const { send, settled, hidden } = await openLab(
  { db, database },
  {
    optOut: async (_, ...replies) => void left.push(...replies.map(({ phone, text }) => ({ phone, text }))),
  },
);

const ANA = "5511987650000";
const BIA = "5511987650001";
const JID_OF = (phone: string) => `${phone}@s.whatsapp.net`;
const HIDDEN = "70000000000071@lid";

let instance: MadeInstance;
let campaignId = 0;

beforeEach(async () => {
  left.length = 0;
  instance = await makeInstance(db);
  const { accountId, connectionId } = instance;
  campaignId = await makeCampaign(db, accountId, { people: 2, firstPhone: Number(ANA), connectionId });
  await startNext(database);
  for (const phone of [ANA, BIA]) await lookedUp(phone, null);
});

const lookedUp = (phone: string, lid: string | null) =>
  rememberAddress(db, phone, { jid: JID_OF(phone), lid }, instance.accountId);

const accepted = (seq: number) =>
  storeAccepted(database.prepared, instance.connectionId, [
    { owner: { campaignId, seq, generation: 0 }, providerId: `3EB0${seq}`, at: Date.now() },
  ]);

async function receipt(seq: number, status: string, remoteJid = HIDDEN): Promise<void> {
  const data = { keyId: `3EB0${seq}`, remoteJid, fromMe: true, status, instanceId: "x", messageId: "y" };
  await send(instance, { event: "messages.update", data, date_time: new Date().toISOString() });
  await settled();
}

async function answers(text: string, remoteJid = HIDDEN, at = instance): Promise<void> {
  const key = { remoteJid, fromMe: false, id: randomUUID(), participant: "", addressingMode: "lid" };
  await send(at, upsert(key.id, text, { key }));
  await settled();
}

const chats = async (at = instance) =>
  ((await endState(db, at)).chats as { phone: number | null; lid: string }[]).map(({ phone, lid }) => ({
    phone: phone && String(phone),
    lid,
  }));

test("an answer from a hidden address known by a receipt joins the number's chat, and its opt-out counts", async () => {
  await accepted(0);
  await receipt(0, "DELIVERY_ACK");
  await answers("SAIR");
  expect(await chats()).toEqual([{ phone: ANA, lid: HIDDEN }]);
  expect(left).toEqual([{ phone: ANA, text: "SAIR" }]);
});

test("so it is where the receipt overtakes what it belongs to, and where they wrote before it came", async () => {
  await answers("Parar");
  await receipt(1, "READ");
  expect(left).toEqual([]);
  await accepted(1);
  await joinReceipts(db, instance.connectionId, ["3EB01"], hidden);
  // An opt-out ends it: the next message may belong to the next campaign.
  expect(await chats()).toEqual([{ phone: BIA, lid: HIDDEN }]);
  expect(left).toEqual([{ phone: BIA, text: "Parar" }]);
  await answers("ok?");
  expect(left, "once").toHaveLength(1);
});

test("an opt-out before the receipt that names its writer counts afterwards, at each number of the account", async () => {
  const other = await makeInstance(db, { accountId: instance.accountId });
  await answers("Bom dia", JID_OF(ANA));
  await answers("SAIR");
  await answers("Sair", HIDDEN, other);
  await accepted(0);
  expect(left).toEqual([]);
  await receipt(0, "DELIVERY_ACK");
  expect(left).toEqual([
    { phone: ANA, text: "SAIR" },
    { phone: ANA, text: "Sair" },
  ]);
  expect(await chats()).toEqual([{ phone: ANA, lid: HIDDEN }]);
  expect(await chats(other)).toEqual([{ phone: ANA, lid: HIDDEN }]);
  await receipt(0, "READ");
  await answers("oi");
  expect(left, "once").toHaveLength(2);
});

test("a number that is asked for again keeps it; another address of the number, or another's, changes nothing", async () => {
  await accepted(0);
  await accepted(1);
  // A server acknowledgement does not name the recipient.
  await receipt(0, "SERVER_ACK");
  await answers("oi");
  expect(await chats()).toEqual([{ phone: null, lid: HIDDEN }]);
  await receipt(0, "READ");
  await receipt(1, "READ");
  await lookedUp(ANA, null);
  const known = async () =>
    (
      await sql<{ phone: string; lid: string | null }>`select phone::text as phone, lid from gateway_address
        where account_id = ${instance.accountId}::uuid order by phone`.execute(db)
    ).rows;
  expect(await known()).toEqual([
    { phone: ANA, lid: HIDDEN },
    { phone: BIA, lid: null },
  ]);
  await rememberAddress(db, ANA, { jid: "551187650000@s.whatsapp.net", lid: null }, instance.accountId);
  expect(await known()).toEqual([
    { phone: ANA, lid: null },
    { phone: BIA, lid: null },
  ]);
});
