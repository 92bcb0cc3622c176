import { buffer } from "node:stream/consumers";
import { sql } from "kysely";
import { expect, test } from "vitest";
import { accountRow, campaignRow } from "../../../tests/support/campaign-rows.ts";
import { testDatabase } from "../../../tests/support/database.ts";
import { testFiles } from "../../../tests/support/file-service.ts";
import { pdf } from "../../../tests/support/media-files.ts";
import { memoryStore } from "../../../tests/support/memory-store.ts";
import type { Db } from "../db/client.ts";
import { applyMigrations, readMigrations } from "../db/migrate.ts";
import { ownerOf } from "../db/owner.ts";
import { openGuardedFetch } from "../net/guarded-fetch.ts";
import type { OutgoingFile } from "../transports/transport.ts";
import { findOutgoing, storeAttachment } from "./repo.ts";

const { db } = await testDatabase();
const DAY_MS = 86_400_000;

/** `laterMs`: how long after the writes the files are looked after. */
function arrange(laterMs = 2 * DAY_MS) {
  const store = memoryStore();
  const clock = { now: () => new Date(Date.now() + laterMs) };
  return { store, files: testFiles(openGuardedFetch({ privateHosts: new Set() }), { store, clock }) };
}

const open = async (file: OutgoingFile | undefined) => {
  if (!file) throw new Error("there is no such file");
  return file.open();
};

const upload = async (
  files: ReturnType<typeof arrange>["files"],
  account: string,
  name: string,
  bytes = pdf(),
) =>
  files.upload(ownerOf(db, account), { name }, new Blob([bytes]).stream(), {
    headers: new Headers({ "content-length": String(bytes.length) }),
    signal: new AbortController().signal,
  });

test("pictures of the version before keep their bytes, campaign and id, and then lie in the store", async () => {
  const old = await testDatabase({ empty: true });
  const known = readMigrations().filter(({ name }) => name < "0109");
  await old.db.transaction().execute((tx) => applyMigrations(tx, known));
  const account = await accountRow(old.db);
  const campaign = await campaignRow(old.db, account, { status: "draft" });
  await sql`with made as (insert into image (account_id, sha256, mime, width, height, bytes)
      values (${account}::uuid, 'a', 'image/png', 4, 3, 'picture') returning id)
    update campaign set image_id = (select id from made) where id = ${campaign}`.execute(old.db);
  await old.db.transaction().execute((tx) =>
    applyMigrations(
      tx,
      readMigrations().filter(({ name }) => name >= "0109"),
    ),
  );
  const { rows } = await sql<{
    id: number;
  }>`select attachment_id as id from campaign where id = ${campaign}`.execute(old.db);
  const id = rows[0]?.id ?? 0;
  const facts = { kind: "image", name: "", mime: "image/png", size: 7, width: 4, height: 3, seconds: null };
  const before = await findOutgoing(old.db, id);
  expect(before).toMatchObject(facts);
  expect(String(await buffer(await open(before)))).toBe("picture");

  const { store, files } = arrange();
  await files.moveStored(old.db);
  expect([...store.held.values()].map(String)).toEqual(["picture"]);
  const after = await findOutgoing(old.db, id, store);
  expect(after).toMatchObject(facts);
  expect(String(await buffer(await open(after)))).toBe("picture");
  await files.moveStored(old.db);
  expect(store.held.size).toBe(1);
});

test("the same file is stored once, also by requests at one time; under another name it is another", async () => {
  const { store, files } = arrange();
  const account = await accountRow(db);
  const both = await Promise.all([upload(files, account, "maio.pdf"), upload(files, account, "maio.pdf")]);
  expect(new Set(both.map(({ id }) => id)).size).toBe(1);
  expect(store.held.size).toBe(1);
  expect((await upload(files, account, "junho.pdf")).id).not.toBe(both[0].id);
  expect(store.held.size).toBe(2);
});

test("the nightly cleanup deletes bytes that no row names, and none of a file in use", async () => {
  const { store, files } = arrange();
  const [kept, closed] = [await accountRow(db), await accountRow(db)];
  const { id } = await upload(files, kept, "fica.pdf");
  const campaign = await campaignRow(db, kept, { status: "draft" });
  await sql`update campaign set attachment_id = ${id} where id = ${campaign}`.execute(db);
  await upload(files, closed, "vai.pdf", pdf("another"));
  await sql`delete from account where id = ${closed}::uuid`.execute(db);
  expect(store.held.size).toBe(2);
  await files.pruneUnused(db);
  expect([...store.held.values()]).toEqual([pdf()]);
});

