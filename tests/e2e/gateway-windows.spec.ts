import { expect, test } from "@playwright/test";
import { type Evolution, startEvolution } from "../../src/simulator/evolution/evolution.ts";
import { type ProductServer, startProduct } from "../support/server.ts";
import { openScreen, register, WHERE } from "./support/evolution-screen.ts";

let gateway: Evolution;
let product: ProductServer;

test.beforeAll(async () => {
  gateway = await startEvolution();
  product = await startProduct({ env: { RECADO_PRIVATE_HOSTS: new URL(gateway.url).host } });
});
test.afterAll(async () => {
  await product.close();
  await gateway.close();
});

test("what another window has changed of a server meanwhile stays as it is where only the rest is changed", async ({
  page,
}) => {
  await openScreen(page, product);
  await register(page, gateway);
  await page.getByRole("button", { name: `Ações de ${WHERE}` }).click();
  await page.getByRole("menuitem", { name: "Editar" }).click();
  const editing = page.getByRole("dialog", { name: `Editar ${WHERE}` });
  await editing.getByLabel("API Key", { exact: true }).fill(gateway.apiKey);
  const all = await (await page.request.get(`${product.url}/api/gateways`)).json();
  const renamed = await page.request.patch(`${product.url}/api/gateways/${all.gateways[0].id}`, {
    data: { name: "Servidor da matriz" },
  });
  expect(renamed.status()).toBe(200);
  await editing.getByRole("button", { name: "Salvar" }).click();
  await expect(page.getByText("Servidor da matriz salva")).toBeVisible();
  await expect(page.getByRole("button", { name: "Ações de Servidor da matriz" })).toBeVisible();
});
