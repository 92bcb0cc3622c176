import { sql } from "kysely";
import { expect, test } from "vitest";
import { testApi } from "../../../tests/support/api.ts";
import {
  accountRow,
  campaignRow,
  connectionRow,
  imageRow,
  listRow,
  restrictedRow,
} from "../../../tests/support/campaign-rows.ts";
import { testDatabase } from "../../../tests/support/database.ts";
import { scriptedTransport } from "../../../tests/support/scripted-transport.ts";
import type { Campaign, CampaignPage } from "../../contract/campaigns.ts";
import { findOutgoing } from "../files/repo.ts";
import { OutgoingMedia } from "../sending/lane/media.ts";
import { StopError } from "../transports/transport.ts";
import { mountCampaigns } from "./routes.ts";
import { CampaignService } from "./service.ts";

const { db } = await testDatabase();
const clock = { now: () => new Date("2026-11-19T17:00:00Z") };
let drawn = 0;
const campaigns = new CampaignService({ clock, changes: { mark: () => undefined }, random32: () => ++drawn });
const api = testApi(db, (app) => mountCampaigns(app, campaigns));

test("a campaign whose number WhatsApp restricts is not said to be sending, nor when it ends", async () => {
  const account = await accountRow(db);
  const connectionId = await restrictedRow(db, account, new Date("2026-11-20T12:00:00Z"));
  const people = { sent: 1, pending: 9 };
  const id = await campaignRow(db, account, { status: "sending", connectionId, people });
  expect((await api(account)<Campaign>("GET", `/api/campaigns/${id}`)).body).toMatchObject({
    status: "paused",
    cause: "connection",
    connectionCause: "timelocked",
    actions: ["pause", "cancel"],
    causeUntil: "2026-11-20T12:00:00.000Z",
    progress: { endsAt: null, perMinute: null },
  });
  const { body } = await api(account)<CampaignPage>("GET", "/api/campaigns");
  expect(body.summary.endsAt).toBeNull();
});

test.each([
  ["devices_refused", "no image", "paused"],
  ["devices_refused", "an image that WhatsApp has", "paused"],
  ["catching_up", "no image", "paused"],
  ["rate_limited", "no image", "paused"],
  ["not_sending", "an image that WhatsApp has", "paused"],
  ["upload_failed", "no image", "sending"],
  ["upload_failed", "an image", "paused"],
  ["upload_failed", "an image that WhatsApp has", "sending"],
  ["upload_failed", "an image that WhatsApp had of the pairing before", "paused"],
  ["other_number", "an image", "sending"],
])("while its number says %s, a campaign with %s is shown %s", async (cause, what, status) => {
  const account = await accountRow(db);
  const connectionId = await connectionRow(db, account);
  await sql`update connection set state_reason = ${cause}, pairing = 'this' where id = ${connectionId}`.execute(
    db,
  );
  const id = await campaignRow(db, account, {
    status: "sending",
    connectionId,
    people: { sent: 1, pending: 9 },
  });
  if (what !== "no image")
    await sql`update campaign set attachment_id = ${await imageRow(db, account)} where id = ${id}`.execute(
      db,
    );
  if (what.includes("WhatsApp ha"))
    await sql`insert into campaign_upload (campaign_id, pairing, media)
      values (${id}, ${what.includes("before") ? "before" : "this"}, '{}')`.execute(db);
  expect((await api(account)<Campaign>("GET", `/api/campaigns/${id}`)).body).toMatchObject({
    status,
    cause: status === "paused" ? "connection" : null,
    connectionCause: status === "paused" ? cause : null,
  });
  const { body } = await api(account)<CampaignPage>("GET", `/api/campaigns?status=${status}`);
  expect(body.items.map((one) => one.id)).toEqual([id]);
});

test("a campaign over «Conexão padrão» is said to wait from the beginning where that connection sends nothing, confirmed or sent again too", async () => {
  const account = await accountRow(db);
  const listId = await listRow(db, account);
  const input = { name: "Natal", text: "Oi", listId, intent: "create" };
  const missed = { status: "paused", cause: "missed", listId } as const;
  const stateAfter = async (path: string, body?: object) => {
    const { body: answer } = await api(account)<Campaign>("POST", path, body);
    const { status, cause, connectionCause, connectionId, connectionName } = answer;
    expect([connectionId, connectionName]).toEqual([null, null]);
    const found = await api(account)<CampaignPage>("GET", `/api/campaigns?status=${status}`);
    expect(found.body.items.map(({ id }) => id)).toContain(answer.id);
    return [status, cause, connectionCause];
  };
  const all = async () => {
    const confirmed = await campaignRow(db, account, missed);
    await sql`update campaign set started_at = null where id = ${confirmed}`.execute(db);
    const failed = await campaignRow(db, account, { people: { error: 2 } });
    return [
      await stateAfter("/api/campaigns", input),
      await stateAfter(`/api/campaigns/${confirmed}/confirm`),
      await stateAfter(`/api/campaigns/${failed}/resend-failures`),
    ];
  };
  const other = await restrictedRow(db, account);
  expect(await all()).toEqual(Array(3).fill(["paused", "connection", "timelocked"]));
  await sql`update connection set state_reason = null where id = ${other}`.execute(db);
  expect(await all()).toEqual(Array(3).fill(["sending", null, null]));
  const chosen = await connectionRow(db, account, "connecting");
  await sql`update connection set is_default = true, state_reason = 'network' where id = ${chosen}`.execute(
    db,
  );
  expect(await all()).toEqual(Array(3).fill(["paused", "connection", "network"]));
});

test("a campaign waits until its image, perhaps expired at WhatsApp, is uploaded again", async () => {
  const account = await accountRow(db);
  const connectionId = await connectionRow(db, account);
  await sql`update connection set state_reason = 'upload_failed', pairing = 'this' where id = ${connectionId}`.execute(
    db,
  );
  const attachmentId = await imageRow(db, account);
  const people = { sent: 1, pending: 9 };
  const id = await campaignRow(db, account, { status: "sending", connectionId, people });
  await sql`update campaign set attachment_id = ${attachmentId} where id = ${id}`.execute(db);
  await sql`insert into campaign_upload (campaign_id, pairing, media) values (${id}, 'this', '{"day": 1}')`.execute(
    db,
  );
  const taken = { now: false };
  const transport = {
    ...scriptedTransport().transport,
    pairing: () => "this",
    lasts: (media: unknown) => (media as { day: number }).day > 1,
    upload: async () => {
      if (!taken.now) throw new StopError("upload_failed");
      return { day: 9 };
    },
  };
  const tried = () => new OutgoingMedia(db, transport, findOutgoing).ofCampaign({ id, attachmentId });
  const shown = async () => (await api(account)<Campaign>("GET", `/api/campaigns/${id}`)).body.status;
  expect(await shown()).toBe("sending");
  for (const _ of [1, 2]) await expect(tried()).rejects.toThrow();
  expect(await shown()).toBe("paused");
  taken.now = true;
  expect(await Promise.all([tried(), tried()])).toEqual([{ day: 9 }, { day: 9 }]);
  expect(await shown()).toBe("sending");
});