test("bytes of a file that is only now being stored are not taken for an orphan's", async () => {
  const { store, files } = arrange(0);
  await store.put("5c0f7a4e-0000-4000-8000-000000000001", pdf());
  await files.pruneUnused(db);
  expect(store.held.size).toBe(1);
});

test("bytes stay when it is unknown whether their row was committed", async () => {
  const store = memoryStore();
  const account = await accountRow(db);
  const cut = new Proxy(ownerOf(db, account).db, {
    get: (target, name) =>
      name === "transaction"
        ? () => ({
            execute: async (work: Parameters<ReturnType<Db["transaction"]>["execute"]>[0]) => {
              await target.transaction().execute(work);
              throw new Error("the answer to the commit was lost");
            },
          })
        : Reflect.get(target, name),
  });
  const content = pdf("commit");
  const facts = { width: null, height: null, seconds: null, reduced: false, bytes: content.length };
  const judged = { ...facts, kind: "document", name: "a.pdf", mime: "application/pdf", content } as const;
  await expect(storeAttachment(ownerOf(cut, account), store, judged)).rejects.toThrow("was lost");
  expect([...store.held.values()]).toEqual([content]);
});

test("a refused file leaves nothing behind", async () => {
  const { store, files } = arrange();
  const account = await accountRow(db);
  await sql`insert into account_limit (account_id, name, value) values (${account}::uuid, 'stored_bytes', 10)`.execute(
    db,
  );
  await expect(upload(files, account, "cheio.pdf")).rejects.toMatchObject({ code: "limit_reached" });
  await expect(upload(files, account, "boleto.exe")).rejects.toMatchObject({ code: "attachment_program" });
  expect(store.held.size).toBe(0);
});

test.each<[string | null, number, string | null, string]>([
  [null, 200, null, "%PDF-1.4 whole"],
  ["bytes=0-3", 206, "bytes 0-3/14", "%PDF"],
  ["bytes=9-", 206, "bytes 9-13/14", "whole"],
  ["bytes=-5", 206, "bytes 9-13/14", "whole"],
  ["bytes=9-99", 206, "bytes 9-13/14", "whole"],
  ["bytes=14-", 416, "bytes */14", ""],
  ["bytes=-0", 416, "bytes */14", ""],
  ["bytes=3-1", 200, null, "%PDF-1.4 whole"],
  ["bytes=0-1,3-4", 200, null, "%PDF-1.4 whole"],
  ["chars=0-1", 200, null, "%PDF-1.4 whole"],
])("a player asks for %s: %i", async (range, status, contentRange, text) => {
  const { files } = arrange();
  const account = await accountRow(db);
  const { id } = await upload(files, account, "boleto.pdf", Buffer.from("%PDF-1.4 whole"));
  const headers = new Headers(range === null ? {} : { range });
  const answer = await files.show(ownerOf(db, account), id, { headers });
  expect([answer.status, answer.headers.get("content-range"), await answer.text()]).toEqual([
    status,
    contentRange,
    text,
  ]);
});

test("a document is only downloaded, whatever it holds, and a lost one says so", async () => {
  const { store, files } = arrange();
  const account = await accountRow(db);
  const page = Buffer.from("<script>alert(1)</script>");
  const { id } = await upload(files, account, "página.html", page);
  const shown = await files.show(ownerOf(db, account), id, { headers: new Headers() });
  expect(Object.fromEntries(shown.headers)).toMatchObject({
    "content-type": "application/octet-stream",
    "content-disposition": "attachment; filename=\"pagina.html\"; filename*=UTF-8''p%C3%A1gina.html",
    "content-security-policy": "default-src 'none'; sandbox",
    "x-content-type-options": "nosniff",
  });
  store.held.clear();
  const lost = files.show(ownerOf(db, account), id, { headers: new Headers() });
  await expect(lost).rejects.toMatchObject({ code: "attachment_lost" });
});
