import { execFile } from "node:child_process";
import path from "node:path";
import { promisify } from "node:util";
import { Curve } from "baileys";
import { expect, test } from "vitest";
import { installShims } from "./shims.ts";

const SCRIPT = path.join(import.meta.dirname, "../../../../tests/support/leaky-libsignal.ts");

async function said(mode: "shims" | "bare"): Promise<string> {
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [SCRIPT, mode]);
  return stdout + stderr;
}

const KEY = Buffer.from("private-key-of-a-ratchet-32bytes").toString("hex").match(/../g)?.join(" ") ?? "";

test("no private key reaches stdout, where libsignal alone prints them", async () => {
  expect(await said("bare")).toContain(KEY.slice(0, 40));
  const quiet = await said("shims");
  expect(quiet).not.toMatch(/privKey|Closing session|ephemeralKeyPair/);
  expect(quiet).not.toContain(KEY.slice(0, 40));
  expect(quiet).toContain("harmless { count: 1 }");
});

test("a signature is checked: wrong key, wrong message and garbage are refused", () => {
  installShims();
  const signer = Curve.generateKeyPair();
  const message = Buffer.from("signed");
  const signature = Curve.sign(signer.private, message);
  expect(Curve.verify(signer.public, message, signature)).toBe(true);
  expect(Curve.verify(Curve.generateKeyPair().public, message, signature)).toBe(false);
  expect(Curve.verify(signer.public, Buffer.from("altered"), signature)).toBe(false);
  expect(Curve.verify(signer.public, message, Buffer.alloc(64, 7))).toBe(false);
  expect(Curve.verify(signer.public, message, Buffer.alloc(3))).toBe(false);
});

test("a key that is kept keeps little of what was read beside it", () => {
  installShims();
  const keys = Array.from({ length: 3_000 }, (_, i) => Buffer.from(`key ${i} of thirty-two bytes, or so`));
  const kept = keys.at(-1)?.buffer.byteLength;
  expect(kept).toBeLessThanOrEqual(8 * 1024);
});
