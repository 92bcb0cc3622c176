import { describe, expect, test } from "vitest";
import { isTimeZone, normalizeEmail, normalizeName, passwordError } from "./account.ts";

describe("e-mail", () => {
  test.each([
    ["A01 upper case", "USER@Exemplo.com", "user@exemplo.com"],
    ["A03 full-width @", "user＠exemplo.com", "user@exemplo.com"],
    ["A03 full-width letters", "ｕser@ｅxemplo.com", "user@exemplo.com"],
    ["A05 spaces around", "  user@exemplo.com\t", "user@exemplo.com"],
    ["subdomain and plus", "ana+loja@mail.empresa.com.br", "ana+loja@mail.empresa.com.br"],
  ])("%s is one account", (_name, typed, kept) => {
    expect(normalizeEmail(typed)).toBe(kept);
  });

  test.each([
    ["A02 accent in the local part", "usér@ex.com"],
    ["A04 255 characters", `${"a".repeat(243)}@exemplo.com`],
    ["A04 a million characters", "a".repeat(1_000_000)],
    ["A06 no top-level domain", "user@exemplo"],
    ["empty", ""],
    ["two at signs", "a@b@exemplo.com"],
    ["line break inside", "a\nb@exemplo.com"],
    ["NUL", "a\0b@exemplo.com"],
    ["doubled dot", "a..b@exemplo.com"],
    ["dotless i of Turkish", "İ@exemplo.com"],
  ])("%s is refused", (_name, typed) => {
    expect(normalizeEmail(typed)).toBeUndefined();
  });

  test("254 characters are accepted", () => {
    const email = `${"a".repeat(242)}@exemplo.com`;
    expect(email).toHaveLength(254);
    expect(normalizeEmail(email)).toBe(email);
  });
});

describe("password", () => {
  test.each([
    ["A08 7 characters", "a".repeat(7), "too_short"],
    ["A08 8 characters", "a".repeat(8), undefined],
    ["A08 128 characters", "a".repeat(128), undefined],
    ["A08 129 characters", "a".repeat(129), "too_long"],
    ["A08 10,000 characters", "a".repeat(10_000), "too_long"],
    ["A10 NUL", "abc\0defgh", "invalid_text"],
    ["A10 lone surrogate", "abcdefg\ud800", "invalid_text"],
    ["A10 eight emoji are eight characters", "😀".repeat(8), undefined],
    ["A10 seven emoji are too few", "😀".repeat(7), "too_short"],
    ["A10 128 emoji", "😀".repeat(128), undefined],
    ["A12 empty", "", "too_short"],
  ])("%s", (_name, typed, error) => {
    expect(passwordError(typed)).toBe(error);
  });
});

test("a name loses controls, bidi marks and doubled spaces, and keeps accents", () => {
  expect(normalizeName("  Joa\u0303o\u202e \0 Zé\n ")).toBe("João Zé");
  expect(normalizeName("\u200b \u2060")).toBe("");
  expect(normalizeName("a\ud800b")).toBe("");
});

test("time zones are IANA names", () => {
  expect(["America/Sao_Paulo", "America/Noronha", "UTC", "Etc/GMT+3"].filter(isTimeZone)).toHaveLength(4);
  expect(
    ["", "+03:00", "Marte/Olimpo", "America/Sao_Paulo; drop", "x".repeat(100)].filter(isTimeZone),
  ).toEqual([]);
});
