import { expect, type Page, test } from "@playwright/test";
import { listRow } from "../support/campaign-rows.ts";
import { openFaultProxy } from "../support/fault-proxy.ts";
import type { ProductServer } from "../support/server.ts";
import { signUp, signUpUnseen } from "./support/person.ts";
import { accountOf, type ProductRows } from "./support/product-rows.ts";
import { startedFor } from "./support/started.ts";

let product: ProductServer;
let rows: ProductRows;

startedFor((started) => {
  ({ product, rows } = started);
});

test("account and theme are the same in every tab as soon as one changes them", async ({ page, context }) => {
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
  await expect(here.getByLabel("Empresa")).toHaveValue("Horizonte Ltda.");

  // The server publishes changes by other browsers and programs as well.
  await page.request.patch(`${product.url}/api/settings/profile`, { data: { name: "Ótica Boreal" } });
  for (const one of [page, tab]) await expect(one.getByRole("banner")).toContainText("Ótica Boreal");
  await expect(here.getByLabel("Nome completo")).toHaveValue("Ótica Boreal");
  await expect(here.getByLabel("Empresa")).toHaveValue("Horizonte Ltda.");

  const choose = async (name: string) => {
    await tab.getByRole("button", { name: /^Menu da conta/ }).click();
    await tab.getByRole("menuitemradio", { name }).click();
  };
  await choose("Escuro");
  await expect(page.locator("html")).toHaveAttribute("data-theme", "dark");
  await page.getByRole("button", { name: /^Menu da conta/ }).click();
  await expect(page.getByRole("menuitemradio", { name: "Escuro" })).toBeChecked();
  await choose("Igual ao sistema");
  await expect(page.locator("html")).not.toHaveAttribute("data-theme");
});

test("changes during a stream outage are refetched in every tab, not only in the one that holds it", async ({
  page,
  context,
}) => {
  const wire = await openFaultProxy({ port: Number(new URL(product.url).port) });
  const screen = `http://127.0.0.1:${wire.port}/contacts`;
  const empty = (tab: Page) => tab.getByText("Nenhuma lista de contatos");
  try {
    const account = await accountOf(rows.db, await signUpUnseen(page, product.url));
    const opened = page.waitForResponse("**/api/events*");
    await page.goto(screen);
    await expect(empty(page)).toBeVisible();
    await opened;
    const tab = await context.newPage();
    let streams = 0;
    tab.on("request", (request) => {
      if (new URL(request.url()).pathname === "/api/events") streams++;
    });
    await tab.goto(screen);
    await expect(empty(tab)).toBeVisible();
    await listRow(rows.db, account, 3, "Clientes");
    wire.cut();
    for (const one of [page, tab])
      await expect(one.getByRole("article", { name: "Clientes" })).toBeVisible({ timeout: 25_000 });
    expect(streams).toBe(0);
  } finally {
    await wire.close();
  }
});
