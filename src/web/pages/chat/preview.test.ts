import { expect, test } from "vitest";
import type { Chat } from "../../../contract/chats.ts";
import { preview } from "./preview.ts";

const last = (some: Partial<Chat["last"]>): Chat["last"] => ({
  text: "oi",
  kind: "text",
  fromMe: false,
  source: "contact",
  at: "2026-11-20T12:00:00.000Z",
  ...some,
});

test("a person of ours is «Você»; what an assistant or another program wrote says so", () => {
  const ours = (source: Chat["last"]["source"]) => preview(last({ fromMe: true, source }));
  expect(
    [null, "chat", "agent", "opt_out", "api"].map((source) => ours(source as Chat["last"]["source"])),
  ).toEqual(["Você: oi", "Você: oi", "Assistente: oi", "Confirmação automática: oi", "API: oi"]);
});

test("what others wrote stands alone, in one line, with the name of what has no text", () => {
  expect(preview(last({ text: " bom\n dia " }))).toBe("bom dia");
  expect(preview(last({ kind: "image", text: "" }))).toBe("Imagem");
  expect(preview(last({ kind: "document", text: "preços.pdf" }))).toBe("Documento: preços.pdf");
  expect(preview(last({ kind: "image", text: "a vitrine", fromMe: true, source: null }))).toBe(
    "Você: Imagem: a vitrine",
  );
  expect(preview(last({ text: "" }))).toBe("Nenhuma mensagem");
  expect(preview(last({ kind: "other", text: "" }))).toBe("Mensagem que só o celular mostra");
  expect(preview(last({ kind: "other", text: "Quando?" }))).toBe("Quando?");
});
