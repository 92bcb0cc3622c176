import { expect, test } from "@playwright/test";
import { type ProductServer, startProduct } from "../support/server.ts";
import { expectAccessible } from "./support/axe.ts";
import { signUpUnseen } from "./support/person.ts";

let product: ProductServer;

test.beforeAll(async () => {
  product = await startProduct();
});
test.afterAll(() => product.close());

test("F23 F24 a nearly full disk shows on every screen with effect and remedy until freed", async ({
  page,
}) => {
  let low = true;
  await page.route("**/api/installation", (route) =>
    route.fulfill({ json: { restored: null, diskLow: low, idle: true } }),
  );
  await signUpUnseen(page, product.url);
  const notice = page.getByRole("region", { name: "Espaço em disco" });
  for (const place of ["/", "/campaigns", "/contacts"]) {
    await page.goto(product.url + place);
    await expect(notice).toContainText("está quase cheio");
    await expect(notice).toContainText("os envios esperam");
  }
  await expectAccessible(page);
  await page.setViewportSize({ width: 360, height: 740 });
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);

  low = false;
  await page.reload();
  await expect(page.getByRole("region", { name: "Envio parado" })).toBeVisible();
  await expect(notice).toBeHidden();
});
