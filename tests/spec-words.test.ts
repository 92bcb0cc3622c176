import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { ERROR_MESSAGES, PORTUGUESE } from "../src/contract/error-messages.ts";
import { causesText } from "../src/web/messages/campaign-causes.ts";
import { campaignsText } from "../src/web/messages/campaigns.ts";
import { commonText } from "../src/web/messages/common.ts";
import { connectText } from "../src/web/messages/connect.ts";
import { contactsText } from "../src/web/messages/contacts.ts";
import { importText } from "../src/web/messages/import.ts";
import { instancesText } from "../src/web/messages/instances.ts";

const { deliveryName, failureLine } = PORTUGUESE;
const CATALOGUES = import.meta.glob(["../src/web/messages/*.ts", "!**/format*.ts"], { eager: true });
const ENGLISH_CATALOGUES = import.meta.glob("../src/web/messages/en/*.ts", { eager: true });

const FILLED: Record<string, [shown: string, expected: string]> = {
  "Lista {id}": [commonText.unnamedList(7), "Lista 7"],
  "+N contatos": [contactsText.rest(409), "+409 contatos"],
  "Contato manual - {name}": [contactsText.adding.ownHint("Ana"), "Fica na lista «Contato manual - Ana»."],
  "WhatsApp ": [connectText.page.nameDefault("5531907773055"), "WhatsApp 5531907773055"],
  'Tem certeza que deseja excluir a instância "{name}"?': [
    instancesText.removing.question("loja"),
    'Tem certeza que deseja excluir a instância "loja"?',
  ],
  "Falha ao enviar mensagem para {phone}: {reason}": [
    failureLine("5531907773055", "not_on_whatsapp"),
    "Falha ao enviar mensagem para 5531907773055: este número não tem WhatsApp",
  ],
  Enviado: [deliveryName("sent", null), "Enviado"],
  "Aceito pelo servidor": [deliveryName("accepted", null), "Aceito pelo servidor"],
  Erro: [deliveryName("error", "no_ack"), "Erro"],
  Lido: [deliveryName("read", null), "Lido"],
  "Ignorado (repetido)": [deliveryName("skipped", "duplicate"), "Ignorado (repetido)"],
  "Perdida: confirmar": [causesText.missed("19/11/2026 08:00").fact, "Perdida: confirmar."],
  "iniciada com atraso": [campaignsText.late, "Iniciada com atraso"],
  "nono dígito acrescentado": [importText.ninth(1), "1 celular antigo: nono dígito acrescentado."],
};

/**
 * Quoted in English (decision 17) or named in the settings section (decision 16): from the English catalogue.
 */
const ENGLISH_WORDS = [
  "Passwords do not match",
  "Failed to create an account",
  "Log Out",
  "Dashboard",
  "Failed to create campaign. Please try again.",
  "General",
  "API Keys",
  "WhatsApp Connection",
  "Notifications",
  "Billing",
  "Cancel",
  "Save Changes",
  "Show",
  "Copy",
  "Revoke",
  "Generate New Key",
];

const NO_WORDS = [
  "robôs",
  "default",
  "admin",
  "evolution",
  "name,phone",
  "change",
  "In Progress",
  "logged only",
];

function* textsIn(value: unknown): Generator<string> {
  if (typeof value === "string") yield value;
  else if (typeof value === "object" && value !== null)
    for (const inner of Object.values(value)) yield* textsIn(inner);
}

function quotedIn(page: string): string[] {
  const text = fs.readFileSync(path.join(import.meta.dirname, "..", "docs", "spec", page), "utf8");
  const quotes = text.matchAll(/(?<!\p{L})'([^'\n]{2,160})'(?!\p{L})|«([^»]+)»/gu);
  return [...new Set(Array.from(quotes, ([, inQuotes, inMarks]) => inQuotes ?? inMarks ?? ""))];
}

test.each(["product-spec.md", "decisions.md"])(
  "every text that docs/spec/%s quotes is shown as it is @spec 0.1 @decision 17",
  (page) => {
    const known = new Set([
      ...textsIn(CATALOGUES),
      ...textsIn(ERROR_MESSAGES),
      ...NO_WORDS,
      ...ENGLISH_WORDS,
    ]);
    const quoted = quotedIn(page);
    expect(quoted.length).toBeGreaterThan(30);
    expect(quoted.filter((text) => !known.has(text) && !(text in FILLED))).toEqual([]);
  },
);

test.each(ENGLISH_WORDS)("«%s» is a text of the page in English", (text) => {
  expect([...textsIn(ENGLISH_CATALOGUES)]).toContain(text);
});

test.each(Object.entries(FILLED))("«%s», filled in", (_quoted, [shown, expected]) => {
  expect(shown).toBe(expected);
});
