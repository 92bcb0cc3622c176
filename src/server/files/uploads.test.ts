import { createHash, randomBytes, randomUUID } from "node:crypto";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { sql } from "kysely";
import { expect, onTestFinished, test } from "vitest";
import { testDatabase, testLog } from "../../../tests/support/database.ts";
import { testFiles } from "../../../tests/support/file-service.ts";
import { LARGEST_ATTACHMENT, UPLOAD_PIECE_BYTES } from "../../domain/attachment.ts";
import { createApp } from "../http/app.ts";
import { readPrivateHosts } from "../net/addresses.ts";
import { openGuardedFetch } from "../net/guarded-fetch.ts";
import { DiskStore } from "./byte-store.ts";
import { mountFiles } from "./routes.ts";
import { UploadFolder } from "./upload-folder.ts";

const { db } = await testDatabase();
const HOUR = 60 * 60_000;

async function account(): Promise<string> {
  const { rows } = await sql<{ id: string }>`
    insert into account (name, email, terms_version, terms_accepted_at)
    values ('Ana', ${`${randomUUID()}@exemplo.com.br`}, '1', now()) returning id`.execute(db);
  return rows[0]?.id ?? "";
}

/** A web process. */
function openProcess(data: string, most?: number) {
  const app = createApp({
    db,
    log: testLog,
    authenticate: async (request) => {
      const accountId = request.headers.get("x-account");
      return accountId ? { accountId, via: "session", sessionId: "s" } : null;
    },
    publicOrigin: null,
    trustedProxies: 0,
  });
  const clock = { ms: Date.now() };
  const uploads = new UploadFolder(data, most);
  const deps = { store: new DiskStore(data), uploads, clock: { now: () => new Date(clock.ms) } };
  const files = testFiles(openGuardedFetch({ privateHosts: readPrivateHosts(undefined) }), deps);
  mountFiles(app, files);
  const ask =
    (by: string) =>
    async (
      method: string,
      place: string,
      body: BodyInit | null = null,
      type = "application/octet-stream",
    ) => {
      const headers = { "x-account": by, ...(body ? { "content-type": type } : {}), ...sized(body) };
      const init = { method, headers, body, duplex: "half" } as RequestInit;
      const answer = await app.hono.request(`/api/attachments${place}`, init);
      const { status } = answer;
      return { status, json: status === 204 ? null : await answer.json() };
    };
  return { app, ask, clock, files };
}

/** As a browser's; a stream has no length. */
const sized = (body: BodyInit | null) =>
  body instanceof Uint8Array ? { "content-length": String(body.length) } : {};

async function open(most?: number) {
  const data = fs.mkdtempSync(path.join(os.tmpdir(), "recado-pieces-"));
  onTestFinished(() => fs.rmSync(data, { recursive: true, force: true }));
  const by = await account();
  const process = openProcess(data, most);
  const ana = process.ask(by);
  const begin = (bytes: number, ask = ana) =>
    ask("POST", "/uploads", JSON.stringify({ bytes }), "application/json");
  const begun = async (bytes: number) => `/uploads/${(await begin(bytes)).json.id}`;
  const waiting = () => fs.readdirSync(path.join(data, "pictures"));
  return { ...process, data, by, ana, begin, begun, waiting };
}

const document = (bytes: number) => Buffer.concat([Buffer.from("%PDF-1.4\n"), randomBytes(bytes - 9)]);
const hash = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");

async function storedHash({ app, by }: Awaited<ReturnType<typeof open>>, id: number): Promise<string> {
  const shown = await app.hono.request(`/api/attachments/${id}`, { headers: { "x-account": by } });
  return hash(new Uint8Array(await shown.arrayBuffer()));
}

