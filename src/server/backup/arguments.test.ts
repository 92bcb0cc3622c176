import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { sql } from "kysely";
import { expect, onTestFinished, test } from "vitest";
import { testDatabase } from "../../../tests/support/database.ts";
import { memoryStore } from "../../../tests/support/memory-store.ts";
import { BACKUP_USE, backupArguments, stopAfter } from "./arguments.ts";
import { writeBackupFile } from "./file.ts";
import { writeBackup } from "./write.ts";

test("a file, minutes, both in any order, or nothing", () => {
  expect(backupArguments([])).toEqual({ file: undefined, minutes: 120 });
  expect(backupArguments(["x.recado"])).toEqual({ file: "x.recado", minutes: 120 });
  expect(backupArguments(["--minutes", "5", "x.recado"])).toEqual({ file: "x.recado", minutes: 5 });
  expect(backupArguments(["x.recado", "--minutes", "600"])).toEqual({ file: "x.recado", minutes: 600 });
  for (const wrong of [
    ["--minutes"],
    ["--minutes", "0"],
    ["--minutes", "x"],
    ["--minutes", "99999"],
    ["a", "b"],
    [""],
    ["-x"],
  ])
    expect(() => backupArguments(wrong)).toThrow(BACKUP_USE);
});

test("27.5 a copy that is not done in time ends, says so, and leaves neither a file nor a snapshot", async () => {
  const { database, db } = await testDatabase();
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "recado-backup-"));
  onTestFinished(() => fs.rmSync(folder, { recursive: true, force: true }));
  const stop = new AbortController();
  const { promise: never } = Promise.withResolvers<void>();
  const giveUp = stopAfter(stop, 0.001);
  onTestFinished(giveUp);
  const copy = writeBackup(
    database,
    { product: "1.0.0", secretKey: "a".repeat(64), files: memoryStore() },
    (content) =>
      writeBackupFile(path.join(folder, "slow.recado"), undefined, slow(content, never), stop.signal),
    stop.signal,
  );
  await expect(copy).rejects.toThrow(/não terminou em 0.001 minutos .* nenhuma cópia foi feita/);
  expect(fs.readdirSync(folder)).toEqual([]);
  await expect
    .poll(async () => {
      const { rows } = await sql`select 1 from pg_stat_activity where datname = current_database()
        and pid <> pg_backend_pid() and xact_start is not null`.execute(db);
      return rows.length;
    })
    .toBe(0);
});

async function* slow(content: AsyncIterable<Buffer>, until: Promise<void>): AsyncGenerator<Buffer> {
  for await (const piece of content) {
    yield piece;
    await until;
  }
}
