import { expect, test } from "@playwright/test";
import type { ProductServer } from "../support/server.ts";
import { signUp } from "./support/person.ts";
import { startedFor } from "./support/started.ts";

let product: ProductServer;

startedFor((started) => {
  ({ product } = started);
});

test("who one is, and how the page looks, is the same in every tab as soon as one of them has changed it", async ({
  page,
  context,
}) => {
  await signUp(page, product.url, "Ótica Horizonte");
  await page.getByRole("navigation", { name: "Mais" }).getByRole("link", { name: "Configurações" }).click();
  const here = page.getByRole("form", { name: "Perfil" });
  await here.getByLabel("Empresa").fill("Horizonte Ltda.");
  const tab = await context.newPage();
  await tab.goto(`${product.url}/settings`);
  const there = tab.getByRole("form", { name: "Perfil" });
  await there.getByLabel("Nome completo").fill("Ótica Aurora");
  await there.getByRole("combobox", { name: "Fuso horário" }).click();
  await tab.keyboard.type("rio branco");
  await expect(tab.getByRole("listbox").getByRole("option")).toHaveCount(1);
  await tab.keyboard.press("Enter");
  await there.getByRole("button", { name: "Salvar alterações" }).click();
  await expect(tab.getByText("Alterações salvas")).toBeVisible();

  await expect(page.getByRole("banner")).toContainText("Ótica Aurora");
  await expect(here.getByLabel("Nome completo")).toHaveValue("Ótica Aurora");
  await expect(here.getByRole("combobox", { name: "Fuso horário" })).toHaveValue(
    "Horário do Acre · Rio Branco",
  );
  // What is being written here stays.
  await expect(here.getByLabel("Empresa")).toHaveValue("Horizonte Ltda.");

  const choose = async (name: string) => {
    await tab.getByRole("button", { name: "Tema e idioma" }).click();
    await tab.getByRole("menuitemradio", { name }).click();
  };
  await choose("Escuro");
  await expect(page.locator("html")).toHaveAttribute("data-theme", "dark");
  await page.getByRole("button", { name: "Tema e idioma" }).click();
  await expect(page.getByRole("menuitemradio", { name: "Escuro" })).toBeChecked();
  await choose("Igual ao sistema");
  await expect(page.locator("html")).not.toHaveAttribute("data-theme");
});
