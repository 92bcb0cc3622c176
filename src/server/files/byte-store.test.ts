import { randomUUID } from "node:crypto";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { buffer } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import { DiskStore } from "./byte-store.ts";

function open() {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "recado-store-"));
  onTestFinished(() => fs.rmSync(folder, { recursive: true, force: true }));
  return { folder, store: new DiskStore(folder) };
}

const KEY = randomUUID();

test("bytes come back whole or in part, from another process's folder too, until they are removed", async () => {
  const { folder, store } = open();
  await store.put(KEY, Buffer.from("0123456789"));
  const other = new DiskStore(folder);
  expect(String(await buffer(await other.open(KEY)))).toBe("0123456789");
  expect(String(await buffer(await other.open(KEY, { start: 2, end: 4 })))).toBe("234");
  expect((await Array.fromAsync(store.keys())).map(({ key }) => key)).toEqual([KEY]);
  await store.remove(KEY);
  await store.remove(KEY);
  await expect(other.open(KEY)).rejects.toMatchObject({ code: "attachment_lost" });
});

test("a write that fails in the middle leaves neither the key nor a part", async () => {
  const { folder, store } = open();
  async function* broken() {
    yield Buffer.from("half");
    throw Object.assign(new Error("no space"), { code: "ENOSPC" });
  }
  await expect(store.put(KEY, broken())).rejects.toMatchObject({ code: "unavailable" });
  await expect(store.open(KEY)).rejects.toMatchObject({ code: "attachment_lost" });
  const left = fs.readdirSync(folder, { recursive: true, withFileTypes: true }).filter((one) => one.isFile());
  expect(left).toEqual([]);
});

test("a write that a crash cut off is named, and removed, like one that is whole", async () => {
  const { folder, store } = open();
  await store.put(KEY, Buffer.from("whole"));
  fs.renameSync(
    path.join(folder, "attachments", KEY.slice(0, 2), KEY),
    path.join(folder, "attachments", KEY.slice(0, 2), `${KEY}.part`),
  );
  expect((await Array.fromAsync(store.keys())).map(({ key }) => key)).toEqual([KEY]);
  await store.remove(KEY);
  expect(await Array.fromAsync(store.keys())).toEqual([]);
});

test("only keys of the store name a place in it", async () => {
  const { store } = open();
  await expect(store.open("../../etc/passwd")).rejects.toThrow("not a key of the store");
});
