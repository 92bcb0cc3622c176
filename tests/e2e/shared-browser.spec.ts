import { expect, test } from "@playwright/test";
import type { ProductServer } from "../support/server.ts";
import { signUpUnseen } from "./support/person.ts";
import { testPicture } from "./support/pictures.ts";
import { startedFor } from "./support/started.ts";

let product: ProductServer;
startedFor((started) => {
  product = started.product;
});

test("a picture in the browser's cache is not shown to the next account", async ({ page }) => {
  await signUpUnseen(page, product.url);
  const uploaded = await page.request.post(`${product.url}/api/images`, {
    data: await testPicture(),
    headers: { "content-type": "image/png" },
  });
  const { id } = (await uploaded.json()) as { id: number };
  await page.goto(product.url);
  const answer = () => page.evaluate(async (path) => (await fetch(path)).status, `/api/images/${id}`);
  expect(await answer()).toBe(200);

  await page.request.post(`${product.url}/api/logout`);
  expect(await answer()).toBe(401);
  await signUpUnseen(page, product.url);
  expect(await answer()).toBe(404);
});
