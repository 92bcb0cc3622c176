import { randomBytes } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { temporaryFolder } from "../../../tests/support/backup.ts";
import { readBackupFile, writeBackupFile } from "./file.ts";

const folder = temporaryFolder();
const CONTENT = Buffer.from("the rows");

afterEach(() => vi.restoreAllMocks());

function withoutLinks(): void {
  vi.spyOn(fs, "linkSync").mockImplementation(() => {
    throw Object.assign(new Error("EPERM: operation not permitted, link"), { code: "EPERM" });
  });
}

async function* content() {
  yield CONTENT;
}

async function read(file: string): Promise<Buffer> {
  return Buffer.concat(await Array.fromAsync(readBackupFile(file, undefined)));
}

test("a backup is written where files cannot be linked, and is for its owner alone", async () => {
  withoutLinks();
  const file = path.join(folder, "pendrive.recado");
  expect(await writeBackupFile(file, undefined, content())).toBe(fs.statSync(file).size);
  expect(await read(file)).toEqual(CONTENT);
  expect(fs.statSync(file).mode & 0o777).toBe(0o600);
  expect(fs.readdirSync(folder)).toEqual(["pendrive.recado"]);
});

test.each([["with links"], ["without"]])(
  "a file that appears during the copy is never overwritten, %s",
  async (kind) => {
    if (kind === "without") withoutLinks();
    const file = path.join(folder, `${kind}.recado`);
    async function* contentWithRival() {
      yield CONTENT;
      fs.writeFileSync(file, "another's");
    }
    await expect(writeBackupFile(file, undefined, contentWithRival())).rejects.toThrow(/EEXIST/);
    expect(fs.readFileSync(file, "utf8")).toBe("another's");
    expect(fs.readdirSync(folder).filter((name) => name.endsWith(".parcial"))).toEqual([]);
  },
);

test("reading that is given up ends wherever it is given up, also where what follows is damaged", async () => {
  const file = path.join(folder, "danificada.recado");
  async function* much() {
    for (let part = 0; part < 8; part++) yield Buffer.from(randomBytes(100_000).toString("hex"));
  }
  await writeBackupFile(file, undefined, much());
  const bytes = fs.readFileSync(file);
  const middle = bytes.length >> 1;
  bytes[middle] = (bytes[middle] ?? 0) ^ 0x10;
  fs.writeFileSync(file, bytes);
  for (let most = 200_000; most < 1_600_000; most += 140_000) {
    let taken = 0;
    const reading = async () => {
      for await (const chunk of readBackupFile(file, undefined)) {
        taken += chunk.length;
        await new Promise((resolve) => setTimeout(resolve, 3));
        if (taken > most) break;
      }
    };
    await reading().catch((error: unknown) => expect(String(error)).toContain("danificado"));
    expect(taken).toBeGreaterThan(0);
  }
});
