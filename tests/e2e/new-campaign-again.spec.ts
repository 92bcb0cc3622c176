import { expect, type Page, test } from "@playwright/test";
import { sql } from "kysely";
import { campaignRow, listRow } from "../support/campaign-rows.ts";
import type { ProductServer } from "../support/server.ts";
import { confirmLook, createCampaign } from "./support/last-look.ts";
import { signUpUnseen } from "./support/person.ts";
import { accountOf, heldConnection, type ProductRows } from "./support/product-rows.ts";
import { startedFor } from "./support/started.ts";

let product: ProductServer;
let rows: ProductRows;

startedFor((started) => {
  ({ product, rows } = started);
});

async function openForm(page: Page) {
  const account = await accountOf(rows.db, await signUpUnseen(page, product.url));
  await heldConnection(rows.db, account, "connected", "Matriz");
  const listId = await listRow(rows.db, account, 3, "Clientes VIP");
  await page.goto(`${product.url}/campaigns/new`);
  await expect(page.getByRole("heading", { level: 1, name: "Nova Campanha" })).toBeVisible();
  return { account, listId };
}

const name = (page: Page) => page.getByLabel("Nome da campanha");
const list = (page: Page) => page.getByLabel("Lista de contatos");
const recovered = (page: Page) => page.getByText("Recuperamos o que você tinha escrito.");
const savedBefore = (page: Page) => page.getByText("Esta campanha já foi salva na tentativa anterior.");

async function fill(page: Page, title: string) {
  await name(page).fill(title);
  await page.getByRole("textbox", { name: "Texto" }).fill("Oi, {nome}!");
  await list(page).selectOption("Clientes VIP (3)");
}

async function loseAnswer(page: Page) {
  await page.route("**/api/campaigns", async (route) => {
    if (route.request().method() !== "POST") return route.continue();
    await route.fetch();
    return route.abort();
  });
  await createCampaign(page);
  await expect(page.getByRole("alert")).toContainText("Não foi possível criar a campanha.");
  await page.unrouteAll();
}

async function namesOf(account: string): Promise<string[]> {
  const { rows: found } = await sql<{ name: string }>`select name from campaign
    where account_id = ${account}::uuid order by id`.execute(rows.db);
  return found.map((campaign) => campaign.name);
}

test("what is written after «Descartar e começar de novo» is another campaign than the one discarded", async ({
  page,
}) => {
  const { account } = await openForm(page);
  await fill(page, "A primeira");
  await loseAnswer(page);
  await page.reload();
  await expect(recovered(page)).toBeVisible();
  await page.getByRole("button", { name: "Descartar e começar de novo" }).click();
  await fill(page, "A segunda");
  await createCampaign(page);
  await expect(page.getByText("Campanha criada: o envio começa agora")).toBeVisible();
  expect(await namesOf(account)).toEqual(["A primeira", "A segunda"]);
});

test("a text that two windows share makes one campaign, and another one only when asked for", async ({
  page,
  context,
}) => {
  const { account } = await openForm(page);
  await fill(page, "Nas duas");
  const second = await context.newPage();
  await second.goto(`${product.url}/campaigns/new`);
  await expect(recovered(second)).toBeVisible();
  await createCampaign(page);
  await expect(page.getByText("Campanha criada: o envio começa agora")).toBeVisible();

  await name(second).fill("Só na segunda");
  await createCampaign(second);
  await expect(savedBefore(second)).toBeVisible();
  await expect(second.getByRole("alert").getByRole("link", { name: "Ver campanhas" })).toBeVisible();
  expect(await namesOf(account)).toEqual(["Nas duas"]);
  await second.getByRole("button", { name: "Criar como outra campanha" }).dblclick();
  await confirmLook(second);
  await expect(second).toHaveURL(`${product.url}/campaigns`);
  expect(await namesOf(account)).toEqual(["Nas duas", "Só na segunda"]);
});

test("the other campaign too is created once despite a lost answer and a reload", async ({
  page,
  context,
}) => {
  const { account } = await openForm(page);
  await fill(page, "Nas duas");
  const second = await context.newPage();
  await second.goto(`${product.url}/campaigns/new`);
  await expect(recovered(second)).toBeVisible();
  await createCampaign(page);
  await expect(page).toHaveURL(`${product.url}/campaigns`);
  await name(second).fill("Só na segunda");
  await createCampaign(second);
  await expect(savedBefore(second)).toBeVisible();
  await second.route("**/api/campaigns", async (route) => {
    await route.fetch();
    return route.abort();
  });
  await second.getByRole("button", { name: "Criar como outra campanha" }).click();
  await confirmLook(second);
  await expect(second.getByRole("alert")).toContainText("Não foi possível criar a campanha.");
  await second.unrouteAll();
  await second.reload();
  await expect(recovered(second)).toBeVisible();
  await createCampaign(second);
  await expect(second).toHaveURL(`${product.url}/campaigns`);
  expect(await namesOf(account)).toEqual(["Nas duas", "Só na segunda"]);
});

