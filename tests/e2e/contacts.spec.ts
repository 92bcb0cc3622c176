import fs from "node:fs";
import { expect, type Page } from "@playwright/test";
import { importAs } from "./support/import-steps.ts";
import { signUpUnseen } from "./support/person.ts";
import { test } from "./support/product.ts";

test.beforeEach(async ({ page }) => {
  await signUpUnseen(page);
  await page.goto("/contacts");
});

const windows1252 = (lines: string[]) => Buffer.from(`${lines.join("\r\n")}\r\n`, "latin1");

const card = (page: Page, name: string) => page.getByRole("article", { name });

async function pickFile(page: Page, name: string, buffer: Buffer) {
  const chooser = page.waitForEvent("filechooser");
  await page.getByRole("button", { name: /Escolher arquivo|Trocar/ }).click();
  await (await chooser).setFiles({ name, mimeType: "application/vnd.ms-excel", buffer });
}

async function pasteJson(page: Page, list: string, json: string) {
  await page.getByRole("button", { name: "Importar", exact: true }).first().click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("tab", { name: "Colar JSON" }).click();
  await dialog.getByLabel("Contatos em JSON").fill(json);
  await importAs(dialog, list);
}

test("a file that Excel saved is imported, and its report says what became of each row @spec 0.1,1.3,2.51,5.6 @decision 6", async ({
  page,
}) => {
  await page.getByRole("button", { name: "Importar", exact: true }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: "Continuar" }).click();
  await expect(dialog.getByText("Escolha um arquivo.")).toBeVisible();

  const rows = [
    "Nome;Telefone",
    "Ana Conceição;(31) 90234-1187",
    "José Araújo;31 90871-4420",
    "Outra Ana;+55 31 90234-1187",
    "Luís;31 8765-4321",
    "Sem Número;",
    "Excel;5,51199E+12",
    "Zélia;31 90562-0093",
  ];
  await pickFile(page, "clientes-savassi.csv", windows1252(rows));
  await expect(dialog.getByText("clientes-savassi.csv")).toBeVisible();
  await importAs(dialog, "Clientes Savassi");

  await expect(dialog.getByRole("heading", { name: "Importação concluída" })).toBeVisible();
  const sums = dialog.locator("dl");
  await expect(sums).toContainText("importados4");
  await expect(sums).toContainText("repetido, unido1");
  await expect(sums).toContainText("recusados2");
  await expect(dialog.getByText("1 celular antigo: nono dígito acrescentado.")).toBeVisible();
  const refused = dialog.getByRole("region", { name: "Linhas recusadas" }).getByRole("row");
  await expect(refused.nth(1)).toContainText("6Sem Número(vazio)");
  await expect(refused.nth(2)).toContainText("7Excel5,51199E+12");

  const download = page.waitForEvent("download");
  await dialog.getByRole("link", { name: "Baixar linhas recusadas" }).click();
  const csv = fs.readFileSync(await (await download).path(), "utf8");
  expect(csv).toContain("Sem Número");
  expect(csv).not.toContain("Zélia");

  await dialog.getByRole("button", { name: "Concluir" }).click();
  await expect(page.getByText("1 lista, 4 contatos")).toBeVisible();
  await expect(page.getByRole("button", { name: "Importar", exact: true })).toBeFocused();
  const list = card(page, "Clientes Savassi");
  await expect(list).toContainText("Ana Conceição");
  await expect(list).toContainText("+55 31 90234-1187");
  await expect(list).toContainText("+1 contato");
});

test("an exported list reads back as the same people, who are each once, corrected and made one @spec 1.3,2.49,2.52,4.18,5.10 @decision 30", async ({
  page,
}) => {
  await pasteJson(
    page,
    "Original",
    '[{"name":"Ana Conceição","phone":"31902341187"},{"name":"=SOMA(A1)","phone":"+351912345678"}]',
  );
  await page.getByRole("button", { name: "Concluir" }).click();
  await page.getByRole("button", { name: "Exportar" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: "Exportar" }).click();
  await expect(dialog.getByText("Escolha uma lista.")).toBeVisible();
  await dialog.getByLabel("Lista de contatos").selectOption({ label: "Original (2 contatos)" });
  const download = page.waitForEvent("download");
  await dialog.getByRole("button", { name: "Exportar" }).click();
  const file = await download;
  expect(file.suggestedFilename()).toMatch(/^\d+_\d{8}-\d{6}_contatos\.csv$/);
  const bytes = fs.readFileSync(await file.path());
  expect(bytes.toString("utf8")).toMatch(/^\uFEFFNome;Telefone\r?\n/);

  await page.getByRole("button", { name: "Importar", exact: true }).click();
  await pickFile(page, file.suggestedFilename(), bytes);
  await importAs(dialog, "Volta");
  await dialog.getByRole("button", { name: "Concluir" }).click();
  for (const name of ["Original", "Volta"]) {
    await expect(card(page, name)).toContainText("Ana Conceição+55 31 90234-1187");
    await expect(card(page, name)).toContainText("=SOMA(A1)+351 912 345 678");
  }

  await page.getByRole("link", { name: "Todas as pessoas" }).click();
  const people = page.getByRole("row").filter({ hasText: "+" });
  await expect(people).toHaveText([/=SOMA\(A1\)/, /Ana Conceição/]);
  await page.getByRole("link", { name: "=SOMA(A1)" }).click();
  const lists = page.getByRole("region", { name: "Listas" });
  await expect(lists.getByRole("listitem")).toHaveText([/Volta/, /Original/]);
  await expect(page.getByRole("region", { name: "Origem" })).toContainText("Texto colado, linha 2");
  await page.getByRole("button", { name: "Editar" }).click();
  await dialog.getByLabel("Telefone").fill("31 90234-1187");
  await dialog.getByRole("button", { name: "Salvar" }).click();
  await expect(dialog.getByRole("alert")).toContainText("Este telefone já é de Ana Conceição.");
  await dialog.getByRole("button", { name: "Juntar as duas" }).click();
  await dialog.getByRole("radio", { name: "Ana Conceição" }).check();
  await dialog.getByRole("button", { name: "Juntar" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "Ana Conceição" })).toBeVisible();
  await page.getByRole("main").getByRole("link", { name: "Todas as pessoas" }).click();
  await expect(people).toHaveText([/Ana Conceição\s*\+55 31 90234-1187/]);
  await page.getByRole("link", { name: "Ver listas" }).click();
  for (const name of ["Original", "Volta"]) await expect(card(page, name)).toContainText("1 contato");
});
