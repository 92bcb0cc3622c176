import { expect, test } from "@playwright/test";
import { startProduct } from "../support/server.ts";

test("26.20 a stranger reaches the login page without console errors or violations of the page's policy @spec 2.1,2.3,4.8", async ({
  page,
}) => {
  const product = await startProduct({ databaseUrl: null });
  const errors: string[] = [];
  page.on("console", (message) => {
    if (message.type() === "error") errors.push(message.text());
  });
  page.on("pageerror", (error) => errors.push(error.message));
  try {
    await page.goto(product.url);
    await expect(page).toHaveURL(/\/login$/);
    await expect(page.getByRole("button", { name: "Entrar" })).toBeVisible();
    expect(errors).toEqual([]);
  } finally {
    await product.close();
  }
});
