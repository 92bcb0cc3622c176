import { expect, type Page, test } from "@playwright/test";
import { listRow } from "../support/campaign-rows.ts";
import type { ProductServer } from "../support/server.ts";
import { logIn, signUp, signUpByForm, signUpUnseen } from "./support/person.ts";
import { accountOf, type ProductRows } from "./support/product-rows.ts";
import { startedFor } from "./support/started.ts";

let product: ProductServer;
let rows: ProductRows;

startedFor((started) => {
  ({ product, rows } = started);
});

const dialog = (page: Page) => page.getByRole("dialog");
const go = (page: Page, name: string) =>
  page.getByRole("navigation").getByRole("link", { name, exact: true }).first().click();
const giveUp = (page: Page) =>
  page.getByRole("alertdialog").getByRole("button", { name: "Sair sem salvar" }).click();
const at = (page: Page, path: string) => expect(page).toHaveURL(`${product.url}${path}`);

test("Back closes a window and stays on its page; the next one leaves", async ({ page }) => {
  await signUp(page, product.url);
  await go(page, "Contatos");
  await at(page, "/contacts");
  for (const close of [() => page.goBack(), () => page.keyboard.press("Escape"), () => page.goBack()]) {
    await page.getByRole("button", { name: "Importar contatos" }).first().click();
    await dialog(page).getByRole("textbox").first().fill("Clientes da loja");
    await close();
    await giveUp(page);
    await expect(dialog(page)).toBeHidden();
    await at(page, "/contacts");
  }
  await page.goBack();
  await at(page, "/");
  await page.goForward();
  await at(page, "/contacts");
});

test("a page that was opened by its address stays as well, and one more Back leaves it", async ({ page }) => {
  await signUp(page, product.url);
  await page.setViewportSize({ width: 390, height: 320 });
  await page.goto(`${product.url}/contacts`);
  const button = page.getByRole("button", { name: "Importar contatos" }).first();
  await expect(page.getByText("Nenhuma lista de contatos")).toBeVisible();
  await button.evaluate((element) => element.scrollIntoView({ block: "center" }));
  const scrolled = () => page.evaluate(() => window.scrollY);
  const before = await scrolled();
  expect(before).toBeGreaterThan(10);
  for (const _ of ["first", "again"]) {
    await button.click();
    await dialog(page).getByRole("textbox").first().fill("Clientes da loja");
    expect(await scrolled()).toBe(before);
    await page.goBack();
    await giveUp(page);
    await expect(dialog(page)).toBeHidden();
    await at(page, "/contacts");
  }
  await page.goBack();
  await at(page, "/");
});

test("a window that is busy stays", async ({ page }) => {
  await signUp(page, product.url);
  await go(page, "Configurações");
  await page.getByRole("link", { name: "Chaves de API" }).click();
  const held = Promise.withResolvers<void>();
  await page.route("**/api/settings/api-keys", async (route) => {
    if (route.request().method() !== "POST") return route.continue();
    await held.promise;
    return route.abort();
  });
  await page.getByRole("button", { name: "Gerar nova chave" }).first().click();
  await dialog(page).getByRole("textbox").first().fill("Loja");
  await dialog(page).getByRole("button", { name: "Gerar chave" }).click();
  await expect(dialog(page).getByRole("button", { name: "Cancelar" })).toBeDisabled();
  await page.goBack();
  await expect(dialog(page)).toBeVisible();
  await at(page, "/settings?aba=chaves");
  held.resolve();
  await expect(dialog(page).getByRole("alert")).toBeVisible();
  await page.goBack();
  await giveUp(page);
  await expect(dialog(page)).toBeHidden();
  await at(page, "/settings?aba=chaves");
});

