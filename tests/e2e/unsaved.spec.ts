import { expect, type Page, test } from "@playwright/test";
import { campaignRow, listRow } from "../support/campaign-rows.ts";
import type { ProductServer } from "../support/server.ts";
import { endSession, logIn, signUpUnseen } from "./support/person.ts";
import { accountOf, type ProductRows } from "./support/product-rows.ts";
import { startedFor } from "./support/started.ts";
import { field, log, someTalks } from "./support/talks.ts";

let product: ProductServer;
let rows: ProductRows;

startedFor((started) => {
  ({ product, rows } = started);
});

const leave = (page: Page) => page.getByRole("button", { name: "Sair", exact: true });
const profile = (page: Page) => page.getByRole("form", { name: "Perfil" });
const ended = (page: Page) =>
  page.getByText("Sua sessão terminou. Entre de novo para continuar de onde parou.");

test("signing out asks before unsaved input of a form is lost", async ({ page }) => {
  const { account } = await someTalks(rows.db, await signUpUnseen(page, product.url));
  const question = page.getByRole("alertdialog", { name: "Sair sem salvar?" });
  await page.goto(`${product.url}/campaigns/new`);
  await page.getByLabel("Nome da campanha").fill("Natal");
  await page.goto(`${product.url}/settings`);
  await leave(page).click();
  await expect(question).toContainText("A campanha que você começou a escrever e não salvou se perde.");
  await expect(question).not.toContainText("nesta tela");
  await question.getByRole("button", { name: "Continuar aqui" }).click();
  await page.goto(`${product.url}/campaigns/new`);
  await page.getByRole("button", { name: "Descartar e começar de novo" }).click();
  const drafts = ["Páscoa", "Sobra"].map((name) => campaignRow(rows.db, account, { name, status: "draft" }));
  const [same, gone] = await Promise.all(drafts);
  const name = page.getByLabel("Nome da campanha");
  await page.goto(`${product.url}/campaigns/new?reutilizar=${same}`);
  await name.fill("Natal");
  await name.fill("Páscoa (cópia)");
  await page.goto(`${product.url}/campaigns/new?rascunho=${gone}`);
  await name.fill("Sobra 2");
  await page.goto(`${product.url}/campaigns`);
  await page.getByRole("button", { name: "Mais ações de Sobra" }).click();
  await page.getByRole("menuitem", { name: "Excluir rascunho" }).click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Excluir" }).click();
  await expect(page.getByText("Sobra", { exact: true })).toHaveCount(0);
  await page.goto(`${product.url}/settings`);

  await profile(page).getByLabel("Nome completo").fill("Ótica Aurora");
  await leave(page).click();
  await expect(question).toContainText("O que você mudou nesta tela e não salvou se perde.");
  await expect(question).not.toContainText("campanha");
  await expect(question).not.toContainText("no chat");
  await question.getByRole("button", { name: "Continuar aqui" }).click();
  await expect(profile(page).getByLabel("Nome completo")).toHaveValue("Ótica Aurora");
  await profile(page).getByRole("button", { name: "Cancelar" }).click();

  await page.getByRole("navigation", { name: "Mais" }).getByRole("link", { name: /Chat/ }).click();
  await expect(log(page)).toContainText("Passo aí às 17h");
  await field(page).fill("um rascunho");
  await page.getByRole("navigation", { name: "Mais" }).getByRole("link", { name: "Configurações" }).click();
  await profile(page).getByLabel("Nome completo").fill("Ótica Aurora");
  await leave(page).click();
  await expect(question).toContainText("O que você mudou nesta tela e não salvou se perde.");
  await expect(question).toContainText("O que você escreveu no chat e ainda não enviou se perde.");
  await question.getByRole("button", { name: "Sair sem salvar" }).click();
  await expect(page).toHaveURL(`${product.url}/login`);
});

