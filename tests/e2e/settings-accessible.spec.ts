import { expect, type Page, test } from "@playwright/test";
import { sql } from "kysely";
import { campaignRow } from "../support/campaign-rows.ts";
import type { ProductServer } from "../support/server.ts";
import { expectAccessible } from "./support/axe.ts";
import { signUpUnseen } from "./support/person.ts";
import { accountOf, heldConnection, type ProductRows } from "./support/product-rows.ts";
import { startedFor } from "./support/started.ts";

let product: ProductServer;
let rows: ProductRows;

startedFor((started) => {
  ({ product, rows } = started);
});

// No fades: axe would measure half-transparent text.
test.use({ contextOptions: { reducedMotion: "reduce" } });

async function visit(page: Page, tab: string): Promise<void> {
  await page.goto(`${product.url}/settings?aba=${tab}`);
  await expect(page.getByRole("heading", { level: 2 }).first()).toBeVisible();
  await expect(page.getByText("Carregando...")).toHaveCount(0);
}

async function workingAccount(page: Page): Promise<void> {
  const account = await accountOf(rows.db, await signUpUnseen(page, product.url));
  await heldConnection(rows.db, account, "connected", "Matriz – Centro");
  await heldConnection(rows.db, account, "disconnected", "Unidade Savassi", "logged_out");
  const campaign = await campaignRow(rows.db, account, { people: { read: 4 } });
  await sql`insert into campaign_day (campaign_id, day, accepted)
    values (${campaign}, current_date, 4), (${campaign}, current_date - 40, 9)`.execute(rows.db);
  await sql`update account set monthly_limit = 4 where id = ${account}::uuid`.execute(rows.db);
  const keys = `${product.url}/api/settings/api-keys`;
  let last = 0;
  for (const name of ["Sistema de pedidos", "Painel"]) {
    const made = await page.request.post(keys, { data: { name } });
    expect(made.status()).toBe(201);
    last = ((await made.json()) as { apiKey: { id: number } }).apiKey.id;
  }
  expect((await page.request.delete(`${keys}/${last}`)).ok()).toBe(true);
}

for (const colorScheme of ["light", "dark"] as const) {
  test(`the windows of the settings are accessible, ${colorScheme}`, async ({ page }) => {
    await page.emulateMedia({ colorScheme });
    await workingAccount(page);
    await visit(page, "geral");
    await page.getByRole("combobox", { name: "Fuso horário" }).click();
    await expect(page.getByRole("listbox")).toBeVisible();
    await expectAccessible(page);
    await page.keyboard.press("Escape");
    await page.getByLabel("E-mail").fill("");
    await page.getByRole("button", { name: "Salvar alterações" }).click();
    await page.getByRole("button", { name: "Trocar senha" }).click();
    await expect(page.getByRole("alert")).not.toHaveCount(0);
    await expectAccessible(page);
    await page.getByRole("button", { name: "Excluir conta" }).click();
    const dialog = page.getByRole("dialog");
    await expect(dialog.getByRole("listitem")).toHaveCount(4);
    await dialog.getByRole("button", { name: "Excluir conta para sempre" }).click();
    await expect(dialog.getByText("Escreva EXCLUIR para confirmar.")).toBeVisible();
    await expectAccessible(page);
    await page.reload();
    await visit(page, "chaves");
    await expect(page.getByText("Revogada")).toBeVisible();
    await page.getByRole("button", { name: "Gerar nova chave" }).click();
    await expect(dialog.getByLabel("Nome")).toBeFocused();
    await expectAccessible(page);
    await dialog.getByLabel("Nome").fill("Planilha");
    await dialog.getByRole("button", { name: "Gerar chave" }).click();
    await expect(dialog.getByText("Copie a chave agora.")).toBeVisible();
    await expectAccessible(page);
  });
}
