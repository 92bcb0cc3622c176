import { expect, type Page, test } from "@playwright/test";
import { campaignRow } from "../support/campaign-rows.ts";
import { type ProductServer, startProduct } from "../support/server.ts";
import { signUpUnseen } from "./support/person.ts";
import { accountOf, heldConnection, productRows } from "./support/product-rows.ts";

let product: ProductServer;

test.beforeAll(async () => {
  product = await startProduct();
});
test.afterAll(() => product.close());

async function scriptOf(page: Page, place: string): Promise<number> {
  const fresh = await page.context().newPage();
  await fresh.goto(`${product.url}${place}`);
  await expect(fresh.locator("h1")).toBeVisible();
  await expect(fresh.getByText("Carregando...")).toHaveCount(0);
  if (place.includes("detalhes")) await expect(fresh.getByText("Pessoa 0", { exact: true })).toBeVisible();
  const bytes = await fresh.evaluate(() =>
    performance
      .getEntriesByType("resource")
      .filter((each) => new URL(each.name).pathname.endsWith(".js"))
      .reduce((sum, each) => sum + (each as PerformanceResourceTiming).encodedBodySize, 0),
  );
  await fresh.close();
  return bytes / 1000;
}

async function aCampaignOf(email: string): Promise<number> {
  const rows = await productRows(product);
  const account = await accountOf(rows.db, email);
  const connectionId = await heldConnection(rows.db, account, "connected", "Matriz");
  const id = await campaignRow(rows.db, account, {
    connectionId,
    people: { read: 300, error: 2, uncertain: 1 },
  });
  await rows.close();
  return id;
}

test("no screen brings more script than an old telephone can bear", async ({ page }) => {
  for (const place of ["/login", "/signup", "/esqueci-a-senha", "/nova-senha#nada", "/confirmar-email#nada"])
    expect(await scriptOf(page, place), place).toBeLessThanOrEqual(130);
  const campaign = await aCampaignOf(await signUpUnseen(page, product.url));
  const places = [
    "/",
    "/campaigns",
    `/campaigns?detalhes=${campaign}`,
    "/campaigns/new",
    "/contacts",
    "/baileys",
    "/whatsapp/connections",
    "/chat",
    "/instances",
    "/chatbot",
    "/criar-robo",
    "/settings",
    "/settings?aba=notificacoes",
  ];
  for (const place of places) {
    const size = await scriptOf(page, place);
    expect(size, place).toBeGreaterThan(50);
    expect(size, place).toBeLessThanOrEqual(220);
  }
});