test("a file in pieces is judged and answered like one that came at once, and its pieces go", async () => {
  const opened = await open();
  const { ana, begun } = opened;
  const file = document(2.5 * UPLOAD_PIECE_BYTES);
  const at = await begun(file.length);
  for (let offset = 0; offset < file.length; offset += UPLOAD_PIECE_BYTES) {
    const piece = file.subarray(offset, offset + UPLOAD_PIECE_BYTES);
    const answer = await ana("PUT", `${at}?offset=${offset}`, piece);
    expect(answer).toMatchObject({ status: 200, json: { offset: offset + piece.length } });
  }
  const stored = await ana("POST", `${at}/complete?name=boleto.pdf`);
  expect(stored).toMatchObject({ status: 201, json: { kind: "document", name: "boleto.pdf" } });
  expect(await ana("POST", "?name=boleto.pdf", file)).toEqual(stored);
  expect(await ana("POST", `${at}/complete?name=boleto.pdf`)).toEqual(stored);
  expect(await storedHash(opened, stored.json.id)).toBe(hash(file));
  expect(await ana("DELETE", at)).toEqual({ status: 204, json: null });
  expect(opened.waiting()).toEqual([]);
  expect((await ana("GET", at)).status).toBe(404);
});

test("a wrong offset, and completing what is not all here, answer with the right offset", async () => {
  const { ana, begun } = await open();
  const at = await begun(100);
  await ana("PUT", `${at}?offset=0`, Buffer.alloc(60));
  const right = { status: 409, json: { code: "upload_offset", details: { offset: 60 } } };
  for (const offset of [0, 59, 61]) {
    expect(await ana("PUT", `${at}?offset=${offset}`, Buffer.alloc(10))).toMatchObject(right);
  }
  expect(await ana("POST", `${at}/complete?name=a.pdf`)).toMatchObject(right);
  expect(await ana("GET", at)).toMatchObject({ status: 200, json: { offset: 60, bytes: 100 } });
});

test("another account's upload answers like a missing one", async () => {
  const { ask, begun, waiting } = await open();
  const at = await begun(10);
  const bia = ask(await account());
  for (const [method, place, body] of [
    ["GET", at, null],
    ["PUT", `${at}?offset=0`, Buffer.alloc(5)],
    ["POST", `${at}/complete?name=a.pdf`, null],
    ["DELETE", at, null],
  ] as const)
    expect(await bia(method, place, body)).toMatchObject({ status: 404, json: { code: "not_found" } });
  expect(waiting()).toHaveLength(1);
});

test("a piece too large, a file longer than announced and one above the limit are refused", async () => {
  const { ana, begin, begun, waiting } = await open();
  const at = await begun(2 * UPLOAD_PIECE_BYTES);
  const large = await ana("PUT", `${at}?offset=0`, Buffer.alloc(UPLOAD_PIECE_BYTES + 1));
  expect(large).toMatchObject({ status: 413, json: { code: "payload_too_large" } });
  const short = await begun(10);
  expect((await ana("PUT", `${short}?offset=0`, Buffer.alloc(11))).status).toBe(413);
  expect((await ana("GET", short)).json.offset).toBe(0);
  const above = await begin(LARGEST_ATTACHMENT + 1);
  expect(above).toMatchObject({ status: 413, json: { code: "attachment_too_large" } });
  expect(waiting()).toHaveLength(2);
});

test("what is refused at once is refused in pieces: a program, also under another name", async () => {
  const { ana, begun } = await open();
  const program = Buffer.concat([Buffer.from("MZ"), Buffer.alloc(100)]);
  const at = await begun(program.length);
  await ana("PUT", `${at}?offset=0`, program);
  const refused = await ana("POST", `${at}/complete?name=boleto.exe`);
  expect(refused).toMatchObject({ status: 415, json: { code: "attachment_program" } });
});

function slowBody() {
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  const body = new ReadableStream<Uint8Array>({
    start(given) {
      controller = given;
    },
  });
  return {
    body,
    send: (piece: Uint8Array) => controller?.enqueue(piece),
    end: () => controller?.close(),
    cut: () => controller?.error(new TypeError("terminated")),
  };
}

