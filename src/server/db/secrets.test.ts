import { randomBytes } from "node:crypto";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { sql } from "kysely";
import { expect, test, vi } from "vitest";
import { testDatabase } from "../../../tests/support/database.ts";
import { checkSecretKey, createSecrets, keyHint, readSecretKey } from "./secrets.ts";

const { db } = await testDatabase();
const newKey = () => randomBytes(32).toString("base64");
const place = "device_creds/7";

test("what is sealed opens in its place alone, and not after a change of one bit @decision 3", () => {
  const secrets = createSecrets(newKey());
  const sealed = secrets.seal("credentials", place);
  expect(sealed.includes("credentials")).toBe(false);
  expect(secrets.open(sealed, place).toString()).toBe("credentials");
  expect(() => secrets.open(sealed, "device_creds/8")).toThrow();
  for (let at = 0; at < sealed.length; at++) {
    const altered = Buffer.from(sealed);
    altered[at] = (altered[at] ?? 0) ^ 1;
    expect(() => secrets.open(altered, place)).toThrow();
  }
  expect(() => secrets.open(Buffer.alloc(3), place)).toThrow();
});

test("F44 after a rotation the old key still opens, and the new one seals", () => {
  const [oldKey, key] = [newKey(), newKey()];
  const sealed = createSecrets(oldKey).seal("x", place);
  expect(createSecrets(`${key},${oldKey}`).open(sealed, place).toString()).toBe("x");
  expect(() => createSecrets(key).open(sealed, place)).toThrow(/do not have/);
  const renewed = createSecrets(`${key}\n${oldKey}`).seal("x", place);
  expect(createSecrets(key).open(renewed, place).toString()).toBe("x");
});

test("F44 a wrong key refuses to start, the right one starts again and again", async () => {
  const right = createSecrets(newKey());
  await checkSecretKey(db, right);
  await checkSecretKey(db, right);
  await expect(checkSecretKey(db, createSecrets(newKey()))).rejects.toThrow(/não é a deste banco/);
});

test("F44 after a new key has sealed, a start needs it and the one before", async () => {
  await sql`delete from setting`.execute(db);
  const [first, second, third] = [newKey(), newKey(), newKey()];
  const start = (...keys: string[]) => checkSecretKey(db, createSecrets(keys.join(",")));
  await start(first);
  await start(second, first);
  await expect(start(first)).rejects.toThrow(/Falta uma das chaves secretas/);
  await expect(start(second)).rejects.toThrow(/Falta uma das chaves secretas/);
  await expect(start(third)).rejects.toThrow(/não é a deste banco/);
  await start(second, first);
  await start(third, second, first);
  await expect(start(second, first)).rejects.toThrow(/Falta uma das chaves secretas/);
});

test.each(["", "short", "x".repeat(64)])("F44 a key that is none (%s) is refused in words", (text) => {
  expect(() => createSecrets(text)).toThrow(/chave/i);
});

test("the key file is made once, for its owner alone", () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "recado-key-"));
  const first = readSecretKey(undefined, folder);
  expect(readSecretKey(undefined, folder)).toBe(first);
  expect(fs.statSync(path.join(folder, "secret.key")).mode & 0o777).toBe(0o600);
  expect(fs.readdirSync(folder)).toEqual(["secret.key"]);
  expect(readSecretKey("from-env", folder)).toBe("from-env");
  fs.rmSync(folder, { recursive: true });
});

test("an unreadable key file is reported in words", () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "recado-key-"));
  fs.mkdirSync(path.join(folder, "secret.key"));
  expect(() => readSecretKey(undefined, folder)).toThrow(
    /^A chave secreta em .*\/secret\.key não pode ser lida: é uma pasta, não um arquivo \(EISDIR/,
  );
  fs.rmSync(folder, { recursive: true });
});

test("a process that makes the key while another one does takes the other's", () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "recado-secret-"));
  const ofTheOther = readSecretKey(undefined, folder);
  vi.spyOn(fs, "existsSync").mockReturnValueOnce(false);
  expect(readSecretKey(undefined, folder)).toBe(ofTheOther);
  expect(fs.readdirSync(folder)).toEqual(["secret.key"]);
  vi.restoreAllMocks();
  fs.rmSync(folder, { recursive: true });
});

test("of a key its end is shown, of a short one nothing", () => {
  expect([keyHint("12345678901"), keyHint("123456789012")]).toEqual(["", "9012"]);
});
