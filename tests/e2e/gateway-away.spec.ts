import { expect, test } from "@playwright/test";
import { sql } from "kysely";
import { type Evolution, startEvolution } from "../../simulators/evolution/evolution.ts";
import { callThere } from "../support/calls-there.ts";
import { campaignRow } from "../support/campaign-rows.ts";
import { type ProductServer, startProduct } from "../support/server.ts";
import {
  createInstance,
  fillInstance,
  newName,
  openScreen,
  register,
  WHERE,
} from "./support/evolution-screen.ts";
import { productRows } from "./support/product-rows.ts";

let gateway: Evolution;
let product: ProductServer;

test.beforeAll(async () => {
  gateway = await startEvolution();
  product = await startProduct({
    env: {
      RECADO_PRIVATE_HOSTS: new URL(gateway.url).hostname,
      RECADO_GATEWAYS: `Casa=${gateway.url}|a-key-that-is-not-the-one`,
    },
  });
});
test.afterAll(async () => {
  await product.close();
  await gateway.close();
});

test("an instance that another window removes while its code waits is waited for no more", async ({
  page,
}) => {
  const name = newName("removida");
  await openScreen(page, product);
  await register(page, gateway);
  const form = await fillInstance(page, name);
  await form.getByRole("button", { name: "Criar instância" }).click();
  const dialog = page.getByRole("dialog", { name: "Escaneie o QR Code" });
  await expect(dialog.getByRole("img", { name: "QR Code para conectar o WhatsApp" })).toBeVisible();
  const removed = await page.request.delete(`${product.url}/api/whatsapp/devices/${name}`, {
    headers: { origin: product.url },
  });
  expect(removed.ok()).toBe(true);
  await expect(dialog).toBeHidden();
});

test("an instance deleted at its server is shown as gone, and its deletion there is not offered", async ({
  page,
}) => {
  const name = newName("sumida");
  await openScreen(page, product);
  await register(page, gateway);
  const card = await createInstance(page, name);
  await callThere(gateway, "DELETE", `/instance/delete/${name}`);
  await page.getByRole("button", { name: "Atualizar" }).click();
  await expect(card).toContainText("Esta instância não existe mais no servidor.");
  await card.getByRole("button", { name: `Excluir ${name}` }).click();
  const question = page.getByRole("alertdialog");
  await expect(question).toContainText("No servidor ela não existe mais.");
  await expect(question).not.toContainText("é excluída do servidor");
  await question.getByRole("button", { name: "Cancelar" }).click();

  await page.goto(`${product.url}/whatsapp/connections`);
  await page.getByRole("button", { name: `Ações de ${name}` }).click();
  await page.getByRole("menuitem", { name: "Excluir" }).click();
  await expect(question).toContainText("no servidor ela não existe mais");
  await expect(question).not.toContainText("é excluída do servidor");
  await question.getByRole("button", { name: "Excluir" }).click();
  await expect(page.getByText("Nenhuma conexão encontrada")).toBeVisible();
});

test("that campaigns stop with a server is said also where it does not answer any more", async ({ page }) => {
  const name = newName("calada");
  await openScreen(page, product);
  await register(page, gateway);
  await createInstance(page, name);
  const rows = await productRows(product);
  const { rows: found } = await sql<{ id: number; account: string }>`
    select id, account_id as account from connection where device_id = ${name}`.execute(rows.db);
  const { id: connectionId = 0, account = "" } = found[0] ?? {};
  const campaign = { status: "paused", cause: "user", connectionId, people: { pending: 2 } };
  await campaignRow(rows.db, account, campaign);
  await rows.close();
  await gateway.world.goDown();
  try {
    await page.reload();
    await expect(page.getByRole("alert").filter({ hasText: "Erro ao buscar instâncias." })).toBeVisible();
    const found = page.getByLabel(`O que o teste de ${WHERE} encontrou`);
    await page.getByRole("button", { name: "Testar" }).click();
    await expect(found).toContainText("Não responde");
    await expect(found.locator("[data-verdict=good]")).toHaveCount(0);
    await expect(found).not.toContainText("Chegam ao Recado");
    await page.getByRole("button", { name: `Ações de ${WHERE}` }).click();
    await page.getByRole("menuitem", { name: "Excluir" }).click();
    await expect(page.getByRole("alertdialog")).toContainText(
      "As campanhas que enviam por este servidor são pausadas.",
    );
  } finally {
    await gateway.world.comeBack();
  }
});

test("26.25 L5 a card does not keep the error of before when its list meets another one", async ({
  page,
}) => {
  await openScreen(page, product);
  await register(page, gateway);
  const found = page.getByLabel(`O que o teste de ${WHERE} encontrou`);
  gateway.world.license(true);
  try {
    await page.reload();
    await expect(found).toContainText("Não ativada");
    await gateway.world.goDown();
    await page.reload();
    await expect(page.getByRole("alert").filter({ hasText: "Erro ao buscar instâncias." })).toBeVisible();
    await expect(found).toContainText("Não responde");
    await expect(found).not.toContainText("Não ativada");
  } finally {
    gateway.world.license(false);
    await gateway.world.comeBack();
  }
});

test("26.25 L7 an instance of a server that keeps no messages says what that means", async ({ page }) => {
  const name = newName("enxuta");
  await openScreen(page, product);
  await register(page, gateway);
  const card = await createInstance(page, name);
  await expect(card).not.toContainText("não guarda mensagens");
  const rows = await productRows(product);
  await sql`update instance set keeps_messages = false where name = ${name}`.execute(rows.db);
  await rows.close();
  await page.reload();
  await expect(card).toContainText("Este servidor não guarda mensagens.");
  await expect(card).toContainText("O que se perder enquanto ele está fora não pode ser recuperado");
});

test("an administrator's task is not given to a user", async ({ page }) => {
  await openScreen(page, product);
  const card = page.getByRole("region", { name: "Evolution escolhida" });
  await card.getByRole("button", { name: "Testar" }).click();
  await expect(card.getByText("O servidor recusou a API Key.")).toBeVisible();
  await expect(card).toContainText("Avise o administrador, que fornece este servidor");
  await expect(card).not.toContainText("Edite a evolution");
});

test("of two servers that are tested side by side each waits for its own answer", async ({ page }) => {
  await openScreen(page, product);
  await register(page, gateway);
  const card = page.getByRole("region", { name: "Evolution escolhida" });
  const choice = card.getByRole("combobox");
  const answers: (() => void)[] = [];
  await page.route(/\/api\/gateways\/\d+\/test$/, async (route) => {
    await new Promise<void>((answer) => answers.push(answer));
    await route.continue();
  });
  const begin = async (name: string) => {
    await choice.selectOption(name);
    await card.getByRole("button", { name: "Testar" }).click();
    await expect(card.getByRole("button", { name: "Testando..." })).toBeDisabled();
  };
  await begin(WHERE);
  await expect.poll(() => answers.length).toBe(1);
  await begin("Casa");
  await expect.poll(() => answers.length).toBe(2);
  await choice.selectOption(WHERE);
  await expect(card.getByRole("button", { name: "Testando..." })).toBeDisabled();
  answers[0]?.();
  await expect(card.getByRole("button", { name: "Testar" })).toBeEnabled();
  await choice.selectOption("Casa");
  await expect(card.getByRole("button", { name: "Testando..." })).toBeDisabled();
  answers[1]?.();
  await expect(card.getByText("O servidor recusou a API Key.")).toBeVisible();
});

test("what another window changed of a server is kept when only the rest is edited", async ({ page }) => {
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
