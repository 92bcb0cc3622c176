import { expect, test } from "vitest";
import { testDatabase } from "../../../tests/support/database.ts";
import { readRestoreLock, writeRestoreLock } from "./restore-lock.ts";

const { db } = await testDatabase();

test("a copy of an installation that is held itself is held as the copy that it is", async () => {
  await writeRestoreLock(db, "2026-11-01T10:00:00.000Z");
  await writeRestoreLock(db, "2026-11-20T10:00:00.000Z");
  expect((await readRestoreLock(db))?.madeAt).toBe("2026-11-20T10:00:00.000Z");
});
