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

/** Done after the row is pressed: earlier, the row might already be gone. */
const asItIsLetIn = (page: Page, elsewhere: () => Promise<unknown>) =>
  page.route(
    (url) => url.pathname.startsWith("/api/opt-outs/"),
    async (route) => {
      await elsewhere();
      await route.continue();
    },
    { times: 1 },
  );

test("a number is left out of campaigns by hand, shown on its contact, and let in again", async ({
  page,
}) => {
  await signUpUnseen(page, product.url);
  await page.goto(`${product.url}/contacts`);
  await page.getByRole("button", { name: "Novo Contato" }).click();
  await page.getByLabel("Nome").fill("Rafaela");
  await page.getByLabel("Telefone").fill("31 98765-4321");
  await page.getByRole("button", { name: "Adicionar" }).click();
  const card = page.getByRole("article", { name: "Contato manual - Rafaela" });
  await expect(card).toBeVisible();

  await page.getByRole("button", { name: "Descadastrados" }).click();
  const dialog = page.getByRole("dialog");
  await expect(dialog.getByText("Ninguém pediu para sair.")).toBeVisible();
  await dialog.getByLabel("Não enviar campanhas para").fill("98765");
  await dialog.getByRole("button", { name: "Adicionar" }).click();
  await expect(dialog.getByText("Faltam dígitos")).toBeVisible();
  await dialog.getByLabel("Não enviar campanhas para").fill("(31) 98765-4321");
  await dialog.getByRole("button", { name: "Adicionar" }).click();
  const row = dialog.getByRole("listitem").filter({ hasText: "Rafaela" });
  await expect(row.getByText("Adicionado à mão")).toBeVisible();
  await expect(dialog.getByLabel("Não enviar campanhas para")).toHaveValue("");
  await expectAccessible(page);
  await page.keyboard.press("Escape");
  await expect(card.getByText("Não quer campanhas")).toBeVisible();
  await expect(page.getByRole("button", { name: "Descadastrados (1)" })).toBeVisible();

  await page.getByRole("button", { name: "Descadastrados (1)" }).click();
  const { answer } = await heldAnswer(page, /\/api\/opt-outs\?/);
  const allow = dialog.getByRole("button", { name: "Permitir de novo: Rafaela" });
  await allow.click();
  await expect(page.getByText("Rafaela pode receber campanhas de novo")).toBeVisible();
  await expect(allow).toBeDisabled();
  answer();
  await expect(dialog.getByText("Ninguém pediu para sair.")).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(card.getByText("Não quer campanhas")).toBeHidden();
});

test("a press on an old list does not let in a person who opted out again", async ({ page }) => {
  await signUpUnseen(page, product.url);
  await page.request.post(`${product.url}/api/opt-outs`, { data: { phone: "31 98765-4321" } });
  await page.goto(`${product.url}/contacts`);
  await page.getByRole("button", { name: "Descadastrados (1)" }).click();
  const dialog = page.getByRole("dialog");
  const allow = dialog.getByRole("button", { name: "Permitir de novo" });
  await expect(allow).toBeVisible();
  const { db, close } = await productRows(product);
  await asItIsLetIn(page, () =>
    sql`update opt_out set created_at = created_at + interval '1 minute' where phone = 5531987654321`.execute(
      db,
    ),
  );
  await allow.click();
  await expect(dialog.getByRole("alert")).toContainText(
    "+55 31 98765-4321 saiu de novo depois que você abriu a lista.",
  );
  await expect(allow).toBeEnabled();
  expect((await sql`select from opt_out where phone = 5531987654321`.execute(db)).rows).toHaveLength(1);
  await close();
});

test("a foreign number is let in again, but no local number with the same digits", async ({ page }) => {
  await signUpUnseen(page, product.url);
  for (const phone of ["51 98765-4321", "+51 987 654 321", "+33 6 12 34 56 78"])
    await page.request.post(`${product.url}/api/opt-outs`, { data: { phone } });
  await page.goto(`${product.url}/contacts`);
  await page.getByRole("button", { name: "Descadastrados (3)" }).click();
  const dialog = page.getByRole("dialog");
  const entry = (number: string) => dialog.getByRole("listitem").filter({ hasText: number });
  const allow = (number: string) => entry(number).getByRole("button", { name: "Permitir de novo" });
  await expect(allow("+51 987 654 321")).toBeVisible();
  const { db, close } = await productRows(product);
  await asItIsLetIn(page, () => sql`delete from opt_out where phone = 51987654321`.execute(db));
  await allow("+51 987 654 321").click();
  await expect(page.getByText("+51 987 654 321 pode receber campanhas de novo")).toBeVisible();
  await close();
  await expect(entry("+51 987 654 321")).toBeHidden();
  await allow("+33 612 345 678").click();
  await expect(entry("+33 612 345 678")).toBeHidden();
  await expect(entry("+55 51 98765-4321")).toBeVisible();
});
