import { expect, test } from "vitest";
import { captionOf, isForwardable } from "./forwarding.ts";

test.each([
  ["a text", { kind: "text", text: "Oi", file: null }, true],
  ["an empty text", { kind: "text", text: " ", file: null }, false],
  ["a picture without words", { kind: "image", text: "", file: "image" }, true],
  ["a voice note", { kind: "audio", text: "", file: "voice" }, true],
  ["a picture of which no file is known", { kind: "image", text: "Olha", file: null }, false],
  ["a sticker", { kind: "sticker", text: "", file: "sticker" }, false],
  ["a place with its name", { kind: "location", text: "Praça", file: null }, false],
  ["a card", { kind: "contact", text: "Ana", file: null }, false],
] as const)("%s can be forwarded: %#", (_, message, forwardable) => {
  expect(isForwardable(message)).toBe(forwardable);
});

test("a document's name is no caption, other words are", () => {
  const document = { kind: "document", name: "Nota 7.pdf" } as const;
  expect(captionOf({ ...document, text: "Nota 7.pdf" })).toBe("");
  expect(captionOf({ ...document, text: "Segue a nota" })).toBe("Segue a nota");
  expect(captionOf({ kind: "text", text: "Nota 7.pdf", name: null })).toBe("Nota 7.pdf");
});