test("the question about what was not saved is still asked, and Back answers it with staying", async ({
  page,
}) => {
  await signUp(page, product.url);
  await go(page, "Configurações");
  await page.getByLabel("Empresa").fill("Ótica Nova");
  const question = page.getByRole("alertdialog");
  for (const _ of ["first", "again"]) {
    await page.goBack();
    await expect(question).toBeVisible();
    await page.goBack();
    await expect(question).toBeHidden();
    await expect(page.getByLabel("Empresa")).toHaveValue("Ótica Nova");
    await at(page, "/settings");
  }
  await page.goBack();
  await question.getByRole("button", { name: "Sair sem salvar" }).click();
  await at(page, "/");
});

test("Back that is pressed again as soon as the question is there is an answer to it", async ({ page }) => {
  await signUp(page, product.url);
  await go(page, "Configurações");
  await page.getByLabel("Empresa").fill("Ótica Nova");
  // History steps back in a separate task, so the question appears only after the current one.
  await page.evaluate(
    () =>
      new Promise<void>((resolve) => {
        const watch = new MutationObserver(() => {
          if (!document.querySelector("[role=alertdialog]")) return;
          watch.disconnect();
          history.back();
          resolve();
        });
        watch.observe(document.body, { childList: true, subtree: true });
        history.back();
      }),
  );
  await expect(page.getByRole("alertdialog")).toBeHidden();
  await expect(page.getByLabel("Empresa")).toHaveValue("Ótica Nova");
  await at(page, "/settings");
  await page.goBack();
  await page.getByRole("alertdialog").getByRole("button", { name: "Sair sem salvar" }).click();
  await at(page, "/");
});

test("Back closes the menu of a telephone and the line of commands", async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await signUp(page, product.url);
  await page.getByRole("button", { name: "Abrir menu" }).click();
  await go(page, "Contatos");
  await at(page, "/contacts");
  await page.getByRole("button", { name: "Abrir menu" }).click();
  await expect(page.getByRole("dialog", { name: "Menu" })).toBeVisible();
  await page.goBack();
  await expect(dialog(page)).toBeHidden();
  await page.keyboard.press("Control+k");
  await dialog(page).getByRole("combobox").fill("camp");
  await page.goBack();
  await expect(dialog(page)).toBeHidden();
  await at(page, "/contacts");
  await page.getByRole("button", { name: "Abrir menu" }).click();
  await go(page, "Campanhas");
  await at(page, "/campaigns");
  await page.goBack();
  await at(page, "/contacts");
});

test("a tab that began with this page closes its windows as often as they are opened", async ({ page }) => {
  await signUp(page, product.url);
  const opened = page.context().waitForEvent("page");
  await page.evaluate((url) => void window.open(url, "_blank", "noopener"), `${product.url}/contacts`);
  const tab = await opened;
  const place = () => tab.evaluate(() => window.history.state.copy === true);
  const stands = (onCopy: boolean) =>
    expect.poll(async () => [await place(), await place()]).toEqual([onCopy, onCopy]);
  for (const _ of ["first", "again"]) {
    await tab.getByRole("button", { name: "Importar contatos" }).first().click();
    await dialog(tab).getByRole("textbox").first().fill("Clientes da loja");
    await tab.evaluate(() => window.history.back());
    await giveUp(tab);
    await expect(dialog(tab)).toBeHidden();
    await stands(true);
    await tab.evaluate(() => window.history.back());
    await stands(false);
  }
});

test("a page opened by its address and reloaded is left by one Back", async ({ page }) => {
  await signUp(page, product.url);
  await page.goto(`${product.url}/contacts`);
  await page.getByRole("button", { name: "Importar contatos" }).first().click();
  await expect(dialog(page)).toBeVisible();
  await page.goBack();
  await expect(dialog(page)).toBeHidden();
  await page.reload();
  await expect(page.getByRole("button", { name: "Importar contatos" }).first()).toBeVisible();
  await page.goBack();
  await at(page, "/");
  await page.goForward();
  await page.goForward();
  for (const _ of ["first", "again"]) {
    await page.getByRole("button", { name: "Importar contatos" }).first().click();
    await expect(dialog(page)).toBeVisible();
    await page.goBack();
    await expect(dialog(page)).toBeHidden();
    await at(page, "/contacts");
  }
  await page.goBack();
  await at(page, "/");
});

