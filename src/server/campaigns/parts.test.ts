import { sql } from "kysely";
import { beforeEach, expect, test } from "vitest";
import { testApi } from "../../../tests/support/api.ts";
import {
  accountRow,
  campaignRow,
  connectionRow,
  imageRow,
  listRow,
  partsLeft,
} from "../../../tests/support/campaign-rows.ts";
import { testDatabase } from "../../../tests/support/database.ts";
import { memoryStore } from "../../../tests/support/memory-store.ts";
import type { Campaign, DeliveryPage } from "../../contract/campaigns.ts";
import type { ErrorAnswer } from "../../contract/error-messages.ts";
import { applyMigrations, readMigrations } from "../db/migrate.ts";
import { ownerOf } from "../db/owner.ts";
import { deleteUnused } from "../files/repo.ts";
import { accountSendingOf, campaignsOf } from "../sending/sending.ts";
import { mountCampaigns } from "./routes.ts";
import { CampaignService } from "./service.ts";

const { db } = await testDatabase();
let nonce = 0;
const api = testApi(db, (app) =>
  mountCampaigns(
    app,
    new CampaignService({
      clock: { now: () => new Date() },
      changes: { mark: () => undefined },
      random32: () => ++nonce,
    }),
  ),
);

let account = "";
let listId = 0;
beforeEach(async () => {
  account = await accountRow(db);
  listId = await listRow(db, account);
});

const draft = (over: object = {}) => ({ name: "Natal", text: "Oi", listId, intent: "draft", ...over });
const call = <T = Campaign>(method: "GET" | "POST" | "PUT" | "DELETE", path: string, body?: object) =>
  api(account)<T>(method, path, body);
const idsOf = ({ attachment, moreAttachments }: Campaign) => [
  attachment?.id,
  ...moreAttachments.map(({ id }) => id),
];

async function withFiles(count: number) {
  const files: number[] = [];
  for (let nth = 0; nth < count; nth++) files.push(await imageRow(db, account));
  const [attachmentId, ...moreAttachmentIds] = files;
  const { body } = await call("POST", "/api/campaigns", draft({ attachmentId, moreAttachmentIds }));
  return { files, body };
}

test("a campaign keeps up to five files in order; a change replaces them all", async () => {
  const { files, body } = await withFiles(5);
  expect(idsOf(body)).toEqual(files);
  const [first, second, third] = files;
  const changed = await call(
    "PUT",
    `/api/campaigns/${body.id}`,
    draft({ attachmentId: third, moreAttachmentIds: [first, second] }),
  );
  expect(idsOf(changed.body)).toEqual([third, first, second]);
  const alone = await call("PUT", `/api/campaigns/${body.id}`, draft({ attachmentId: second }));
  expect(idsOf(alone.body)).toEqual([second]);
  const { status } = await call("POST", "/api/campaigns", draft({ moreAttachmentIds: files }));
  expect(status).toBe(422);
});

test("text may stand before files as a message of its own; the same file may come twice", async () => {
  const file = await imageRow(db, account);
  const { body } = await call("POST", "/api/campaigns", draft({ moreAttachmentIds: [file, file] }));
  expect(idsOf(body)).toEqual([undefined, file, file]);
});

test("another account's file is not found, wherever it stands", async () => {
  const stranger = await imageRow(db, await accountRow(db));
  const own = await imageRow(db, account);
  const answer = await call<ErrorAnswer>(
    "POST",
    "/api/campaigns",
    draft({ attachmentId: own, moreAttachmentIds: [own, stranger] }),
  );
  expect([answer.status, answer.body.details]).toEqual([404, { field: "moreAttachmentIds" }]);
});

test("files of a campaign's messages stay, and go with its draft", async () => {
  const { files, body } = await withFiles(3);
  await sql`update attachment set created_at = now() - interval '30 days'`.execute(db);
  const kept = async () => {
    await deleteUnused(db, memoryStore());
    const { rows } = await sql<{
      id: number;
    }>`select id from attachment where account_id = ${account}::uuid order by id`.execute(db);
    return rows.map(({ id }) => id);
  };
  expect(await kept()).toEqual(files);
  await call("DELETE", `/api/campaigns/${body.id}`);
  expect(await kept()).toEqual([]);
});

async function sentToSome() {
  const campaign = await campaignRow(db, account, {
    connectionId: await connectionRow(db, account),
    people: { sent: 1, error: 2 },
  });
  await partsLeft(db, { campaign, seq: 1, parts: 3, left: 1 });
  await sql`insert into campaign_part (campaign_id, part, attachment_id)
    select ${campaign}, n, ${await imageRow(db, account)} from generate_series(1, 2) n`.execute(db);
  return campaign;
}

test("people show how many messages left; a resend leaves out who got some, and says so", async () => {
  const campaign = await sentToSome();
  const { body: page } = await call<DeliveryPage>("GET", `/api/campaigns/${campaign}/deliveries`);
  const shown = page.items.map(({ status, messages, unfinished }) => [status, messages, unfinished]);
  expect(shown).toContainEqual(["sent", { sent: 3, all: 3 }, false]);
  expect(shown).toContainEqual(["error", { sent: 1, all: 3 }, true]);
  expect(shown).toContainEqual(["error", { sent: 0, all: 3 }, false]);
  const { body } = await call("GET", `/api/campaigns/${campaign}`);
  expect([body.counts.errors, body.resendable, body.unfinished]).toEqual([2, 1, 1]);
  const { body: csv } = await call<string>("GET", `/api/campaigns/${campaign}/deliveries.csv`);
  expect(String(csv)).toContain("1 de 3");
});

test("the month counts every message, also after the campaign was deleted; its files are free", async () => {
  const campaign = await sentToSome();
  await sql`insert into campaign_day (campaign_id, day, accepted) values (${campaign}, now(), 4)
    on conflict (campaign_id, day) do update set accepted = 4, unconfirmed = 0`.execute(db);
  const owner = ownerOf(db, account);
  const month = async () =>
    (await accountSendingOf(owner).usage("America/Sao_Paulo", new Date())).months[0]?.campaigns;
  expect(await month()).toBe(12);
  await campaignsOf(owner).delete(campaign);
  expect(await month()).toBe(12);
  const { rows } = await sql`select from campaign_part where campaign_id = ${campaign}`.execute(db);
  expect(rows).toEqual([]);
});

test("campaigns, uploads and ids of the version before are of one message", async () => {
  const old = await testDatabase({ empty: true });
  const migrations = readMigrations();
  const apply = (which: typeof migrations) =>
    old.db.transaction().execute((tx) => applyMigrations(tx, which));
  await apply(migrations.filter(({ name }) => name < "0119"));
  const owner = await accountRow(old.db);
  const connection = await connectionRow(old.db, owner);
  const campaign = await campaignRow(old.db, owner, { people: { sent: 1 } });
  await sql`insert into campaign_upload (campaign_id, pairing, media) values (${campaign}, 'p', '{"ref": 1}')`.execute(
    old.db,
  );
  await sql`insert into provider_message (connection_id, provider_id, campaign_id, seq, resend_number)
    values (${connection}, 'A', ${campaign}, 0, 0)`.execute(old.db);
  await apply(migrations.filter(({ name }) => name >= "0119"));
  const { rows } = await sql`select c.parts, u.part as uploaded, u.media, p.part as given
    from campaign c join campaign_upload u on u.campaign_id = c.id join provider_message p on p.campaign_id = c.id`.execute(
    old.db,
  );
  expect(rows).toEqual([{ parts: 1, uploaded: 0, media: { ref: 1 }, given: 0 }]);
});
