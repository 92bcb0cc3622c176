import { randomBytes } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { temporaryFolder } from "../../../tests/support/backup.ts";
import { readBackupFile, writeBackupFile } from "./file.ts";

const folder = temporaryFolder();
const CONTENT = Buffer.from("the rows");

afterEach(() => vi.restoreAllMocks());

/** A USB stick (FAT, exFAT) and many shares of a network know no second name for a file. */
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
  "what came there meanwhile is never overwritten, %s",
  async (kind) => {
    if (kind === "without") withoutLinks();
    const file = path.join(folder, `${kind}.recado`);
    async function* meanwhile() {
      yield CONTENT;
      fs.writeFileSync(file, "another's");
    }
    await expect(writeBackupFile(file, undefined, meanwhile())).rejects.toThrow(/EEXIST/);
    expect(fs.readFileSync(file, "utf8")).toBe("another's");
    expect(fs.readdirSync(folder).filter((name) => name.endsWith(".parcial"))).toEqual([]);
  },
);

test.each([
  ["open", undefined],
  ["sealed", "uma senha comprida"],
])(
  "reading that is given up in the middle ends, however much is still to come: %s",
  async (kind, passphrase) => {
    const file = path.join(folder, `${kind}.recado`);
    async function* much() {
      for (let part = 0; part < 30; part++) yield randomBytes(200_000);
    }
    await writeBackupFile(file, passphrase, much());
    for (let round = 0; round < 10; round++) {
      let taken = 0;
      for await (const chunk of readBackupFile(file, passphrase)) {
        taken += chunk.length;
        // The file is read ahead while its reader is at work.
        await new Promise((resolve) => setTimeout(resolve, round));
        if (taken > round * 300_000) break;
      }
      expect(taken).toBeGreaterThan(0);
    }
  },
);
