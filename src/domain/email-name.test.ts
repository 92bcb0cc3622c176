import { expect, test } from "vitest";
import { EMAIL_NAME_MAX, hostInEmail, nameInEmail } from "./email-name.ts";

test.each([
  ["Ana Souza", "Ana Souza"],
  ["José d'Ávila & Filhos (SP)", "José d'Ávila & Filhos (SP)"],
  ["Black Friday 2026-11-27", "Black Friday 2026-11-27"],
  ["acesse https://golpe.example/pix?u=1 já", "acesse golpe example pix?u 1 já"],
  ["www.golpe.example", "golpe example"],
  ["WWW golpe", "golpe"],
  ["alvo29@golpe.example", "alvo29 golpe example"],
  // Full-width and one-dot signs become ASCII under NFKC.
  ["golpe．example／pix", "golpe example pix"],
  ["golpe․example", "golpe example"],
  ["golpe。example", "golpe example"],
  ["golpe｡example", "golpe example"],
  ["golpe﹒example", "golpe example"],
  ["ｈｔｔｐｓ：／／golpe", "golpe"],
  // Zero-width signs would hide a scheme from the word list.
  ["ht\u200btp golpe", "golpe"],
  ["go\u00adlpe\u2060", "golpe"],
  ["\u202egolpe\u202c\u2066x\u2069", "golpex"],
  ["a\r\nBcc: x", "a Bcc x"],
  ["ligue 11 99999-0000 agora", "ligue - agora"],
  ["<a href=x>clique</a>", "a href x clique a"],
  ["[clique](golpe)", "clique (golpe)"],
  ["\u0000\u200b", ""],
  ["://", ""],
])("the name %j is «%s» in an e-mail", (text, name) => {
  expect(nameInEmail(text)).toBe(name);
});

test("a long name is cut, whole signs only", () => {
  const cut = nameInEmail("𝔸".repeat(20) + "ã".repeat(60));
  expect(Array.from(cut)).toHaveLength(EMAIL_NAME_MAX);
  expect(cut.endsWith("ã…")).toBe(true);
  expect(Array.from(nameInEmail("n".repeat(EMAIL_NAME_MAX)))).toHaveLength(EMAIL_NAME_MAX);
});

test("stacked marks do not climb over other lines", () => {
  expect(Array.from(nameInEmail(`a${"\u0315".repeat(50)}`))).toHaveLength(3);
});

test.each([
  ["crm.exemplo.com.br:8443", "crm[.]exemplo[.]com[.]br[:]8443"],
  ["golpe。example/x", "golpeexamplex"],
  ["[2001:db8::1]", "2001[:]db8[:][:]1"],
])("the host %j is «%s» in an e-mail", (host, text) => {
  expect(hostInEmail(host)).toBe(text);
});