test("what was not saved is left by one answer, also where the page was opened by its address", async ({
  page,
}) => {
  await signUp(page, product.url);
  await page.goto(`${product.url}/settings`);
  await page.getByLabel("Empresa").fill("Ótica Nova");
  await page.keyboard.press("Control+k");
  await expect(dialog(page)).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(dialog(page)).toBeHidden();
  await page.goBack();
  await page.getByRole("alertdialog").getByRole("button", { name: "Sair sem salvar" }).click();
  await at(page, "/");
});

test("a window that its address opened and Back closes leaves the page before as it was", async ({
  page,
}) => {
  await signUp(page, product.url);
  await page.keyboard.press("Control+k");
  await dialog(page).getByRole("combobox").fill("Importar contatos");
  await page.keyboard.press("Enter");
  await at(page, "/contacts?abrir=importar");
  await dialog(page).getByRole("textbox").first().fill("Clientes da loja");
  await page.goBack();
  await giveUp(page);
  await expect(dialog(page)).toBeHidden();
  await at(page, "/contacts");
  await page.goBack();
  await at(page, "/");
  await expect(page.getByRole("heading", { level: 1, name: "Painel de Controle" })).toBeVisible();
});

test("unsaved input is asked about each time after a reload", async ({ page }) => {
  await signUp(page, product.url);
  await go(page, "Configurações");
  await expect(page.getByLabel("Empresa")).toBeVisible();
  await page.reload();
  await page.getByLabel("Empresa").fill("Ótica Nova");
  const question = page.getByRole("alertdialog");
  for (const _ of ["first", "again"]) {
    await page.goBack();
    await question.getByRole("button", { name: "Continuar aqui" }).click();
    await expect(question).toBeHidden();
    await at(page, "/settings");
  }
  await page.goBack();
  await question.getByRole("button", { name: "Sair sem salvar" }).click();
  await at(page, "/");
  await expect(page.getByRole("heading", { level: 1, name: "Painel de Controle" })).toBeVisible();
});

test("a signed-in person is not led back to the login page", async ({ page }) => {
  const before = async () => {
    await page.goto(`${product.url}/termos`);
    await expect(page.getByRole("heading", { level: 1, name: "Termos de uso" })).toBeVisible();
  };
  await before();
  const email = await signUpByForm(page, product.url);
  await page.goBack();
  await at(page, "/termos");
  await page.context().clearCookies();
  await before();
  await page.goto(`${product.url}/contacts`);
  await at(page, "/login?redirect=%2Fcontacts");
  await logIn(page, email);
  await at(page, "/contacts");
  await page.goBack();
  await at(page, "/termos");
});

test("words searched after a dialog, on a page opened by its address, cost no further Back", async ({
  page,
}) => {
  await signUp(page, product.url);
  await page.goto(`${product.url}/contacts`);
  await page.getByRole("button", { name: "Importar contatos" }).first().click();
  await expect(dialog(page)).toBeVisible();
  await page.goBack();
  await expect(dialog(page)).toBeHidden();
  await page.getByRole("searchbox").fill("ana");
  await at(page, "/contacts?busca=ana");
  await page.goBack();
  await at(page, "/");
});

test("a list's people have an address: they stand again after a reload, and Back closes them", async ({
  page,
}) => {
  const account = await accountOf(rows.db, await signUpUnseen(page, product.url));
  const list = await listRow(rows.db, account, 9, "Clientes");
  await page.goto(`${product.url}/contacts`);
  await page
    .getByRole("button", { name: /Ver todos os contatos de Clientes/ })
    .first()
    .click();
  await at(page, `/contacts?pessoas=${list}`);
  await page.reload();
  await expect(dialog(page).getByRole("heading", { name: "Clientes" })).toBeVisible();
  await page.goBack();
  await expect(dialog(page)).toBeHidden();
  await at(page, "/contacts");
});
