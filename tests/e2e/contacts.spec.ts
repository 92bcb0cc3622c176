import fs from "node:fs";
import { expect, type Page, test } from "@playwright/test";
import { sql } from "kysely";
import { type ProductServer, startProduct } from "../support/server.ts";
import { expectAccessible } from "./support/axe.ts";
import { heldAnswer } from "./support/held-answer.ts";
import { signUpUnseen } from "./support/person.ts";
import { productRows } from "./support/product-rows.ts";

let product: ProductServer;

test.beforeAll(async () => {
  product = await startProduct();
});
test.afterAll(() => product.close());

test.beforeEach(async ({ page }) => {
  await signUpUnseen(page, product.url);
  await page.goto(`${product.url}/contacts`);
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
  await dialog.getByLabel("Nome da lista").fill(list);
  await dialog.getByRole("tab", { name: "Colar JSON" }).click();
  await dialog.getByLabel("Contatos em JSON").fill(json);
  await dialog.getByRole("button", { name: "Importar" }).click();
}

test("a file that Excel saved is imported, and its report says what became of each row @spec 0.1,1.3,2.51,5.6 @decision 6", async ({
  page,
}) => {
  await page.getByRole("button", { name: "Importar", exact: true }).click();
  const dialog = page.getByRole("dialog");
  await expect(dialog.getByLabel("Nome da lista")).toBeFocused();
  await dialog.getByRole("button", { name: "Importar" }).click();
  await expect(dialog.getByText("Informe o nome da lista.")).toBeVisible();
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
  await expect(dialog.getByLabel("Nome da lista")).toHaveValue("clientes-savassi");
  await dialog.getByLabel("Nome da lista").fill("Clientes Savassi");
  await dialog.getByRole("button", { name: "Importar" }).click();

  await expect(dialog.getByRole("heading", { name: "Importação concluída" })).toBeVisible();
  const sums = dialog.locator("dl");
  await expect(sums).toContainText("importados4");
  await expect(sums).toContainText("repetido, unido1");
  await expect(sums).toContainText("recusados2");
  await expect(dialog.getByText("1 celular antigo: nono dígito acrescentado.")).toBeVisible();
  const refused = dialog.getByRole("region", { name: "Linhas recusadas" }).getByRole("row");
  await expect(refused.nth(1)).toContainText("6Sem Número(vazio)");
  await expect(refused.nth(2)).toContainText("7Excel5,51199E+12");
  await expectAccessible(page);

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

test("contacts pasted as JSON are imported once despite a lost answer; invalid text is refused with a message @spec 2.51,8.8", async ({
  page,
}) => {
  await pasteJson(page, "Da API", '{"name": "só um objeto"}');
  const dialog = page.getByRole("dialog");
  await expect(dialog.getByRole("alert")).toContainText("Erro ao importar lista.");
  await dialog.getByLabel("Contatos em JSON").fill('[{ "name": "Ana", "phone": "31 90234-1187" }]');
  const loseAnswer = (place = "**/api/contact-imports/json") =>
    page.route(place, async (route) => {
      await route.fetch();
      return route.abort();
    });
  await loseAnswer();
  await dialog.getByRole("button", { name: "Importar" }).click();
  await expect(dialog.getByRole("alert")).toContainText("O servidor não respondeu.");
  await page.unrouteAll();
  await dialog.getByRole("button", { name: "Importar" }).click();
  await expect(dialog.getByRole("heading", { name: "Importação concluída" })).toBeVisible();
  await dialog.getByRole("button", { name: "Concluir" }).click();
  await expect(card(page, "Da API")).toContainText("1 contato");
  const { db } = await productRows(product);
  expect((await sql`select from contact_list where name = 'Da API'`.execute(db)).rows).toHaveLength(1);

  await loseAnswer();
  await pasteJson(page, "Da loja", '[{ "name": "Bia", "phone": "31 90871-4420" }]');
  await expect(dialog.getByRole("alert")).toContainText("O servidor não respondeu.");
  await page.unrouteAll();
  await dialog.getByLabel("Contatos em JSON").fill('[{ "name": "Caio", "phone": "31 90562-0093" }]');
  await dialog.getByRole("button", { name: "Importar" }).click();
  await expect(dialog.getByRole("heading", { name: "Importação concluída" })).toBeVisible();
  await dialog.getByRole("button", { name: "Concluir" }).click();
  for (const name of ["Bia", "Caio"])
    await expect(card(page, "Da loja").filter({ hasText: name })).toContainText("1 contato");

  await loseAnswer("**/api/contacts");
  await page.getByRole("button", { name: "Novo Contato" }).click();
  await dialog.getByLabel("Nome").fill("Zélia");
  await dialog.getByLabel("Telefone").fill("31 90234-1188");
  await dialog.getByRole("button", { name: "Adicionar" }).click();
  await expect(dialog.getByRole("alert")).toContainText("O servidor não respondeu.");
  await page.unrouteAll();
  await dialog.getByRole("button", { name: "Adicionar" }).click();
  await expect(dialog).toBeHidden();
  await expect(card(page, "Contato manual - Zélia")).toContainText("1 contato");
});

test("the input of a failed import is kept; the file must be picked again", async ({ page }) => {
  await signUpUnseen(page, product.url);
  await page.goto(`${product.url}/contacts`);
  await page.getByRole("button", { name: "Importar contatos" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Nome da lista").fill("Clientes Savassi");
  const bytes = 'Nome;Telefone\nAna;31 90234-1187\nBia;"31 9\n';
  await dialog
    .locator("input[type=file]")
    .setInputFiles({ name: "clientes.csv", mimeType: "text/csv", buffer: Buffer.from(bytes) });
  await dialog.getByRole("button", { name: "Importar" }).click();
  await expect(dialog.getByRole("alert")).toContainText("Aspas não fechadas na linha 3.");
  await expect(dialog.getByLabel("Nome da lista")).toHaveValue("Clientes Savassi");
  await dialog.locator("input[type=file]").setInputFiles({
    name: "clientes.csv",
    mimeType: "text/csv",
    buffer: Buffer.from(bytes.replace('"', "")),
  });
  await dialog.getByRole("button", { name: "Importar" }).click();
  await expect(dialog.getByRole("heading", { name: "Importação concluída" })).toBeVisible();
  await dialog.getByRole("button", { name: "Importar outro arquivo" }).click();
  await expect(dialog.getByLabel("Nome da lista")).toHaveValue("");
});

test("deleting a list asks first, says what is lost, and begins on «Cancelar» @spec 0.1,1.3,2.50 @decision 29", async ({
  page,
}) => {
  await pasteJson(
    page,
    "Para apagar",
    '[{"name":"Ana","phone":"31902341187"},{"name":"Bruno","phone":"31908714420"}]',
  );
  await page.getByRole("button", { name: "Concluir" }).click();
  await card(page, "Para apagar")
    .getByRole("button", { name: /Excluir Lista/ })
    .click();
  const dialog = page.getByRole("alertdialog");
  await expect(
    dialog.getByRole("heading", { name: "Tem certeza que deseja excluir esta lista de contatos?" }),
  ).toBeVisible();
  await expect(dialog).toContainText("Os 2 contatos saem da lista «Para apagar»");
  const lists = await page.request.get(`${product.url}/api/contact-lists`);
  const data = { name: "Caio", phone: "31907773055", listId: (await lists.json()).items[0].id };
  const headers = { origin: product.url };
  expect((await page.request.post(`${product.url}/api/contacts`, { headers, data })).ok()).toBe(true);
  await expect(dialog).toContainText("Os 3 contatos saem da lista «Para apagar»");
  await expect(dialog.getByRole("button", { name: "Cancelar" })).toBeFocused();
  await expectAccessible(page);
  await page.keyboard.press("Enter");
  await expect(dialog).toBeHidden();
  await expect(card(page, "Para apagar")).toBeVisible();

  // Until the waiting campaigns of the list are known the deletion cannot be confirmed.
  const { asked, answer } = await heldAnswer(page, /\/api\/campaigns\?.*status=scheduled/);
  await card(page, "Para apagar")
    .getByRole("button", { name: /Excluir Lista/ })
    .click();
  await asked;
  await expect(dialog.getByRole("button", { name: "Excluir", exact: true })).toBeDisabled();
  answer();
  await dialog.getByRole("button", { name: "Excluir", exact: true }).click();
  await expect(page.getByText("Lista «Para apagar» excluída, 3 contatos")).toBeVisible();
  await expect(page.getByText("Nenhuma lista de contatos")).toBeVisible();
});

test("an exported list reads back as the same list @spec 1.3,2.49,2.52,4.18,5.10 @decision 30", async ({
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
  await dialog.getByLabel("Nome da lista").fill("Volta");
  await dialog.getByRole("button", { name: "Importar" }).click();
  await dialog.getByRole("button", { name: "Concluir" }).click();
  for (const name of ["Original", "Volta"]) {
    await expect(card(page, name)).toContainText("Ana Conceição+55 31 90234-1187");
    await expect(card(page, name)).toContainText("=SOMA(A1)+351 912 345 678");
  }
});

test("a contact added by hand is its own list, or goes to the one that was chosen @spec 1.3,2.49,2.53,3.14 @decision 26", async ({
  page,
}) => {
  const dialog = page.getByRole("dialog");
  const lists = /\/api\/contact-lists\?limit=100$/;
  await page.route(lists, (route) => route.fulfill({ status: 503 }));
  await page.getByRole("button", { name: "Novo Contato" }).click();
  await expect(dialog.getByRole("alert")).toContainText("Erro ao buscar listas.");
  await page.unroute(lists);
  await page.keyboard.press("Escape");

  await page.getByRole("button", { name: "Novo Contato" }).click();
  await dialog.getByRole("button", { name: "Adicionar" }).click();
  await expect(dialog.getByText("Informe o nome.")).toBeVisible();
  await dialog.getByLabel("Nome").fill("Rafael Nogueira");
  await dialog.getByLabel("Telefone").fill("31 9023");
  await dialog.getByRole("button", { name: "Adicionar" }).click();
  await expect(dialog.getByLabel("Telefone")).toHaveAttribute("aria-invalid", "true");
  await dialog.getByLabel("Telefone").fill("31 90458-9920");
  await dialog.getByRole("button", { name: "Adicionar" }).click();
  await expect(card(page, "Contato manual - Rafael Nogueira")).toContainText("+55 31 90458-9920");

  await page.getByRole("button", { name: "Novo Contato" }).click();
  await dialog.getByLabel("Nome").fill("Júlia Sampaio");
  await dialog.getByLabel("Telefone").fill("11 90736-1184");
  await dialog.getByLabel("Lista").selectOption({ label: "Contato manual - Rafael Nogueira (1 contato)" });
  await dialog.getByRole("button", { name: "Adicionar" }).click();
  await expect(card(page, "Contato manual - Rafael Nogueira")).toContainText("2 contatos");
  await expect(
    page.getByText("Júlia Sampaio entrou na lista «Contato manual - Rafael Nogueira»", { exact: true }),
  ).toBeVisible();
});

test("a deleted list is deselected in export and new contact, without choosing another", async ({ page }) => {
  const dialog = page.getByRole("dialog");
  const choose = async (name: string) => {
    const sent = { name, contacts: '[{"name":"Ana","phone":"31902341187"}]', idempotencyKey: `list ${name}` };
    await page.request.post(`${product.url}/api/contact-imports/json`, { data: sent });
    await dialog.getByLabel("Lista").selectOption({ label: `${name} (1 contato)` });
    const answer = await page.request.get(`${product.url}/api/contact-lists`);
    const { items } = (await answer.json()) as { items: { id: number }[] };
    await page.request.delete(`${product.url}/api/contact-lists/${items[0]?.id}`);
    await expect(dialog.getByLabel("Lista").getByRole("option", { name })).toHaveCount(0);
  };
  await page.getByRole("button", { name: "Exportar" }).click();
  await choose("Vitrine");
  await dialog.getByRole("button", { name: "Exportar" }).click();
  await expect(dialog.getByText("Escolha uma lista.")).toBeVisible();
  await page.keyboard.press("Escape");

  await page.getByRole("button", { name: "Novo Contato" }).click();
  await dialog.getByLabel("Nome").fill("Rafael");
  await dialog.getByLabel("Telefone").fill("31 90458-9920");
  await choose("Retorno");
  const gone = dialog.getByRole("alert").getByText("A lista escolhida foi excluída. Escolha outra.");
  await expect(gone).toBeVisible();
  await dialog.getByRole("button", { name: "Adicionar" }).click();
  await expect(dialog.getByLabel("Lista")).toBeFocused();
  await expect(dialog.getByLabel("Lista")).toHaveAttribute("aria-invalid", "true");
  await dialog.getByLabel("Lista").selectOption({ label: "Nova lista só deste contato" });
  await expect(gone).toHaveCount(0);
  await expect(dialog.getByText("Fica na lista «Contato manual - Rafael».")).toBeVisible();
  await dialog.getByRole("button", { name: "Adicionar" }).click();
  await expect(card(page, "Contato manual - Rafael")).toContainText("+55 31 90458-9920");
});

test("a card shows a list's first three contacts and how many more there are; without a name it goes by its number @spec 2.50,7.2,9.7", async ({
  page,
}) => {
  await pasteJson(
    page,
    "Vai perder o nome",
    JSON.stringify([1, 2, 3, 4, 5].map((n) => ({ name: `Pessoa ${n}`, phone: `3190234118${n}` }))),
  );
  await page.getByRole("button", { name: "Concluir" }).click();
  const shown = card(page, "Vai perder o nome");
  await expect(shown.getByRole("listitem")).toHaveText([
    "Pessoa 1+55 31 90234-1181",
    "Pessoa 2+55 31 90234-1182",
    "Pessoa 3+55 31 90234-1183",
  ]);
  await expect(shown).toContainText("+2 contatos");
  const rows = await productRows(product);
  const { rows: unnamed } = await sql<{ id: number }>`
    update contact_list set name = '' where name = 'Vai perder o nome' returning id`.execute(rows.db);
  await rows.close();
  await page.reload();
  await expect(card(page, `Lista ${unnamed[0]?.id}`)).toContainText("5 contatos");
});

test("search finds by name and by phone, and says when there is nothing @spec 2.49", async ({ page }) => {
  await pasteJson(
    page,
    "Norte",
    '[{"name":"Ana","phone":"31902341187"},{"name":"José","phone":"31908714420"}]',
  );
  await page.getByRole("button", { name: "Concluir" }).click();
  const search = page.getByPlaceholder("Buscar contatos...");
  await search.fill("jose");
  await expect(card(page, "Norte")).toContainText("1 de 2 contatos");
  await expect(card(page, "Norte")).not.toContainText("Ana");
  await expect(page.getByText("1 contato em 1 lista")).toBeVisible();
  await search.fill("90234");
  await expect(card(page, "Norte")).toContainText("Ana");
  await search.fill("ninguém");
  const emptyNotice = page.getByText("Nenhum contato encontrado");
  await expect(emptyNotice).toBeVisible();
  const late = await heldAnswer(page, /contact-lists\?.*search=Ana/);
  await search.fill("Ana");
  await late.asked;
  await expect(page.getByText("Carregando").first()).toBeAttached();
  await expect(emptyNotice).toBeHidden();
  late.answer();
  await expect(card(page, "Norte")).toContainText("Ana");
  await search.fill("ninguém");
  await page.getByRole("button", { name: "Limpar busca" }).click();
  await expect(card(page, "Norte")).toContainText("2 contatos");
});

test("a pending import or contact shows on its button; only csv and text files are offered @spec 2.8,2.49,2.51,2.53,4.18,5.7", async ({
  page,
}) => {
  const says = (place: string, words: string) =>
    page.route(place, async (route) => {
      await expect(page.getByRole("dialog").getByRole("button", { name: words })).toBeDisabled();
      await route.continue();
    });
  await says("**/api/contact-imports/json", "Importando...");
  await says("**/api/contacts", "Adicionando...");
  await expect(page.getByRole("heading", { level: 1, name: "Contatos" })).toBeVisible();
  await page.getByRole("button", { name: "Importar", exact: true }).click();
  const dialog = page.getByRole("dialog");
  expect(await dialog.getByLabel("Arquivo CSV").and(page.locator("input")).getAttribute("accept")).toBe(
    ".csv,.txt,text/csv,text/plain",
  );
  await dialog.getByRole("button", { name: "Cancelar" }).click();
  await expect(dialog).toBeHidden();
  await pasteJson(page, "Devagar", '[{"name":"Ana","phone":"31902341187"}]');
  await page.getByRole("button", { name: "Concluir" }).click();
  await expect(card(page, "Devagar")).toBeVisible();
  await page.getByRole("button", { name: "Novo Contato" }).click();
  await dialog.getByRole("button", { name: "Cancelar" }).click();
  await page.getByRole("button", { name: "Novo Contato" }).click();
  await dialog.getByLabel("Nome").fill("Bia");
  await dialog.getByRole("button", { name: "Adicionar" }).click();
  await expect(dialog.getByText("Informe o telefone.")).toBeVisible();
  await dialog.getByLabel("Telefone").fill("31 90871-4420");
  await dialog.getByRole("button", { name: "Adicionar" }).click();
  await expect(card(page, "Contato manual - Bia")).toBeVisible();
});

test("the template is what the import expects @spec 2.51 @decision 30", async ({ page }) => {
  await page.getByRole("button", { name: "Importar", exact: true }).click();
  const download = page.waitForEvent("download");
  await page.getByRole("link", { name: "Baixar modelo" }).click();
  const file = await download;
  expect(file.suggestedFilename()).toBe("Modelo.csv");
  await pickFile(page, "Modelo.csv", fs.readFileSync(await file.path()));
  await page.getByRole("dialog").getByRole("button", { name: "Importar" }).click();
  await expect(page.getByRole("heading", { name: "Importação concluída" })).toBeVisible();
  await expect(page.getByRole("dialog").locator("dl")).toContainText("recusados0");
});
