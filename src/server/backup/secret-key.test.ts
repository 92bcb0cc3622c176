import { randomBytes } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../tests/support/backup.ts";
import { testDatabase } from "../../../tests/support/database.ts";
import { checkSecretKey, createSecrets } from "../db/secrets.ts";
import { placeSecretKey } from "./secret-key.ts";

const { db } = await testDatabase();
const root = temporaryFolder();
const newKey = () => randomBytes(32).toString("base64");
const PLACE = "somewhere/1";

function dataFolder(key?: string): { folder: string; file: string } {
  const folder = fs.mkdtempSync(path.join(root, "data-"));
  const file = path.join(folder, "secret.key");
  if (key !== undefined) fs.writeFileSync(file, `${key}\n`, { mode: 0o600 });
  return { folder, file };
}

test("the copy's key seals from now on, what stood here still opens, and both are for their owner alone", () => {
  const [ofCopy, before] = [newKey(), newKey()];
  const { folder, file } = dataFolder(before);
  const placed = placeSecretKey(ofCopy, { fromEnvironment: undefined, dataFolder: folder });
  const both = createSecrets(fs.readFileSync(file, "utf8"));
  for (const key of [ofCopy, before])
    expect(String(both.open(createSecrets(key).seal("secret", PLACE), PLACE))).toBe("secret");
  expect(String(createSecrets(ofCopy).open(both.seal("secret", PLACE), PLACE))).toBe("secret");
  expect(fs.statSync(file).mode & 0o777).toBe(0o600);
  placed.undo();
  expect(fs.readFileSync(file, "utf8")).toBe(`${before}\n`);
});

test("a key that was placed where none stood goes again, and a damaged one is never placed", () => {
  const { folder, file } = dataFolder();
  placeSecretKey(newKey(), { fromEnvironment: undefined, dataFolder: folder }).undo();
  expect(fs.existsSync(file)).toBe(false);
  expect(() => placeSecretKey("half", { fromEnvironment: undefined, dataFolder: folder })).toThrow(
    /32 bytes/,
  );
  expect(fs.readdirSync(folder)).toEqual([]);
});

test("the operator's own key goes before the copy's, is written nowhere, and must be the right one", async () => {
  const [ofCopy, another] = [newKey(), newKey()];
  await checkSecretKey(db, createSecrets(ofCopy));
  const { folder } = dataFolder();
  await placeSecretKey("", { fromEnvironment: ofCopy, dataFolder: folder }).check(db);
  const wrong = placeSecretKey(ofCopy, { fromEnvironment: another, dataFolder: folder });
  await expect(wrong.check(db)).rejects.toThrow(/A chave secreta não é a deste banco/);
  expect(fs.readdirSync(folder)).toEqual([]);
});
