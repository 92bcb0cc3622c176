import { spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { UploadFolder } from "./upload-folder.ts";

const MB = 1024 * 1024;

function openFolder(mostOfAccount?: number) {
  const data = fs.mkdtempSync(path.join(os.tmpdir(), "recado-uploads-"));
  onTestFinished(() => fs.rmSync(data, { recursive: true, force: true }));
  const uploads = new UploadFolder(data, mostOfAccount);
  const folder = path.join(data, "pictures");
  return { uploads, folder, files: () => fs.readdirSync(folder) };
}

async function* body(...chunks: (string | Error)[]) {
  for (const chunk of chunks) {
    if (chunk instanceof Error) throw chunk;
    yield Buffer.from(chunk);
  }
}
const upload = (accountId: string, chunks = body("a", "b"), bytes = 2) => ({
  accountId,
  bytes,
  body: chunks,
});

test("27.4 an upload is a file while it is used, and gone afterwards, whatever happens", async () => {
  const { uploads, files } = openFolder();
  const read = await uploads.during(upload("a"), async (file) => fs.readFileSync(file, "utf8"));
  expect([read, files()]).toEqual(["ab", []]);
  const failing = uploads.during(upload("a"), () => Promise.reject(new Error("not drawn")));
  await expect(failing).rejects.toThrow("not drawn");
  const left = uploads.during(upload("a", body("a", new TypeError("hung up"))), async () => "used");
  await expect(left).rejects.toMatchObject({ code: "invalid_request" });
  expect(files()).toEqual([]);
});

test("27.4 an account's uploads have so much of the disk, and another account its own", async () => {
  const { uploads } = openFolder(10);
  const { promise: drawn, resolve: draw } = Promise.withResolvers<void>();
  const first = uploads.during(upload("a", body("a"), 8), () => drawn);
  await expect(uploads.during(upload("a", body("a"), 3), () => drawn)).rejects.toMatchObject({
    code: "too_many_requests",
  });
  const other = uploads.during(upload("b", body("b"), 8), () => drawn);
  draw();
  await Promise.all([first, other]);
  expect(await uploads.during(upload("a", body("a"), 10), async () => "room")).toBe("room");
});

test("27.4 what an ended process left goes, and what another is writing stays", async () => {
  const { uploads, folder, files } = openFolder();
  const [old, fresh] = ["11111111-1111-4111-8111-111111111111", "22222222-2222-4222-8222-222222222222"];
  for (const name of [old, fresh, "notes.txt"]) fs.writeFileSync(path.join(folder, name), "");
  const now = new Date("2026-11-20T12:00:00Z");
  const hours = (n: number) => new Date(now.getTime() - n * 3_600_000);
  fs.utimesSync(path.join(folder, old), hours(2), hours(2));
  fs.utimesSync(path.join(folder, "notes.txt"), hours(2), hours(2));
  fs.utimesSync(path.join(folder, fresh), hours(0.5), hours(0.5));
  await uploads.sweep(now);
  expect(files().sort()).toEqual([fresh, "notes.txt"]);
});

function memoryFor(uploads: number): number {
  const data = fs.mkdtempSync(path.join(os.tmpdir(), "recado-uploads-"));
  onTestFinished(() => fs.rmSync(data, { recursive: true, force: true }));
  const program = `
    const { UploadFolder } = await import(${JSON.stringify(new URL("upload-folder.ts", import.meta.url).href)});
    const folder = new UploadFolder(${JSON.stringify(data)}, ${1_000 * MB});
    async function* body() {
      for (let n = 0; n < 80; n++) {
        await new Promise((resolve) => setImmediate(resolve));
        yield Buffer.alloc(${MB / 16}, n);
      }
    }
    let written = 0;
    const all = Promise.withResolvers();
    const use = () => {
      written += 1;
      if (written === ${uploads}) all.resolve();
      return all.promise;
    };
    await Promise.all(Array.from({ length: ${uploads} }, (_, n) =>
      folder.during({ accountId: "a", bytes: ${5 * MB}, body: body() }, use)));
    process.stdout.write(String(process.resourceUsage().maxRSS));`;
  const ended = spawnSync(process.execPath, ["--input-type=module", "-e", program]);
  expect(ended.stderr.toString()).toBe("");
  return Number(ended.stdout) * 1024;
}

test("27.4 a hundred pictures of 5 MB wait on the disk, not in memory", () => {
  expect(memoryFor(100) - memoryFor(1)).toBeLessThan(150 * MB);
});
