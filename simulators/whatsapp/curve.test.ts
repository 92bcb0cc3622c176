import { Curve } from "baileys";
import { expect, test } from "vitest";
import { verifySignature } from "./curve.ts";

const message = Buffer.from("o que foi assinado");

test("accepts what libsignal signed, under many keys", () => {
  for (let i = 0; i < 20; i += 1) {
    const pair = Curve.generateKeyPair();
    expect(verifySignature(pair.public, message, Curve.sign(pair.private, message))).toBe(true);
  }
});

test("refuses another key, another message, a changed signature and anything that is no signature", () => {
  const pair = Curve.generateKeyPair();
  const signature = Buffer.from(Curve.sign(pair.private, message));
  const changed = Buffer.from(signature);
  changed[10] = (changed[10] ?? 0) ^ 1;
  expect(verifySignature(Curve.generateKeyPair().public, message, signature)).toBe(false);
  expect(verifySignature(pair.public, Buffer.from("outra coisa"), signature)).toBe(false);
  expect(verifySignature(pair.public, message, changed)).toBe(false);
  expect(verifySignature(pair.public, message, Buffer.alloc(64))).toBe(false);
  expect(verifySignature(pair.public, message, Buffer.alloc(12))).toBe(false);
});
