import { expect, type Locator, type Page } from "@playwright/test";
import type { LocalSimulator } from "../../simulators/whatsapp/local.ts";
import { xlsx } from "../support/xlsx.ts";
import { createCampaign } from "./support/last-look.ts";
import { call, link } from "./support/linked.ts";
import { signUpUnseen } from "./support/person.ts";
import { test } from "./support/product.ts";

const DEVICE = "5531907773055";
const [ANA, MARCOS, SILVIA, BIA] = [
  "5531988117701",
  "5531988117702",
  "5531988117703",
  "5531988117704",
] as const;

let simulator: LocalSimulator;

test.use({ viewport: { width: 1440, height: 900 } });
test.beforeEach(({ whatsapp }) => {
  simulator = whatsapp;
});

const shown = (inDays: number) => {
  const [year, month, day] = new Date(Date.now() + inDays * 86_400_000).toISOString().slice(0, 10).split("-");
  return `${day}/${month}/${year}`;
};

const petShop = () =>
  xlsx([
    ["Nome", "Responsável", "Fone", "Retorno"],
    ["Rex", "Ana Rocha", "(31) 98811-7701", shown(10)],
    ["Mel", "Marcos Prado", "(31) 98811-7702", shown(20)],
    ["Thor", "Sílvia Antunes", "(31) 98811-7703", shown(90)],
    ["Lua", "Bia Moura", "(31) 98811-7704", shown(12)],
  ]);

async function become(dialog: Locator, column: string, label: string, kind: "text" | "date"): Promise<void> {
  const choice = dialog.getByLabel(`O que é a coluna ${column}`);
  const known = `Campo ${label}`;
  if ((await choice.textContent())?.includes(known)) {
    await choice.selectOption({ label: known });
    return;
  }
  await choice.selectOption(`new ${kind}`);
  const name = dialog.getByLabel(`Nome do campo da coluna ${column}`);
  await name.fill(label);
  await name.blur();
}

async function importPetShop(page: Page, list: string): Promise<void> {
  await page.goto("/contacts");
  await page.getByRole("button", { name: "Importar", exact: true }).first().click();
  const dialog = page.getByRole("dialog");
  const chooser = page.waitForEvent("filechooser");
  await dialog.getByRole("button", { name: "Escolher arquivo" }).click();
  await (await chooser).setFiles({
    name: "pets.xlsx",
    mimeType: "application/octet-stream",
    buffer: petShop(),
  });
  await dialog.getByRole("button", { name: "Continuar" }).click();
  const doubt = dialog.getByRole("region", { name: "Qual coluna traz o nome de quem recebe?" });
  await expect(doubt.getByRole("radio", { name: /^Nome/ })).toHaveAccessibleName(/Oi, Rex!/);
  await doubt.getByRole("radio", { name: /^Responsável/ }).click();
  await expect(dialog).toContainText("Oi, Ana Rocha!");
  await become(dialog, "Nome", "Pet", "text");
  await become(dialog, "Retorno", "Retorno", "date");
  await dialog.getByRole("button", { name: "Continuar" }).click();
  await dialog.getByLabel("Nome da lista").fill(list);
  await dialog.getByRole("radio", { name: /^São clientes/ }).check();
  await dialog.getByRole("button", { name: "Importar" }).click();
  await expect(dialog.getByRole("heading", { name: "Importação concluída" })).toBeVisible();
}

test("a pet shop's sheet becomes a reminder with each pet's date, to those who are due alone; who asked to be erased stays out", async ({
  page,
}) => {
  await signUpUnseen(page);
  await link(page, simulator, DEVICE);
  await importPetShop(page, "Clientes");
  await page.getByRole("dialog").getByRole("button", { name: "Concluir" }).click();
  await call(page, "POST", "/api/contacts", { name: "Bia Moura", phone: BIA });

  await page.goto("/campaigns/new");
  await page.getByLabel("Nome da campanha").fill("Retornos");
  await page
    .getByLabel("Texto", { exact: true })
    .fill("Oi, {primeiro_nome}! O retorno de {pet} é dia {retorno}.");
  await page.getByLabel("Quando o contato não tem nome").fill("cliente");
  for (const name of ["Pet", "Retorno"])
    await page.getByLabel(new RegExp(`^Quem não tem ${name}`)).selectOption("leave");
  await page.getByRole("button", { name: "Lista ou segmento" }).click();
  await page
    .getByRole("dialog", { name: "Enviar também para" })
    .getByRole("button", { name: "Novo segmento" })
    .click();
  const editor = page.getByRole("dialog", { name: "Novo segmento" });
  await editor.getByLabel("Nome do segmento").fill("Retorno no mês");
  await editor.getByLabel("Sobre o quê, condição 1").selectOption({ label: "Retorno" });
  await editor.getByLabel("Teste da condição 1").selectOption({ label: "é nos próximos dias" });
  await editor.getByLabel("Valor da condição 1").fill("30");
  await expect(editor).toContainText("3 pessoas");
  await editor.getByRole("button", { name: "Salvar segmento" }).click();

  await page.getByRole("button", { name: "Deixar de fora" }).click();
  await page.getByRole("menuitem", { name: "Pessoas de uma lista" }).click();
  await page
    .getByRole("dialog")
    .getByRole("button", { name: /Contato manual - Bia Moura/ })
    .click();
  const ledger = page.getByRole("region", { name: "Quem recebe e quem fica de fora" });
  await expect(ledger).toContainText(/Recebem\D*2/);
  await expect(page.getByRole("complementary", { name: "Pré-visualização" })).toContainText(
    `Oi, Ana! O retorno de Rex é dia ${shown(10)}.`,
  );
  await page.getByLabel("Intervalo entre mensagens").fill("0");
  await createCampaign(page);

  const held = async (to: string, atLeast: number) =>
    (await simulator.control.messages({ to, atLeast })).messages.map(({ text }) => text);
  expect(await held(ANA, 1)).toEqual([`Oi, Ana! O retorno de Rex é dia ${shown(10)}.`]);
  expect(await held(MARCOS, 1)).toEqual([`Oi, Marcos! O retorno de Mel é dia ${shown(20)}.`]);
  await expect(page.getByRole("article", { name: "Retornos" })).toContainText("Concluída");
  expect([await held(SILVIA, 0), await held(BIA, 0)]).toEqual([[], []]);

  await page.goto("/contacts/pessoas");
  await page.getByRole("link", { name: "Marcos Prado" }).click();
  await page.getByRole("button", { name: "Apagar a pedido" }).click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Apagar de vez" }).click();
  await expect(page.getByText("Dados da pessoa apagados")).toBeVisible();
  await importPetShop(page, "De novo");
  await expect(page.getByRole("dialog")).toContainText("1 pessoa apagada a pedido ficou de fora.");
  await page.getByRole("dialog").getByRole("button", { name: "Concluir" }).click();
  await expect(page.getByRole("article", { name: "De novo" })).toContainText("3 contatos");
});
