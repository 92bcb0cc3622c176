import { randomBytes, randomUUID } from "node:crypto";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { buffer } from "node:stream/consumers";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { testLog } from "../../../tests/support/database.ts";
import { startS3 } from "../../../tests/support/s3-stand-in.ts";
import { type ByteStore, DiskStore } from "./byte-store.ts";
import { S3Store } from "./s3-store.ts";
import { StoreAfterDisk } from "./store-after-disk.ts";

const folder = fs.mkdtempSync(path.join(os.tmpdir(), "recado-store-"));
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));
const s3 = await startS3();
const file = path.join(folder, "large");
const LARGE = randomBytes(20_000_000);
fs.writeFileSync(file, LARGE);

const CUT_OFF = randomUUID();
type Tried = { name: string; open(): Promise<ByteStore>; left(): unknown[]; cutOff(): void };

let data = "";
const filesIn = (place: string) =>
  fs.readdirSync(place, { recursive: true, withFileTypes: true }).filter((one) => one.isFile());

const STORES: Tried[] = [
  {
    name: "disk",
    open: async () => new DiskStore(data),
    left: () => filesIn(data),
    cutOff() {
      const place = path.join(data, "attachments", CUT_OFF.slice(0, 2));
      fs.mkdirSync(place);
      fs.writeFileSync(path.join(place, `${CUT_OFF}.part`), "half");
    },
  },
  {
    name: "S3",
    open: () => S3Store.open(s3.config({ folder: "a/" }), { log: testLog, pageSize: 2 }),
    left: () => [...s3.objects, ...s3.uploads],
    cutOff() {
      const key = `a/${CUT_OFF.slice(0, 2)}/${CUT_OFF}`;
      s3.uploads.set("id", { key, at: new Date(), parts: new Map() });
    },
  },
];

describe.each(STORES)("a store of files: $name", ({ open, left, cutOff }) => {
  beforeEach(() => {
    data = fs.mkdtempSync(path.join(folder, "data-"));
    s3.objects.clear();
    s3.uploads.clear();
  });
  const keysOf = async (store: ByteStore) => (await Array.fromAsync(store.keys())).map(({ key }) => key);

  test("bytes come back whole or in part, from another process too, until they are removed", async () => {
    const [store, other] = [await open(), await open()];
    const key = randomUUID();
    await store.put(key, Buffer.from("0123456789"));
    expect(String(await buffer(await other.open(key)))).toBe("0123456789");
    expect(String(await buffer(await other.open(key, { start: 2, end: 4 })))).toBe("234");
    await store.remove(key);
    await store.remove(key);
    await expect(other.open(key)).rejects.toMatchObject({ code: "attachment_lost" });
    expect(left()).toEqual([]);
  });

  test("a large file comes back byte by byte, from its path or in pieces", async () => {
    const store = await open();
    const [path1, pieces] = [randomUUID(), randomUUID()];
    await store.put(path1, file);
    await store.put(pieces, fs.createReadStream(file));
    for (const key of [path1, pieces]) expect((await buffer(await store.open(key))).equals(LARGE)).toBe(true);
  });

  test("every key is listed with its date", async () => {
    const store = await open();
    const keys = Array.from({ length: 5 }, () => randomUUID());
    const before = Date.now() - 1_000;
    for (const key of keys) await store.put(key, Buffer.from(key));
    const listed = await Array.fromAsync(store.keys());
    expect(listed.map(({ key }) => key).sort()).toEqual(keys.toSorted());
    expect(listed.every(({ at }) => at.getTime() >= before && at.getTime() <= Date.now() + 1_000)).toBe(true);
  });

  test.each([
    ["at once", 4],
    ["after megabytes", 9_000_000],
  ])("a write that fails %s leaves neither the key nor a part", async (_, bytes) => {
    const store = await open();
    const key = randomUUID();
    async function* broken() {
      yield Buffer.alloc(bytes);
      throw Object.assign(new Error("no space"), { code: "ENOSPC" });
    }
    await expect(store.put(key, broken())).rejects.toMatchObject({ code: "unavailable" });
    await expect(store.open(key)).rejects.toMatchObject({ code: "attachment_lost" });
    expect(left()).toEqual([]);
  });

  test("an error of the source stays its own", async () => {
    const store = await open();
    async function* broken() {
      yield Buffer.alloc(9_000_000);
      throw new RangeError("of the source");
    }
    await expect(store.put(randomUUID(), broken())).rejects.toThrow("of the source");
    await expect(store.put(randomUUID(), path.join(folder, "none"))).rejects.toMatchObject({
      code: "ENOENT",
    });
  });

  test("a write that a crash cut off is named, and removed, like one that is whole", async () => {
    const store = await open();
    cutOff();
    expect(await keysOf(store)).toEqual([CUT_OFF]);
    await store.remove(CUT_OFF);
    expect(await keysOf(store)).toEqual([]);
    expect(left()).toEqual([]);
  });

  test("only keys of the store name a place in it", async () => {
    const store = await open();
    await expect(store.open("../../etc/passwd")).rejects.toThrow("not a key of the store");
  });

  test("files of the disk before stay readable, are moved, and are removed with their key", async () => {
    const disk = new DiskStore(data);
    const [moved, removed] = [randomUUID(), randomUUID()];
    for (const key of [moved, removed]) await disk.put(key, Buffer.from(key));
    data = fs.mkdtempSync(path.join(folder, "data-"));
    const target = await open();
    const store = new StoreAfterDisk(disk, target);
    expect(String(await buffer(await store.open(moved)))).toBe(moved);
    expect((await keysOf(store)).sort()).toEqual([moved, removed].sort());
    await store.remove(removed);
    await store.gather();
    expect(await keysOf(disk)).toEqual([]);
    expect(await keysOf(target)).toEqual([moved]);
    expect(String(await buffer(await store.open(moved)))).toBe(moved);
  });
});