test("whose session ends while they write goes on from where they were, and one step back leads further", async ({
  page,
}) => {
  const email = await signUpUnseen(page, product.url);
  await page.goto(`${product.url}/contacts`);
  await page.getByRole("navigation", { name: "Mais" }).getByRole("link", { name: "Configurações" }).click();
  await profile(page).getByLabel("Empresa").fill("Aurora Comércio Ltda.");
  await profile(page).getByLabel("E-mail").fill("outra@exemplo.com.br");
  await profile(page).getByLabel("Senha atual").fill("uma senha");
  await endSession(profile(page).getByRole("button", { name: "Salvar alterações" }));
  await expect(ended(page)).toBeVisible();
  await logIn(page, email);
  await expect(profile(page).getByLabel("Empresa")).toHaveValue("Aurora Comércio Ltda.");
  await expect(profile(page).getByLabel("E-mail")).toHaveValue("outra@exemplo.com.br");
  await expect(profile(page).getByLabel("Senha atual")).toHaveValue("");
  await expect(profile(page).getByText("Alterações não salvas")).toBeVisible();
  await profile(page).getByRole("button", { name: "Cancelar" }).click();
  await expect(profile(page).getByLabel("Empresa")).toHaveValue("");
  await page.goBack();
  await expect(page).toHaveURL(`${product.url}/contacts`);

  await page.goto(`${product.url}/criar-robo`);
  await page.getByLabel("Nome").fill("Atendente");
  await page.getByLabel("Instruções").fill("Seja breve e gentil.");
  await endSession(page.getByRole("button", { name: "Criar Robô" }));
  await expect(ended(page)).toBeVisible();
  await logIn(page, email);
  await expect(page.getByLabel("Nome")).toHaveValue("Atendente");
  await expect(page.getByLabel("Instruções")).toHaveValue("Seja breve e gentil.");
  await page.getByRole("link", { name: "Ver meus robôs" }).click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Sair sem salvar" }).click();
  await page.getByRole("link", { name: "Criar robô" }).first().click();
  await expect(page.getByLabel("Instruções")).toHaveValue("");
});

test("input written as the session ended is not shown to another account", async ({ page }) => {
  const other = await signUpUnseen(page, product.url);
  const email = await signUpUnseen(page, product.url);
  await page.goto(`${product.url}/settings`);
  await profile(page).getByLabel("Empresa").fill("Aurora Comércio Ltda.");
  await endSession(profile(page).getByRole("button", { name: "Salvar alterações" }));
  await expect(ended(page)).toBeVisible();
  await logIn(page, other);
  await expect(page.getByRole("banner")).toContainText(other);
  await expect(profile(page).getByLabel("Empresa")).toHaveValue("");
  expect(email).not.toBe(other);
});

test("a dialog with input as the session ended, here or in another tab, reopens with it", async ({
  page,
  context,
}) => {
  const email = await signUpUnseen(page, product.url);
  await listRow(rows.db, await accountOf(rows.db, email), 3, "Clientes");
  const window = page.getByRole("dialog");
  const open = (name: string) => page.getByRole("button", { name, exact: true }).first().click();
  await page.goto(`${product.url}/contacts`);
  await open("Importar");
  await window.getByLabel("Nome da lista").fill("Vizinhos");
  await window.getByRole("tab", { name: "Colar JSON" }).click();
  await window.getByLabel("Contatos em JSON").fill('[{ "name": "Ana", "phone": "31 90234-1187" }]');
  await endSession(window.getByRole("button", { name: "Importar" }));
  await expect(ended(page)).toBeVisible();
  await logIn(page, email);
  await expect(window.getByLabel("Nome da lista")).toHaveValue("Vizinhos");
  await expect(window.getByLabel("Contatos em JSON")).toHaveValue(/Ana/);
  await window.getByRole("button", { name: "Cancelar" }).click();
  await open("Importar");
  await expect(window.getByLabel("Nome da lista")).toHaveValue("");
  await window.getByRole("button", { name: "Cancelar" }).click();

  await open("Novo Contato");
  await window.getByLabel("Nome").fill("Bruno");
  await window.getByLabel("Lista").selectOption("Clientes (3 contatos)");
  const tab = await context.newPage();
  await tab.goto(`${product.url}/settings?aba=chaves`);
  await tab.getByRole("button", { name: "Sair", exact: true }).click();
  await expect(ended(page)).toBeVisible();
  await logIn(page, email);
  await expect(window.getByLabel("Nome")).toHaveValue("Bruno");
  await expect(window.getByLabel("Lista").locator("option:checked")).toHaveText("Clientes (3 contatos)");

  await page.goto(`${product.url}/instances`);
  await open("Cadastrar evolution");
  await window.getByLabel("URL").fill("https://evolution.exemplo.com.br");
  await window.getByLabel("API Key", { exact: true }).fill("chave do servidor");
  await endSession(window.getByRole("button", { name: "Cadastrar" }));
  await expect(ended(page)).toBeVisible();
  await logIn(page, email);
  await expect(window.getByLabel("URL")).toHaveValue("https://evolution.exemplo.com.br");
  await expect(window.getByLabel("API Key", { exact: true })).toHaveValue("");
});

