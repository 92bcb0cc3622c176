import { expect, type Page, test } from "@playwright/test";
import { type ProductServer, startProduct } from "../support/server.ts";
import { expectAccessible } from "./support/axe.ts";
import { signUp } from "./support/person.ts";

let product: ProductServer;

test.beforeAll(async () => {
  product = await startProduct();
});
test.afterAll(() => product.close());

// Fades are over at once, so that axe does not measure half-transparent words.
test.use({ contextOptions: { reducedMotion: "reduce" } });

async function visit(page: Page, place: string) {
  await page.goto(`${product.url}${place}`);
  await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
  await expect(page.getByText("Carregando...")).toHaveCount(0);
}

for (const colorScheme of ["light", "dark"] as const) {
  test(`screens open to everybody are accessible, ${colorScheme}`, async ({ page }) => {
    await page.emulateMedia({ colorScheme });
    for (const place of ["/login", "/signup", "/termos", "/nao-existe"]) {
      await visit(page, place);
      await expectAccessible(page);
    }
    await page.goto(`${product.url}/signup`);
    await page.getByRole("button", { name: "Criar conta" }).click();
    await expect(page.getByText("Informe seu nome.")).toBeVisible();
    await expectAccessible(page);
  });

  test(`screens of a signed-in person are accessible, ${colorScheme}`, async ({ page }) => {
    await page.emulateMedia({ colorScheme });
    await signUp(page, product.url);
    for (const width of [1440, 390]) {
      await page.setViewportSize({ width, height: 900 });
      for (const place of ["/contacts", "/baileys", "/whatsapp/connections"]) {
        await visit(page, place);
        await expectAccessible(page);
      }
    }
    await page.getByRole("button", { name: "Abrir menu" }).click();
    await expectAccessible(page);
  });

  test(`the windows of the contacts screen are accessible, ${colorScheme}`, async ({ page }) => {
    await page.emulateMedia({ colorScheme });
    await signUp(page, product.url);
    await visit(page, "/contacts");
    for (const name of ["Importar", "Exportar", "Novo Contato"]) {
      await page.getByRole("button", { name, exact: true }).first().click();
      const dialog = page.getByRole("dialog");
      await expect(dialog).toBeVisible();
      await expectAccessible(page);
      // And with its faults shown.
      await dialog.getByRole("button", { name: /^(Importar|Exportar|Adicionar)$/ }).click();
      await expect(dialog.getByRole("alert").first()).toBeVisible();
      await expectAccessible(page);
      await page.keyboard.press("Escape");
    }
    await page.getByRole("button", { name: "Tema e idioma" }).click();
    await expect(page.getByRole("menu")).toBeVisible();
    await expectAccessible(page);
  });
}
