import { expect } from "vitest";
import { page } from "vitest/browser";
import type { PersonEvent } from "../../../src/contract/people.ts";
import { changingPeople } from "../support/people-writes.ts";
import { contactField, contactList, knownPerson, minutesAgo } from "../support/rows.ts";
import { button, pick, press } from "../support/screen.ts";
import { opened, type Row, type Screen, screenOf } from "../support/screens.ts";
import { workingWorld } from "../support/working-world.ts";
import type { World } from "../support/world.ts";

const LONG = "Clínica veterinária Quatro Patas da unidade Savassi e arredores, com banho e tosa";
const LIST = 900_210;
const PERSON = 900_211;

const HISTORY: PersonEvent[] = [
  { kind: "reply", at: minutesAgo(9), chatId: 1, connectionId: 1, text: `Não quero mais. ${LONG}` },
  { kind: "reply", at: minutesAgo(12), chatId: 1, connectionId: 1, text: null },
  ...(["read", "error", "uncertain", "skipped", "pending"] as const).map(
    (status, n): PersonEvent => ({
      kind: "campaign",
      at: minutesAgo(30 + n),
      campaignId: 40 + n,
      campaignName: n === 0 ? LONG : "Vacinas",
      status,
      reason: status === "skipped" ? "opted_out" : null,
      messages: { sent: status === "read" ? 3 : n, all: 3 },
    }),
  ),
];

function clinic(): World {
  const list = contactList({ id: LIST, name: LONG, count: 60 });
  const lists = [{ id: LIST, name: LONG }];
  const values = { pet: "Rex", observacoes: LONG, ultima: "2026-02-07", peso: 1_250.5, castrado: true };
  const people = Array.from({ length: 60 }, (_, n) => knownPerson(n, { lists, fields: values }));
  people[1] = knownPerson(1, { name: "", lists, optedOut: true });
  people[0] = knownPerson(0, {
    id: PERSON,
    name: LONG,
    lists,
    fields: values,
    updatedAt: minutesAgo(3),
    optOut: { source: "reply", text: LONG, at: minutesAgo(9) },
  });
  return {
    ...workingWorld(),
    lists: [list, contactList({ name: "Vacinas", count: 1_284_000 })],
    people,
    histories: { [PERSON]: HISTORY },
    fields: [
      contactField(),
      contactField({ key: "observacoes", label: LONG }),
      contactField({ key: "ultima", label: "Última vacina", kind: "date" }),
      contactField({ key: "peso", label: "Peso", kind: "number" }),
      contactField({ key: "castrado", label: "Castrado", kind: "boolean" }),
    ],
  };
}

const select = (name: string) =>
  page.getByRole("checkbox", { name: `Selecionar ${name}`, exact: true }).click();

const selecting = (name?: string) => async () => {
  await select("Pessoa 2");
  await select("Pessoa 3");
  if (name === undefined) return;
  await press(name);
  await expect.element(opened()).toBeVisible();
};

const opening = (name: string) => async () => {
  await press(name);
  await expect.element(opened()).toBeVisible();
};

const fromMenu = (menu: string, entry: string) => async () => {
  await press(menu);
  await pick(entry);
  await expect.element(opened()).toBeVisible();
};

async function openMerge() {
  await press("Editar");
  await opened().getByLabelText("Telefone").fill("+55 31 90000-0005");
  await button("Salvar", opened()).click();
  await press("Juntar as duas");
  await expect.element(opened()).toMatchTextContent("Juntar duas pessoas");
}

async function removeField() {
  await press("Colunas");
  await button("Mais ações do campo Pet", opened()).click();
  await pick("Remover campo");
  await expect.element(page.getByRole("alertdialog")).toBeVisible();
}

async function takeAllOut() {
  await select("Pessoa 2");
  await press("Selecionar todas as 60");
  await press("Tirar da lista");
  await expect.element(opened()).toBeVisible();
}

const ROWS: Row[] = [
  ["people", "/contacts/pessoas", "Pessoa 2"],
  ["people-list", "/contacts/pessoas?lista=900210", "Pessoa 2"],
  ["people-selected", "/contacts/pessoas?lista=900210", "Pessoa 2", selecting()],
  [
    "people-editing",
    "/contacts/pessoas",
    "Pessoa 2",
    async () => {
      await press("Editar na tabela");
    },
  ],
  ["people-nothing", "/contacts/pessoas?busca=ninguem%20assim", "Nenhuma pessoa encontrada"],
  ["people-list-gone", "/contacts/pessoas?lista=5", "Esta lista não existe mais."],
  ["people-put", "/contacts/pessoas", "Pessoa 2", selecting("Pôr em lista")],
  ["people-take-out", "/contacts/pessoas?lista=900210", "Pessoa 2", takeAllOut],
  ["people-remove", "/contacts/pessoas", "Pessoa 2", selecting("Remover")],
  ["segments", "/contacts/pessoas", "Pessoa 2", opening("Segmentos")],
  ["people-columns", "/contacts/pessoas", "Pessoa 2", opening("Colunas")],
  ["people-remove-field", "/contacts/pessoas", "Pessoa 2", removeField],
  ["people-add", "/contacts/pessoas", "Pessoa 2", opening("Nova pessoa")],
  [
    "people-duplicate",
    "/contacts/pessoas?lista=900210",
    "Pessoa 2",
    fromMenu("Mais ações da lista", "Duplicar lista"),
  ],
  ["person-page", "/contacts/pessoas/900211", "Histórico"],
  ["person-erase", "/contacts/pessoas/900211", "Histórico", opening("Apagar a pedido")],
  ["person-gone", "/contacts/pessoas/5", "Pessoa não encontrada"],
  ["person-merge", "/contacts/pessoas/900211", "Histórico", openMerge, { prepare: changingPeople }],
];

export const SCREENS: Screen[] = ROWS.map(screenOf(clinic));
