import { expect, type Page, test } from "@playwright/test";
import { type ProductServer, startProduct } from "../support/server.ts";
import { signUp } from "./support/person.ts";

let product: ProductServer;

test.beforeAll(async () => {
  product = await startProduct();
});
test.afterAll(() => product.close());

const dialog = (page: Page) => page.getByRole("dialog");
const giveUp = (page: Page) =>
  page.getByRole("alertdialog").getByRole("button", { name: "Sair sem salvar" }).click();

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
