import { expect, type Page, test } from "@playwright/test";
import { listRow } from "../support/campaign-rows.ts";
import type { ProductServer } from "../support/server.ts";
import { colourOf } from "./support/colours.ts";
import { createCampaign } from "./support/last-look.ts";
import { signUpUnseen } from "./support/person.ts";
import { accountOf, heldConnection, type ProductRows } from "./support/product-rows.ts";
import { startedFor } from "./support/started.ts";

/* What each screen says when the server refuses or fails: the words of docs/spec §8 with the cause below. */

let product: ProductServer;
let rows: ProductRows;

startedFor((started) => {
  ({ product, rows } = started);
});

const CAUSE = "O serviço está indisponível no momento. Tente novamente em instantes.";

const breaks = (page: Page, method: string, place: string) =>
  page.route(place, (route) =>
    route.request().method() === method
      ? route.fulfill({ status: 503, json: { code: "unavailable", error: CAUSE } })
      : route.fallback(),
  );

test("connecting @spec 2.67,7.19,8.18", async ({ page }) => {
  await signUpUnseen(page, product.url);
  await page.goto(`${product.url}/baileys`);
  await breaks(page, "POST", "**/api/whatsapp/connect");
  await page.getByLabel("Número do WhatsApp").fill("+55 31 90777-3055");
  await page.getByRole("button", { name: "Conectar", exact: true }).click();
  await expect(page.getByText("Erro ao conectar WhatsApp")).toBeVisible();
  const error = page.getByRole("main").getByRole("alert");
  await expect(error.getByRole("heading", { name: "Erro ao conectar", exact: true })).toBeVisible();
  await expect(error).toContainText(CAUSE);
  await expect(page.getByRole("status").getByText("Desconectado")).toBeVisible();
});

test("connecting without an answer @spec 8.18", async ({ page }) => {
  await signUpUnseen(page, product.url);
  await page.goto(`${product.url}/baileys`);
  await page.route("**/api/whatsapp/connect", (route) => route.abort());
  await page.getByLabel("Número do WhatsApp").fill("+55 31 90777-3055");
  await page.getByRole("button", { name: "Conectar", exact: true }).click();
  await expect(page.getByText("Erro ao conectar WhatsApp")).toBeVisible();
  const error = page.getByRole("main").getByRole("alert");
  await expect(error.getByRole("heading", { name: "Erro ao conectar", exact: true })).toBeVisible();
  await expect(error).toContainText("O servidor não respondeu.");
});

test("choosing a connection or a list for a campaign: an error stands in a red box and offers another try @spec 8.6,8.25 @decision 29", async ({
  page,
}) => {
  const account = await accountOf(rows.db, await signUpUnseen(page, product.url));
  await heldConnection(rows.db, account, "connected", "Matriz");
  await breaks(page, "GET", "**/api/connections");
  // As soon as the live-update stream is open the page refetches, and the error may vanish before the press.
  await page.route("**/api/events*", (route) => route.abort());
  await page.goto(`${product.url}/campaigns/new`);
  const error = page.getByRole("main").getByRole("alert").filter({ hasText: "Erro ao buscar conexões" });
  await expect.poll(() => colourOf(error.getByRole("heading"))).toBe("red");
  await page.unroute("**/api/connections");
  await error.getByRole("button", { name: "Tentar novamente" }).click();
  await expect(
    page.getByLabel("Conexão WhatsApp").getByRole("option", { name: "Matriz" }).first(),
  ).toBeAttached();
});

test("disconnecting and deleting a connection @spec 8.20,8.21,8.25 @decision 29", async ({ page }) => {
  const account = await accountOf(rows.db, await signUpUnseen(page, product.url));
  await heldConnection(rows.db, account, "connected", "Matriz");
  await page.goto(`${product.url}/whatsapp/connections`);
  await breaks(page, "DELETE", "**/api/whatsapp/**");
  for (const [verb, words] of [
    ["Desconectar", "Erro ao desconectar"],
    ["Excluir", "Erro ao excluir conexão"],
  ] as const) {
    await page.getByRole("button", { name: "Ações de Matriz" }).click();
    await page.getByRole("menuitem", { name: verb }).click();
    const asked = page.getByRole("alertdialog");
    await asked.getByRole("button", { name: verb }).click();
    await expect(asked.getByRole("alert")).toContainText(words);
    await expect(asked.getByRole("alert")).toContainText(CAUSE);
    await page.keyboard.press("Escape");
  }
  await expect(page.getByRole("listitem").filter({ hasText: "Matriz" })).toContainText("Conectado");
});