test("a slip beside a window loses nothing that was written in it, and its own buttons ask nothing", async ({
  page,
}) => {
  await signUpUnseen(page, product.url);
  await page.goto(`${product.url}/contacts`);
  const window = page.getByRole("dialog");
  const question = page.getByRole("alertdialog", { name: "Sair sem salvar?" });
  const open = (name: string) => page.getByRole("button", { name, exact: true }).click();
  const isHeard = () =>
    page.evaluate(
      () => !document.querySelector("[role=dialog]") || document.querySelector("[role=alertdialog]") !== null,
    );
  /** A dialog that has just opened takes a press beside it for the second half of a double click. */
  const beside = () =>
    expect(async () => {
      await page.mouse.click(8, 8);
      await expect.poll(isHeard, { timeout: 300 }).toBe(true);
    }).toPass();
  const slips = [beside, () => page.keyboard.press("Escape"), () => page.goBack()];
  for (const slip of slips) {
    await open("Importar");
    await window.getByRole("tab", { name: "Colar JSON" }).click();
    await slip();
    await expect(window).toBeHidden();
  }

  await open("Importar");
  await window.getByRole("tab", { name: "Colar JSON" }).click();
  const field = window.getByLabel("Contatos em JSON");
  await field.fill('[{ "name": "Ana", "phone": "31 90234-1187" }]');
  const drawn = () =>
    page.locator("h2", { hasText: "Importar contatos" }).screenshot({ animations: "disabled" });
  const alone = await drawn();
  for (const slip of slips) {
    await slip();
    await expect(question).toBeVisible();
    expect((await drawn()).equals(alone)).toBe(false);
    await question.getByRole("button", { name: "Continuar aqui" }).click();
    await expect(question).toBeHidden();
    await expect(field).toHaveValue(/Ana/);
  }
  const asked = page.waitForEvent("dialog");
  await page.evaluate(() => setTimeout(() => location.reload()));
  const ofBrowser = await asked;
  expect(ofBrowser.type()).toBe("beforeunload");
  await ofBrowser.dismiss();
  await expect(field).toHaveValue(/Ana/);
  await window.getByRole("button", { name: "Cancelar" }).click();
  await expect(window).toBeHidden();

  await open("Novo Contato");
  await window.getByLabel("Nome").fill("Ana");
  await window.getByRole("button", { name: "Fechar" }).click();
  await expect(window).toBeHidden();
  await open("Descadastrados");
  await window.getByLabel("Não enviar campanhas para").fill("31 90234");
  await page.keyboard.press("Escape");
  await question.getByRole("button", { name: "Sair sem salvar" }).click();
  await expect(window).toBeHidden();
  await expect(page.getByRole("button", { name: "Descadastrados" })).toBeFocused();
});
