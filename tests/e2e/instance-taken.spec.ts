import { expect, test } from "@playwright/test";
import { sql } from "kysely";
import { type Evolution, startEvolution } from "../../simulators/evolution/evolution.ts";
import { webhookOf } from "../support/calls-there.ts";
import { type ProductServer, startProduct } from "../support/server.ts";
import { expectAccessible } from "./support/axe.ts";
import { createInstance, newName, openScreen, register } from "./support/evolution-screen.ts";
import { productRows } from "./support/product-rows.ts";

let gateway: Evolution;
let product: ProductServer;

test.beforeAll(async () => {
  gateway = await startEvolution();
  product = await startProduct({ env: { RECADO_PRIVATE_HOSTS: new URL(gateway.url).hostname } });
});
test.afterAll(async () => {
  await product.close();
  await gateway.close();
});

test("that another address took the webhook's place is said, and taken back with messages passed on to it", async ({
  page,
}) => {
  const name = newName("tomada");
  await openScreen(page, product);
  await register(page, gateway);
  const card = await createInstance(page, name);
  const taker = "https://n8n.exemplo.com.br/webhook/1";
  const rows = await productRows(product);
  await sql`update instance set hook_state = 'taken', former_webhook = ${taker} where name = ${name}`.execute(
    rows.db,
  );
  await rows.close();
  await page.reload();
  await expect(card).toContainText("Outro endereço tomou o lugar do webhook do Recado nesta instância.");
  await expect(card).toContainText(`Webhook de agora: ${taker}`);
  await expectAccessible(page);
  await card.getByRole("button", { name: /^Configurar webhook/ }).click();
  const dialog = page.getByRole("dialog", { name: "Configurar webhook" });
  await expect(dialog).toContainText(`No lugar do Recado, o webhook agora é ${taker}.`);
  await dialog.getByRole("button", { name: "Usar este endereço" }).click();
  await dialog.getByRole("button", { name: "Salvar" }).click();
  await expect(page.getByText("Webhook configurado com sucesso!")).toBeVisible();
  await expect(card).not.toContainText("tomou o lugar");
  await expect(card).toContainText(`${taker} Nada repassado ainda`);
  expect(await webhookOf(gateway, name)).toMatchObject({ url: expect.stringContaining("/hooks/evolution/") });
});
