import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";

/* Texts of the specification keep its capitals («Nova Campanha»); our own use sentence case. Title case of
   ours would be a third style. */

const ROOT = path.join(import.meta.dirname, "..");
const MESSAGES = path.join(ROOT, "src/web/messages");
const SPEC = ["product-spec.md", "decisions.md"]
  .map((page) => fs.readFileSync(path.join(ROOT, "docs/spec", page), "utf8"))
  .join("\n");

const NAMES = [
  "WhatsApp",
  "Recado",
  "Evolution",
  "Mistral",
  "Manager",
  "Excel",
  "WebP",
  "Chrome",
  "Edge",
  "Firefox",
  "Safari",
  "Business",
  "Friday",
  "Ana",
  "Beatriz",
  "Ótica",
  "Horizonte",
  "Paulo",
  "Rio",
  "Janeiro",
  "Brasília",
  "Sul",
  "Amazonas",
  "Mato",
  "Grosso",
  "Grande",
  "Ceará",
  "Maranhão",
  "Piauí",
  "Pernambuco",
  "Bahia",
  "Amapá",
  "Pará",
  "Alagoas",
  "Sergipe",
  "Tocantins",
  "Velho",
  "Rondônia",
  "Vista",
  "Roraima",
  "Branco",
  "Acre",
  "Noronha",
];
const NAMED_PARTS = [
  "Conexões",
  "Configurações",
  "Notificações",
  "Meus",
  "Robôs",
  "Dashboard",
  "Webhook",
  "Reutilizar",
  "Detalhes",
  "Conectar",
  "Dispositivos",
  "Nome",
  "Telefone",
  "Enviado",
  "Pendente",
  "Erro",
  "Aceita",
];
const CAPITALS = new Set([...NAMES, ...NAMED_PARTS]);

const capitals = (text: string): string[] =>
  [...text.matchAll(/(?<=[\p{Ll},] )\p{Lu}\p{Ll}[\p{L}]*/gu)].map(([word]) => word);

const textsOf = (source: string): string[] =>
  [...source.matchAll(/"((?:[^"\\\n]|\\.)*)"|`([^`]*)`/g)].map(([, plain, filled]) => plain ?? filled ?? "");

test("26.20 texts that the specification does not quote have capitals for names alone", () => {
  const files = fs
    .readdirSync(MESSAGES)
    .filter((name) => name.endsWith(".ts") && !/^(locale|format)\b/.test(name));
  expect(files.length).toBeGreaterThan(20);
  const wrong = files.flatMap((file) =>
    textsOf(fs.readFileSync(path.join(MESSAGES, file), "utf8"))
      .filter((text) => !SPEC.includes(text) && capitals(text).some((word) => !CAPITALS.has(word)))
      .map((text) => `${file}: ${text}`),
  );
  expect(wrong).toEqual([]);
});
