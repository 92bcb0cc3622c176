import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import { expect, test } from "vitest";
import { twinOf } from "../../../../tests/support/agent-twin.ts";
import { testDatabase } from "../../../../tests/support/database.ts";
import { makeAccount, makeCampaign, makeConnection } from "../../../../tests/support/sending.ts";
import { encodeMessageId } from "../../../domain/message-id.ts";
import { ownerOf } from "../../db/owner.ts";
import { twinsOf } from "../../gateways/twins.ts";
import { startNext } from "../campaigns/audience.ts";
import { cancelCampaign } from "../campaigns/campaign-status.ts";
import { takeTurn } from "../ledger/turn.ts";
import { enqueue } from "../outbox/outbox.ts";
import { acquireConnection } from "../ownership/acquire.ts";
import { findOwnIds, findOwnOutgoing, findTwinIds } from "./own-messages.ts";
import { storeAccepted } from "./provider-messages.ts";

const { db, database } = await testDatabase();
const KEY = Buffer.alloc(32, 7);

test("a message is ours where we sent it; a second link of the number sees it as another's", async () => {
  const accountId = await makeAccount(db);
  const [here, there] = [await makeConnection(db, accountId), await makeConnection(db, accountId)];
  const campaignId = await makeCampaign(db, accountId, { people: 1, connectionId: here });
  await startNext(database);
  const { id } = await enqueue(ownerOf(db, accountId), {
    connectionId: here,
    to: { phone: "5511987654321" },
    text: "Oi",
    attachmentId: null,
    idempotencyKey: null,
    origin: "chat",
  });
  await storeAccepted(database.prepared, here, [
    { owner: { outboxId: id }, providerId: "BAE5AA", at: Date.now() },
  ]);
  const { rows } = await sql<{ nonce: number; single: string }>`select c.nonce, o.message_id as single
    from campaign c, outbox o where c.id = ${campaignId} and o.id = ${id}`.execute(db);
  const ofCampaign = encodeMessageId(KEY, { nonce: rows[0]?.nonce ?? -1, seq: 0, generation: 0 });
  const ours = [ofCampaign, rows[0]?.single ?? "", "BAE5AA"];
  const reported = [...ours, "3EB0TYPED"];
  expect([...(await findOwnIds(db, KEY, here, reported))].toSorted()).toEqual(ours.toSorted());
  expect(await findOwnIds(db, KEY, there, reported)).toEqual(new Set());
  const twin = await twinOf(db, accountId, here);
  expect(await findOwnIds(db, KEY, twin, reported)).toEqual(new Set());
  expect(await findTwinIds(db, KEY, await twinsOf(db, twin), reported)).toEqual(new Set([ofCampaign]));
  expect(await findTwinIds(db, KEY, await twinsOf(db, there), reported)).toEqual(new Set());
});

test("a message in flight at a gateway when its campaign was cancelled is ours, not an answer", async () => {
  const accountId = await makeAccount(db);
  const connectionId = await makeConnection(db, accountId, "instance");
  const campaignId = await makeCampaign(db, accountId, { people: 2, connectionId });
  await startNext(database);
  const fence = (await acquireConnection(db, connectionId, randomUUID(), "resend"))?.fence ?? 0;
  const lane = { connectionId, fence, campaignId, finished: [], lowestInFlightSeq: 0 };
  await takeTurn(database.prepared, { ...lane, want: 1, from: "cursor" });
  await cancelCampaign(ownerOf(db, accountId), campaignId);
  const reported = [0, 1].map((seq) => ({
    phone: `551190000000${seq}`,
    jid: null,
    lid: null,
    text: `Oi, Pessoa ${seq}!`,
  }));
  expect(await findOwnOutgoing(db, connectionId, reported)).toEqual(new Set(reported.slice(0, 1)));
});
