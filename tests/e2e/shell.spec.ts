import { expect } from "@playwright/test";
import { signUpUnseen } from "./support/person.ts";
import { test } from "./support/product.ts";

test("without a network a screen that was never open says so beside the menu, and opens when it is back", async ({
  page,
  context,
}) => {
  await signUpUnseen(page);
  await page.goto("/contacts");
  await expect(page.getByText("Nenhuma lista de contatos")).toBeVisible();
  await context.setOffline(true);
  await page.getByRole("navigation").getByRole("link", { name: "Chat" }).click();
  const error = page.getByRole("alert").filter({ hasText: "Não foi possível abrir esta tela" });
  await expect(error).toContainText("Você está sem internet.");
  // On the second try the router assumes that a newer version replaced the file.
  await page.getByRole("navigation").getByRole("link", { name: "Contatos" }).click();
  await expect(page.getByText("Nenhuma lista de contatos")).toBeVisible();
  await page.getByRole("navigation").getByRole("link", { name: "Chat" }).click();
  await expect(error).toContainText("Você está sem internet.");
  await expect(page.getByRole("navigation").getByRole("link", { name: "Campanhas" })).toBeVisible();
  await context.setOffline(false);
  await expect(page.getByRole("heading", { name: "Nenhuma conexão encontrada" })).toBeVisible();
  await expect(page).toHaveURL(/\/chat$/);
});
