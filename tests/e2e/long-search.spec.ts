import { expect, test } from "@playwright/test";
import { campaignRow } from "../support/campaign-rows.ts";
import type { ProductServer } from "../support/server.ts";
import { signUpUnseen } from "./support/person.ts";
import { accountOf, type ProductRows } from "./support/product-rows.ts";
import { startedFor } from "./support/started.ts";

let product: ProductServer;
let rows: ProductRows;

startedFor((started) => {
  ({ product, rows } = started);
});

test("a whole message that is pasted into a search finds its campaign, and no list takes it for an error", async ({
  page,
}) => {
  const account = await accountOf(rows.db, await signUpUnseen(page, product.url));
  const text = `Oi! ${"Seus óculos ficaram prontos 🕶️ e esperam por você. ".repeat(9)}`;
  await campaignRow(rows.db, account, { name: "Prontos", text, people: { sent: 1 } });
  await campaignRow(rows.db, account, { name: "Outra", text: "Oi!", people: { sent: 1 } });
  await page.goto(`${product.url}/campaigns`);
  await expect(page.getByRole("heading", { name: "Outra" })).toBeVisible();
  await page.getByLabel("Buscar campanhas").fill(text);
  await expect(page.getByRole("heading", { name: "Outra" })).toHaveCount(0);
  await expect(page.getByRole("heading", { name: "Prontos" })).toBeVisible();

  await page.goto(`${product.url}/contacts?busca=${encodeURIComponent(text)}`);
  await expect(page.getByText("Nenhum contato encontrado")).toBeVisible();
  await expect(page.getByRole("alert")).toHaveCount(0);
});