test("with one draft in two windows, the second to save keeps its text and sees the first's version", async ({
  page,
  context,
}) => {
  const { account, listId } = await openForm(page);
  const id = await campaignRow(rows.db, account, { name: "Rascunho", status: "draft", listId });
  const second = await context.newPage();
  for (const window of [page, second]) {
    await window.goto(`${product.url}/campaigns/new?rascunho=${id}`);
    await expect(name(window)).toHaveValue("Rascunho");
  }
  const save = (window: Page) => window.getByRole("button", { name: "Salvar Rascunho" });
  await name(page).fill("Da primeira");
  await save(page).click();
  await expect(page).toHaveURL(`${product.url}/campaigns`);

  await name(second).fill("Da segunda");
  await save(second).click();
  const refusal = second.getByRole("alert");
  await expect(refusal).toContainText("Esta campanha foi alterada depois que você a abriu.");
  await expect(refusal).toBeInViewport();
  await expect(name(second)).toHaveValue("Da segunda");
  expect(await namesOf(account)).toEqual(["Da primeira"]);
  const opened = context.waitForEvent("page");
  await refusal.getByRole("link", { name: "Ver a versão salva" }).click();
  await expect(name(await opened)).toHaveValue("Da primeira");
  await refusal.getByRole("button", { name: "Salvar assim mesmo" }).click();
  await expect(second).toHaveURL(`${product.url}/campaigns`);
  expect(await namesOf(account)).toEqual(["Da segunda"]);
});

test("a copy sent unchanged goes out once, despite a lost answer and a reload", async ({ page }) => {
  const { account, listId } = await openForm(page);
  const people = { read: 1, delivered: 1, skipped: 1 };
  const id = await campaignRow(rows.db, account, { name: "Outubro", listId, status: "cancelled", people });
  await page.goto(`${product.url}/campaigns/new?reutilizar=${id}`);
  await expect(name(page)).toHaveValue("Outubro (cópia)");
  await expect(list(page)).toHaveValue(String(listId));
  await expect(page.getByText("Quem já recebeu «Outubro» (2 pessoas) recebe de novo.")).toBeVisible();
  await loseAnswer(page);
  await page.reload();
  await expect(name(page)).toHaveValue("Outubro (cópia)");
  await createCampaign(page);
  await expect(page).toHaveURL(`${product.url}/campaigns`);
  expect(await namesOf(account)).toEqual(["Outubro", "Outubro (cópia)"]);
});

test("a list is said to be deleted only when it is, however old it is", async ({ page }) => {
  const { account, listId } = await openForm(page);
  await sql`insert into contact_list (account_id, name, contacts)
    select ${account}::uuid, 'Mais nova ' || n, 0 from generate_series(1, 1000) n`.execute(rows.db);
  const id = await campaignRow(rows.db, account, { name: "Outubro", listId, people: { read: 3 } });
  await page.goto(`${product.url}/campaigns/new?reutilizar=${id}`);
  await expect(list(page)).toHaveValue(String(listId));
  await expect(page.getByText("3 contatos receberão a mensagem")).toBeVisible();
  await expect(page.getByText(/foi excluída/)).toHaveCount(0);
  await list(page).selectOption("Escolha uma lista");
  await expect(list(page)).toHaveValue("");
  await expect(page.getByText(/foi excluída/)).toHaveCount(0);
  await list(page).selectOption("Clientes VIP (3)");
  await createCampaign(page);
  await expect(page).toHaveURL(`${product.url}/campaigns`);
  expect(await namesOf(account)).toEqual(["Outubro", "Outubro (cópia)"]);

  await sql`update campaign set list_name = 'Clientes VIP' where id = ${id}`.execute(rows.db);
  await sql`delete from contact_list where id = ${listId}`.execute(rows.db);
  await page.goto(`${product.url}/campaigns/new?reutilizar=${id}`);
  await expect(page.getByText("A lista Clientes VIP foi excluída. Escolha outra.")).toBeVisible();
  await list(page).selectOption("Mais nova 1000 (0)");
  await expect(page.getByText(/foi excluída/)).toHaveCount(0);
});

test("a list of any age is offered to campaign, export and new contact; unnamed by number @spec 2.45", async ({
  page,
}) => {
  const { account, listId } = await openForm(page);
  const nameless = await listRow(rows.db, account, 2, "");
  await sql`insert into contact_list (account_id, name, contacts)
    select ${account}::uuid, 'Contato manual - ' || n, 1 from generate_series(1, 2100) n`.execute(rows.db);
  await page.goto(`${product.url}/campaigns/new`);
  await list(page).selectOption("Clientes VIP (3)");
  await expect(page.getByText("3 contatos receberão a mensagem")).toBeVisible();
  await list(page).selectOption(`Lista ${nameless} (2)`);

  await page.goto(`${product.url}/contacts`);
  await page.getByRole("button", { name: "Exportar" }).click();
  await list(page).selectOption("Clientes VIP (3 contatos)");
  await expect(list(page)).toHaveValue(String(listId));
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Novo Contato" }).click();
  await page.getByLabel("Lista", { exact: true }).selectOption("Clientes VIP (3 contatos)");
});