test("importing, adding and deleting contacts; nothing typed is lost @spec 8.8,8.9", async ({ page }) => {
  const account = await accountOf(rows.db, await signUpUnseen(page, product.url));
  await listRow(rows.db, account, 3, "Clientes");
  await page.goto(`${product.url}/contacts`);
  await breaks(page, "POST", "**/api/contact**");
  await breaks(page, "POST", "**/api/contact-imports/json");
  await breaks(page, "DELETE", "**/api/contact-lists/*");

  await page.getByRole("button", { name: "Importar", exact: true }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Nome da lista").fill("Nova");
  await dialog.getByRole("tab", { name: "Colar JSON" }).click();
  await dialog.getByLabel("Contatos em JSON").fill('[{ "name": "Ana", "phone": "31 90234-1187" }]');
  await dialog.getByRole("button", { name: "Importar" }).click();
  await expect(dialog.getByRole("alert")).toContainText("Erro ao importar lista.");
  await expect(dialog.getByLabel("Nome da lista")).toHaveValue("Nova");
  await dialog.getByRole("button", { name: "Cancelar" }).click();

  await page.getByRole("button", { name: "Novo Contato" }).click();
  await dialog.getByLabel("Nome").fill("Ana");
  await dialog.getByLabel("Telefone").fill("31 90234-1187");
  await dialog.getByRole("button", { name: "Adicionar" }).click();
  await expect(dialog.getByRole("alert")).toContainText("Erro ao adicionar contato.");
  await expect(dialog.getByLabel("Nome")).toHaveValue("Ana");
  await dialog.getByRole("button", { name: "Cancelar" }).click();

  await page.getByRole("button", { name: "Excluir Lista: Clientes" }).click();
  const asked = page.getByRole("alertdialog");
  await asked.getByRole("button", { name: "Excluir", exact: true }).click();
  await expect(asked.getByRole("alert")).toContainText("Erro ao excluir lista.");
});

test("creating a campaign @spec 8.4 @decision 17", async ({ page }) => {
  const account = await accountOf(rows.db, await signUpUnseen(page, product.url));
  await heldConnection(rows.db, account, "connected", "Matriz");
  await listRow(rows.db, account, 3, "Clientes");
  await page.goto(`${product.url}/campaigns/new`);
  await breaks(page, "POST", "**/api/campaigns");
  await page.getByLabel("Nome da campanha").fill("Natal");
  await page.getByRole("textbox", { name: "Texto" }).fill("Oi, {nome}!");
  await page.getByLabel("Lista de contatos").selectOption("Clientes (3)");
  await createCampaign(page);
  await expect(page.getByRole("main").getByRole("alert")).toContainText(
    "Não foi possível criar a campanha. Tente novamente.",
  );
  await expect(page.getByRole("textbox", { name: "Texto" })).toHaveValue("Oi, {nome}!");
});

test("signing up", async ({ page }) => {
  await page.goto(`${product.url}/signup`);
  await breaks(page, "POST", "**/api/signup");
  await page.getByLabel("Nome completo").fill("Marina");
  await page.getByLabel("E-mail").fill("marina@exemplo.com.br");
  await page.getByLabel("Senha", { exact: true }).fill("girassol no quintal");
  await page.getByLabel("Confirmar senha").fill("girassol no quintal");
  await page.getByRole("checkbox").check();
  await page.getByRole("button", { name: "Criar conta" }).click();
  await expect(page.getByRole("alert")).toContainText("Não foi possível criar a conta.");
  await expect(page.getByRole("alert")).toContainText(CAUSE);
});
