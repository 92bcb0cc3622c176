import { expect, type Page, test } from "@playwright/test";
import { type ProductServer, startProduct } from "../support/server.ts";
import { signUp } from "./support/person.ts";

let product: ProductServer;

test.beforeAll(async () => {
  product = await startProduct();
});
test.afterAll(() => product.close());

/** Script that a first visit to an address brings over the wire, compressed as the server sends it, in kB. */
async function scriptOf(page: Page, place: string): Promise<number> {
  const fresh = await page.context().newPage();
  await fresh.goto(`${product.url}${place}`);
  await expect(fresh.getByRole("heading", { level: 1 })).toBeVisible();
  await expect(fresh.getByText("Carregando...")).toHaveCount(0);
  const bytes = await fresh.evaluate(() =>
    performance
      .getEntriesByType("resource")
      .filter((each) => new URL(each.name).pathname.endsWith(".js"))
      .reduce((sum, each) => sum + (each as PerformanceResourceTiming).encodedBodySize, 0),
  );
  await fresh.close();
  return bytes / 1000;
}

test("no screen brings more script than an old telephone can bear", async ({ page }) => {
  for (const place of ["/login", "/signup"])
    expect(await scriptOf(page, place), place).toBeLessThanOrEqual(120);
  await signUp(page, product.url);
  const places = [
    "/",
    "/campaigns",
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
    expect(size, place).toBeLessThanOrEqual(200);
  }
});