test("a connection that breaks off costs nothing that arrived, and another process takes the rest", async () => {
  const opened = await open();
  const { ana, begun, data, by } = opened;
  const file = document(300_000);
  const at = await begun(file.length);
  const broken = slowBody();
  const sending = ana("PUT", `${at}?offset=0`, broken.body);
  broken.send(file.subarray(0, 120_000));
  await expect.poll(async () => (await ana("GET", at)).json.offset).toBe(120_000);
  broken.cut();
  expect((await sending).status).toBe(400);
  const other = openProcess(data).ask(by);
  expect((await other("GET", at)).json.offset).toBe(120_000);
  await other("PUT", `${at}?offset=120000`, file.subarray(120_000));
  const stored = await other("POST", `${at}/complete?name=a.pdf`);
  expect(await storedHash(opened, stored.json.id)).toBe(hash(file));
});

test("a piece that a lost connection delivers late changes nothing", async () => {
  const opened = await open();
  const { ana, begun } = opened;
  const file = document(200_000);
  const at = await begun(file.length);
  const late = slowBody();
  const sending = ana("PUT", `${at}?offset=0`, late.body);
  late.send(file.subarray(0, 50_000));
  await expect.poll(async () => (await ana("GET", at)).json.offset).toBe(50_000);
  await ana("PUT", `${at}?offset=50000`, file.subarray(50_000));
  late.send(file.subarray(50_000, 90_000));
  late.end();
  expect((await sending).status).toBe(200);
  expect((await ana("GET", at)).json.offset).toBe(200_000);
  const stored = await ana("POST", `${at}/complete?name=a.pdf`);
  expect(await storedHash(opened, stored.json.id)).toBe(hash(file));
});

test("announced bytes count as waiting for their account alone, until an hour without a piece", async () => {
  const { ana, ask, begin, begun, clock, waiting } = await open(1_000);
  const full = { status: 429, json: { code: "too_many_requests" } };
  const old = await begun(600);
  const kept = await begun(300);
  expect(await begin(200)).toMatchObject(full);
  expect(await ana("POST", "?name=a.pdf", document(200))).toMatchObject(full);
  expect((await ana("POST", "?name=a.pdf", document(100))).status).toBe(201);
  expect((await begin(1_000, ask(await account()))).status).toBe(201);
  expect(waiting()).toHaveLength(3);

  await ana("PUT", `${kept}?offset=0`, Buffer.alloc(1));
  clock.ms = Date.now() + HOUR / 2;
  expect(await begin(200)).toMatchObject(full);
  clock.ms = Date.now() + HOUR * 2;
  expect((await begin(900)).status).toBe(201);
  expect((await ana("GET", old)).status).toBe(404);
});

test("the hourly sweep removes what no piece reached for an hour, of any account", async () => {
  const { ask, begin, begun, ana, clock, data, files, waiting } = await open();
  const stale = await begun(10);
  await begin(10, ask(await account()));
  const fresh = await begun(10);
  for (const name of waiting())
    fs.utimesSync(path.join(data, "pictures", name), new Date(0), new Date(clock.ms - 2 * HOUR));
  await ana("PUT", `${fresh}?offset=0`, Buffer.alloc(1));
  await files.sweepUploads();
  expect(waiting()).toEqual([expect.stringContaining(fresh.replace("/uploads/", ""))]);
  expect((await ana("GET", stale)).status).toBe(404);
});

test("empty announcements cannot fill the folder", async () => {
  const { begin, waiting } = await open();
  const answers = [];
  for (let n = 0; n < 65; n++) answers.push((await begin(1)).status);
  expect(answers.filter((status) => status === 201)).toHaveLength(64);
  expect(answers.at(-1)).toBe(429);
  expect(waiting()).toHaveLength(64);
});
