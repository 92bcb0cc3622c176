import { expect, type Page } from "@playwright/test";
import { signUp } from "./support/person.ts";
import { test } from "./support/product.ts";

const dialog = (page: Page) => page.getByRole("dialog");
const giveUp = (page: Page) =>
  page.getByRole("alertdialog").getByRole("button", { name: "Sair sem salvar" }).click();

test("a tab that began with this page closes its windows as often as they are opened", async ({ page }) => {
  await signUp(page);
  const opened = page.context().waitForEvent("page");
  await page.evaluate((url) => void window.open(url, "_blank", "noopener"), "/contacts");
  const tab = await opened;
  const place = () => tab.evaluate(() => window.history.state.copy === true);
  const stands = (onCopy: boolean) =>
    expect.poll(async () => [await place(), await place()]).toEqual([onCopy, onCopy]);
  for (const _ of ["first", "again"]) {
    await tab.getByRole("button", { name: "Importar contatos" }).first().click();
    await dialog(tab).getByRole("tab", { name: "Colar células" }).click();
    await dialog(tab).getByRole("textbox").first().fill("Clientes da loja");
    await tab.evaluate(() => window.history.back());
    await giveUp(tab);
    await expect(dialog(tab)).toBeHidden();
    await stands(true);
    await tab.evaluate(() => window.history.back());
    await stands(false);
  }
});
