import { expect, test } from "@playwright/test";
import { campaignRow, listRow } from "../support/campaign-rows.ts";
import type { ProductServer } from "../support/server.ts";
import { expectAccessible } from "./support/axe.ts";
import { signUp, signUpUnseen } from "./support/person.ts";
import { accountOf, heldConnection, type ProductRows } from "./support/product-rows.ts";
import { startedFor } from "./support/started.ts";

let product: ProductServer;
let rows: ProductRows;

startedFor((started) => {
  ({ product, rows } = started);
});

// No fades: axe would measure half-transparent text.
test.use({ contextOptions: { reducedMotion: "reduce" } });

async function campaigns(email: string) {
  const account = await accountOf(rows.db, email);
  const up = await heldConnection(rows.db, account, "connected", "Matriz");
  const down = await heldConnection(rows.db, account, "disconnected", "Savassi", "network");
  await listRow(rows.db, account, 480);
  await campaignRow(rows.db, account, { name: "Rascunho", status: "draft" });
  await campaignRow(rows.db, account, { name: "Falhou", people: { error: 30 } });
  await campaignRow(rows.db, account, { name: "Cancelada", status: "cancelled", people: { skipped: 3 } });
  const [running, paused] = [
    { name: "Em curso", status: "sending", connectionId: up, people: { sent: 5, pending: 5 } },
    { name: "Pausada", status: "sending", connectionId: down, people: { sent: 5, pending: 5 } },
  ];
  await campaignRow(rows.db, account, running);
  await campaignRow(rows.db, account, paused);
  return campaignRow(rows.db, account, {
    name: "Com falhas",
    connectionId: up,
    people: { sent: 3, delivered: 3, read: 30, error: 3, uncertain: 2, skipped: 1 },
  });
}

// Each theme and each size once: an error of one is not hidden by the other.
for (const [colorScheme, width] of [
  ["light", 1440],
  ["dark", 390],
] as const) {
  test(`campaigns and dashboard are accessible, ${colorScheme}, ${width} px`, async ({ page }) => {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height: 900 });
    const email = await signUp(page, product.url);
    await expect(page.getByRole("heading", { name: "Primeiros passos" })).toBeVisible();
    await expectAccessible(page);
    const id = await campaigns(email);
    await page.goto(product.url);
    await expect(page.getByRole("heading", { name: "Campanhas Recentes" })).toBeVisible();
    await page.getByRole("slider").focus();
    // The focus scrolled figures under the top bar, and axe takes the visible half for their size.
    await page.evaluate(() => window.scrollTo(0, 0));
    await expectAccessible(page);

    await page.goto(`${product.url}/campaigns`);
    await expect(page.getByRole("article")).toHaveCount(6);
    await expectAccessible(page);
    await page.goto(`${product.url}/campaigns?detalhes=${id}`);
    await expect(page.getByRole("dialog").getByRole("button", { name: "Todos 42" })).toBeVisible();
    await expect(page.getByRole("dialog").getByText("+55").first()).toBeVisible();
    await expectAccessible(page);
    await page.goto(`${product.url}/campaigns?detalhes=${id}&status=uncertain`);
    await page
      .getByRole("button", { name: /^Resolver o envio/ })
      .first()
      .click();
    await page.getByRole("menuitem", { name: "Reenviar mesmo assim" }).click();
    await expect(page.getByRole("alertdialog")).toBeVisible();
    await expectAccessible(page);

    await page.goto(`${product.url}/campaigns/new`);
    await page.getByRole("textbox", { name: "Texto" }).fill("Oi, {nome}! *40%*");
    await page.getByLabel("Lista de contatos").selectOption({ index: 1 });
    await expect(page.getByText("480 contatos receberão a mensagem")).toBeVisible();
    await page.getByText("Agendado", { exact: true }).click();
    await page.getByLabel("Intervalo entre mensagens").fill("0");
    await page.getByRole("button", { name: "Criar Campanha" }).click();
    await expect(page.getByText("Preencha este campo.").first()).toBeVisible();
    await expectAccessible(page);
  });
}

test("none of these screens scrolls sideways on a small telephone", async ({ page }) => {
  await page.setViewportSize({ width: 360, height: 740 });
  const id = await campaigns(await signUpUnseen(page, product.url));
  for (const place of ["/", "/campaigns", `/campaigns?detalhes=${id}`, "/campaigns/new"]) {
    await page.goto(`${product.url}${place}`);
    await expect(page.getByText(/Em Andamento|Pré-visualização/).first()).toBeAttached();
    await expect(page.getByText("Carregando...")).toHaveCount(0);
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    expect(wide, place).toBeLessThanOrEqual(0);
  }
});
