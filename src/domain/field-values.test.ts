import { expect, test } from "vitest";
import { FIELD_TEXT_LIMIT, readFieldCell, readFieldValue } from "./field-values.ts";

test.each([
  ["text", "  Rex\n e  Bob ", { value: "Rex  e  Bob" }],
  ["text", "Joa\u0303o\u200b", { value: "João" }],
  ["text", "   ", { value: null }],
  ["text", "a".repeat(FIELD_TEXT_LIMIT), { value: "a".repeat(FIELD_TEXT_LIMIT) }],
  ["text", "😀".repeat(FIELD_TEXT_LIMIT), { value: "😀".repeat(FIELD_TEXT_LIMIT) }],
  ["text", "😀".repeat(FIELD_TEXT_LIMIT + 1), { error: { code: "too_long", n: FIELD_TEXT_LIMIT } }],
  ["text", "a\0b", { error: "invalid_text" }],
  ["text", "a\ud800", { error: "invalid_text" }],
  ["text", 5, { error: "wrong_type" }],
  ["number", 1234.5, { value: 1234.5 }],
  ["number", 0, { value: 0 }],
  ["number", Number.POSITIVE_INFINITY, { error: "wrong_type" }],
  ["number", Number.NaN, { error: "wrong_type" }],
  ["number", "5", { error: "wrong_type" }],
  ["number", true, { error: "wrong_type" }],
  ["date", "2024-02-29", { value: "2024-02-29" }],
  ["date", "1899-12-31", { value: "1899-12-31" }],
  ["date", "", { value: null }],
  ["date", "2023-02-29", { error: "invalid_date" }],
  ["date", "2026-13-01", { error: "invalid_date" }],
  ["date", "2026-1-1", { error: "invalid_date" }],
  ["date", "27/11/2026", { error: "invalid_date" }],
  ["date", "2026-11-27T10:00:00Z", { error: "invalid_date" }],
  ["date", 20261127, { error: "wrong_type" }],
  ["boolean", false, { value: false }],
  ["boolean", "true", { error: "wrong_type" }],
  ["boolean", 1, { error: "wrong_type" }],
  ["number", null, { value: null }],
] as const)("a %s reads %j as %j", (kind, value, expected) => {
  expect(readFieldValue(kind, value)).toEqual(expected);
});

test.each([
  ["date", "12/10/2026", "2026-10-12"],
  ["date", "1-2-26 14:30", "2026-02-01"],
  ["date", "03.04.85", "1985-04-03"],
  ["date", "2026-10-12T00:00", "2026-10-12"],
  ["number", "R$ 1.234,50", 1234.5],
  ["number", "1.234", 1234],
  ["number", "1234.567", 1234.567],
  ["number", "1,234,567.5", 1234567.5],
  ["number", "-0,5", -0.5],
  ["number", "10%", 10],
  ["boolean", "Não", false],
  ["boolean", "x", true],
  ["text", "  Dra. Iara ", "Dra. Iara"],
  ["number", " ", null],
] as const)("a cell of %s, «%s», is %j", (kind, cell, value) => {
  expect(readFieldCell(kind, cell)).toEqual({ value });
});

test.each([
  ["date", "12/25/2026"],
  ["date", "ontem"],
  ["date", "1/1/926"],
  ["number", "1.23.4"],
  ["number", "12 caixas"],
  ["boolean", "talvez"],
] as const)("a cell of %s, «%s», is not guessed", (kind, cell) => {
  expect(readFieldCell(kind, cell)).toHaveProperty("error");
});
