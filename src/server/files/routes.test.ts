import { randomUUID } from "node:crypto";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { Readable } from "node:stream";
import { sql } from "kysely";
import sharp from "sharp";
import { afterAll, expect, test, vi } from "vitest";
import { campaignRow, connectionRow } from "../../../tests/support/campaign-rows.ts";
import { chatRow, messageRow, sentRow } from "../../../tests/support/chat-rows.ts";
import { testDatabase, testLog } from "../../../tests/support/database.ts";
import { testFiles } from "../../../tests/support/file-service.ts";
import { fileOf } from "../../../tests/support/receive-lab.ts";
import { unhurried, waiting } from "../../../tests/support/waiting.ts";
import { PORTUGUESE } from "../../contract/error-messages.ts";
import { DELIVERY } from "../../domain/delivery.ts";
import { AppError } from "../../domain/errors.ts";
import { ownerOf } from "../db/owner.ts";
import { createApp } from "../http/app.ts";
import { readPrivateHosts } from "../net/addresses.ts";
import { openGuardedFetch } from "../net/guarded-fetch.ts";
import { DiskStore } from "./byte-store.ts";
import { cleanImage } from "./images.ts";
import { PictureTurns } from "./picture-turns.ts";
import { storeAttachment } from "./repo.ts";
import { mountFiles } from "./routes.ts";

const { db } = await testDatabase();

async function account(): Promise<string> {
  const { rows } = await sql<{ id: string }>`
    insert into account (name, email, terms_version, terms_accepted_at)
    values ('Ana', ${`${randomUUID()}@exemplo.com.br`}, '1', now()) returning id`.execute(db);
  return rows[0]?.id ?? "";
}

const ana = await account();
const bia = await account();
const app = createApp({
  db,
  log: testLog,
  authenticate: async (request) => {
    const accountId = request.headers.get("x-account");
    return accountId ? { accountId, via: "key", keyName: "k", scope: "all" } : null;
  },
  publicOrigin: null,
  trustedProxies: 0,
});
const folder = fs.mkdtempSync(path.join(os.tmpdir(), "recado-attachments-"));
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));
const store = new DiskStore(folder);
const files = testFiles(openGuardedFetch({ privateHosts: readPrivateHosts(undefined) }), { store });
mountFiles(app, files);

const upload = (body: BodyInit, headers: Record<string, string> = {}) =>
  app.hono.request("/api/attachments", { method: "POST", body, headers: { "x-account": ana, ...headers } });
const png = async (shade: number) =>
  new Uint8Array(
    await sharp({ create: { width: 20, height: 10, channels: 3, background: { r: shade, g: 0, b: 0 } } })
      .png()
      .toBuffer(),
  );

test("a picture is stored once, shown to its owner alone, and never as anything else @spec 1.7,3.3,3.18,7.16 @decision 5", async () => {
  const answer = await upload(await png(1), { "content-type": "image/png" });
  expect(answer.status).toBe(201);
  const image: { id: number } = await answer.json();
  expect(image).toMatchObject({ width: 20, height: 10, mime: "image/png" });
  expect(await (await upload(await png(1))).json()).toEqual(image);

  const path = `/api/attachments/${image.id}`;
  const shown = await app.hono.request(path, { headers: { "x-account": ana } });
  expect(shown.headers.get("content-type")).toBe("image/png");
  expect(shown.headers.get("content-security-policy")).toBe("default-src 'none'; sandbox");
  expect(shown.headers.get("x-content-type-options")).toBe("nosniff");
  expect((await sharp(await shown.arrayBuffer()).metadata()).width).toBe(20);

  const others = await app.hono.request(path, { headers: { "x-account": bia } });
  const missing = await app.hono.request("/api/attachments/999999", { headers: { "x-account": bia } });
  expect([others.status, await others.text()]).toEqual([missing.status, await missing.text()]);
  expect(others.status).toBe(404);
  expect((await app.hono.request(path)).status).toBe(401);
});

test("an unreferenced picture is deleted after a week; sent, received, kept in a template and reused ones stay", async () => {
  const put = async (shade: number) => ((await (await upload(await png(shade))).json()) as { id: number }).id;
  const [template, campaigns, messages, sent, forgotten, chosen] = [
    await put(100),
    await put(101),
    await put(102),
    await put(103),
    await put(104),
    await put(105),
  ];
  const connectionId = await connectionRow(db, ana);
  const campaign = await campaignRow(db, ana, { status: "draft" });
  await sql`update campaign set attachment_id = ${campaigns} where id = ${campaign}`.execute(db);
  const chat = await chatRow(db, { account: ana, connectionId, phone: 5511987654321 });
  const message = await messageRow(db, chat);
  await sql`update chat_message set attachment_id = ${messages} where id = ${message}`.execute(db);
  const row = await sentRow(db, chat, { text: "oi", status: DELIVERY.sent });
  await sql`update outbox set attachment_id = ${sent} where id = ${row}`.execute(db);
  await sql`insert into message_template (account_id, name, text, attachment_id)
    values (${ana}::uuid, 'Preços', '', ${template})`.execute(db);
  await sql`update attachment set created_at = now() - interval '8 days'`.execute(db);
  await put(105);
  const fresh = await put(106);

  await files.pruneUnused(db);
  const statusOf = async (id: number) =>
    (await app.hono.request(`/api/attachments/${id}`, { headers: { "x-account": ana } })).status;
  for (const id of [template, campaigns, messages, sent, chosen, fresh]) expect(await statusOf(id)).toBe(200);
  expect(await statusOf(forgotten)).toBe(404);
  await sql`delete from message_template`.execute(db);
  await files.pruneUnused(db);
  expect(await statusOf(template)).toBe(404);
});

