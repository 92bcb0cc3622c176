import { randomUUID } from "node:crypto";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { buffer } from "node:stream/consumers";
import { inspect } from "node:util";
import pino from "pino";
import { afterAll, beforeEach, expect, test } from "vitest";
import { S3_SECRET, type S3Request, startS3, type Trouble } from "../../../tests/support/s3-stand-in.ts";
import type { S3Config } from "../base/s3-config.ts";
import { S3Store } from "./s3-store.ts";

const s3 = await startS3();
let logged = "";
const write = (line: string) => {
  logged += line;
};
const log = pino({ level: "debug" }, { write });
const open = (changes: Partial<S3Config> = {}) => S3Store.open(s3.config(changes), { log });
const SHORT = { connectMs: 1_000, answerMs: 500, partMs: 500 };
const KEY = randomUUID();
const folder = fs.mkdtempSync(path.join(os.tmpdir(), "recado-s3-"));
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

beforeEach(async () => {
  await s3.stop();
  await s3.start();
  s3.objects.clear();
  s3.uploads.clear();
  s3.requests.length = 0;
  s3.trouble = () => null;
  logged = "";
});

const TROUBLES: [string, Trouble][] = [
  ["has no time (503)", { status: 503, code: "SlowDown" }],
  ["refuses its key (403)", { status: 403, code: "AccessDenied" }],
  ["is full (507)", { status: 507, code: "XMinioStorageFull" }],
  ["lost its bucket (404)", { status: 404, code: "NoSuchBucket" }],
  ["never answers", "hang"],
];

test.each(TROUBLES)(
  "a store that %s is away: nothing is lost, and nothing secret is said",
  async (_, trouble) => {
    const waits = trouble === "hang" ? { waits: SHORT } : {};
    const store = await S3Store.open(s3.config(), { log, ...waits });
    await store.put(KEY, Buffer.from("kept"));
    s3.trouble = () => trouble;
    const tries = [
      store.open(KEY),
      store.put(randomUUID(), Buffer.from("new")),
      store.remove(KEY),
      Array.fromAsync(store.keys()),
    ];
    for (const result of await Promise.allSettled(tries)) {
      expect(result).toMatchObject({ reason: { code: "unavailable", details: { retryAfter: 60 } } });
      logged += inspect(result, { depth: null });
    }
    expect(logged).toContain("the S3 store does not serve");
    expect(logged).not.toMatch(/AWS4-HMAC|Signature=|AKID/);
    expect(logged).not.toContain(S3_SECRET);
    s3.trouble = () => null;
    expect(String(await buffer(await store.open(KEY)))).toBe("kept");
  },
);

test("a store that is down is away until it is up again", async () => {
  const store = await open();
  await store.put(KEY, Buffer.from("kept"));
  await s3.stop();
  await expect(store.open(KEY)).rejects.toMatchObject({ code: "unavailable" });
  await expect(store.put(randomUUID(), Buffer.from("x"))).rejects.toMatchObject({ code: "unavailable" });
  await s3.start();
  expect(String(await buffer(await store.open(KEY)))).toBe("kept");
});

test.each<[string, (request: S3Request) => boolean]>([
  ["a part", ({ query }) => query.get("partNumber") === "2"],
  ["the completion", ({ method, query }) => method === "POST" && query.has("uploadId")],
])("when %s of a large write fails, no object and no part remains", async (_, isFailing) => {
  const store = await open();
  s3.trouble = (request) => (isFailing(request) ? { status: 500, code: "InternalError" } : null);
  await expect(store.put(KEY, Buffer.alloc(20_000_000))).rejects.toMatchObject({ code: "unavailable" });
  expect([s3.objects.size, s3.uploads.size]).toEqual([0, 0]);
});

test("a part that fails once is sent again", async () => {
  const store = await open();
  let failures = 1;
  s3.trouble = ({ query }) =>
    query.get("partNumber") === "2" && failures-- > 0 ? { status: 503, code: "SlowDown" } : null;
  await store.put(KEY, Buffer.alloc(20_000_000, 7));
  expect((await buffer(await store.open(KEY))).equals(Buffer.alloc(20_000_000, 7))).toBe(true);
});

test("100 MB are sent in parts of 8 MB, one at a time, so that no more waits in memory", async () => {
  const file = path.join(folder, "large");
  fs.writeFileSync(file, Buffer.alloc(100 * 1024 * 1024));
  let most = 0;
  const store = await open();
  s3.trouble = ({ bytes }) => {
    most = Math.max(most, bytes);
    return null;
  };
  await store.put(KEY, file);
  const numbers = s3.requests.flatMap(({ query }) => query.get("partNumber") ?? []).map(Number);
  expect(numbers).toEqual(Array.from({ length: 13 }, (_, at) => at + 1));
  expect(most).toBe(8 * 1024 * 1024);
  expect(s3.objects.values().next().value?.bytes.length).toBe(100 * 1024 * 1024);
}, 30_000);

test("an answer cut off in the middle fails as away, never as a shorter file", async () => {
  const store = await open();
  await store.put(KEY, Buffer.alloc(1_000_000));
  s3.trouble = () => "cut";
  await expect(store.open(KEY).then(buffer)).rejects.toMatchObject({ code: "unavailable" });
});

test("who does not read on keeps no connection", async () => {
  const store = await open();
  await store.put(KEY, Buffer.alloc(5_000_000, 1));
  const before = await s3.connections();
  (await store.open(KEY)).destroy();
  await expect.poll(() => s3.connections()).toBeLessThan(before);
});

test.each<[string, Partial<S3Config>, RegExp]>([
  ["key", { accessKey: "AKOTHER" }, /não conhece RECADO_S3_ACCESS_KEY/],
  ["secret", { secretKey: "wrong-secret" }, /RECADO_S3_SECRET_KEY não é a desta chave/],
  ["bucket", { bucket: "none" }, /esse bucket não existe/],
  ["region", { region: "eu-west-1" }, /confira RECADO_S3_REGION/],
])("a wrong %s ends the start with its reason", async (_, wrong, words) => {
  const store = await open(wrong);
  const start = store.check("a");
  await expect(start).rejects.toThrow(words);
  await expect(start).rejects.toMatchObject({ name: "StartError" });
  await expect(start).rejects.not.toThrow(/wrong-secret/);
});

test("a key that may not write ends the start; a store that is down does not", async () => {
  s3.trouble = ({ method }) => (method === "PUT" ? { status: 403, code: "AccessDenied" } : null);
  await expect((await open()).check("a")).rejects.toThrow(/não pode listar, ler e gravar/);
  await s3.stop();
  expect(await (await open()).check("a")).toContain("ninguém atende nesse endereço e porta");
});

test("a bucket of another installation ends the start; another folder of it does not", async () => {
  expect(await (await open()).check("a")).toBeNull();
  expect(await (await open()).check("a")).toBeNull();
  await expect((await open()).check("b")).rejects.toThrow(/é de outra instalação/);
  expect(await (await open({ folder: "b/" })).check("b")).toBeNull();
  expect(await Array.fromAsync((await open()).keys())).toEqual([]);
});