test("a picture reused during the cleanup stays", async () => {
  const answer = await upload(await png(107));
  const { id }: { id: number } = await answer.json();
  await sql`update attachment set created_at = now() - interval '8 days' where id = ${id}`.execute(db);
  const { bytes: content, ...facts } = await cleanImage(await png(107));
  const again = { ...facts, kind: "image", name: "", content, bytes: content.length, seconds: null } as const;
  const { forgetting } = await unhurried(db, async (tx) => {
    await storeAttachment(ownerOf(tx, ana), store, again);
    let over = false;
    const going = files.pruneUnused(db).finally(() => {
      over = true;
    });
    await expect.poll(async () => over || (await waiting(db)) > 0).toBe(true);
    return { forgetting: going };
  });
  await forgetting;
  const shown = await app.hono.request(`/api/attachments/${id}`, { headers: { "x-account": ana } });
  expect(shown.status).toBe(200);
});

test("I16 500 MB are refused while they arrive, not collected first", async () => {
  let sent = 0;
  const endless = new ReadableStream<Uint8Array>({
    pull(controller) {
      sent += 65_536;
      if (sent > 500 * 1024 * 1024) controller.close();
      else controller.enqueue(new Uint8Array(65_536));
    },
  });
  const request = new Request("http://localhost/api/attachments", {
    method: "POST",
    body: endless,
    headers: { "x-account": ana },
    duplex: "half",
  } as RequestInit);
  const answer = await app.hono.request(request);
  expect(answer.status).toBe(413);
  expect(sent).toBeLessThan(101 * 1024 * 1024);
});

test.each([
  ["I17 a name with a path", 'form-data; name="file"; filename="../../x.png"'],
  ["I18 a name of 4,000 characters", `form-data; name="file"; filename="${"a".repeat(4_000)}.png"`],
])("%s: a picture keeps no name, the body is the picture", async (_title, disposition) => {
  const answer = await upload(await png(2), { "content-disposition": disposition });
  expect(answer.status).toBe(201);
  expect(Object.keys(await answer.json()).sort()).toEqual([
    "bytes",
    "height",
    "id",
    "kind",
    "mime",
    "name",
    "reduced",
    "seconds",
    "width",
  ]);
});

test.each([
  ["I19 two files in one request", "multipart/form-data; boundary=x"],
  ["I20 a wrong multipart boundary", "multipart/form-data"],
])("%s", async (_title, type) => {
  const answer = await upload(await png(3), { "content-type": type });
  expect(answer.status).toBe(415);
  expect(await answer.json()).toMatchObject({ code: "unsupported_media_type" });
});

test("many pictures of one account do not delay the others", async () => {
  const many = await Promise.all(Array.from({ length: 8 }, (_, at) => png(at)));
  const last = await png(8);
  const drawn: string[] = [];
  const draw = PictureTurns.prototype.drawReceived;
  // At the end of each drawing, not of its row: those are stored side by side.
  vi.spyOn(PictureTurns.prototype, "drawReceived").mockImplementation(async function (
    this: PictureTurns,
    account,
    ...picture
  ) {
    const image = await draw.call(this, account, ...picture);
    drawn.push(account);
    return image;
  });
  const keep = (account: string, picture: Uint8Array) =>
    files.storeReceived(
      ownerOf(db, account),
      fileOf(null, { size: picture.byteLength }),
      Readable.from([picture]),
    );
  await Promise.all([...many.map((one) => keep(ana, one)), keep(bia, last)]);
  expect(drawn).toHaveLength(9);
  expect(drawn.indexOf(bia)).toBeLessThan(3);
});

test("an installation that takes 1 MB refuses more, uploaded or fetched, before it is kept", async () => {
  const limited = testFiles(
    {
      fetch: async (_, { maxBytes }) => {
        expect(maxBytes).toBe(2 ** 20);
        throw new AppError("url_failed", { reason: "too_large", sent: true });
      },
    },
    { mostMb: 1 },
  );
  const owner = ownerOf(db, ana);
  const signal = new AbortController().signal;
  const over = { code: "attachment_too_large", details: { mb: 1 } };
  const large = () => new Blob([Buffer.alloc(2 ** 20 + 1, "a")]).stream();
  const unread = new ReadableStream({ pull: () => expect.fail("it was read") }, { highWaterMark: 0 });
  const said = { headers: new Headers({ "content-length": String(2 ** 20 + 1) }), signal };
  await expect(limited.upload(owner, { name: "a.txt" }, unread, said)).rejects.toMatchObject(over);
  const unsaid = { headers: new Headers(), signal };
  await expect(limited.upload(owner, { name: "a.txt" }, large(), unsaid)).rejects.toMatchObject(over);
  await expect(limited.uploadFrom(owner, "https://exemplo.com.br/a.txt")).rejects.toMatchObject(over);
  expect(PORTUGUESE.errorText("attachment_too_large", { mb: 1 })).toContain("passa de 1 MB");
});
