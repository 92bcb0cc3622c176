import { expect, type Page } from "@playwright/test";
import type { Evolution } from "../../../simulators/evolution/evolution.ts";
import type { ProductServer } from "../../support/server.ts";
import { signUpUnseen } from "./person.ts";

export const WHERE = "Servidor da loja";

let made = 0;
export const newName = (what: string) => `${what}-${++made}`;

export async function openScreen(page: Page, product: ProductServer) {
  await signUpUnseen(page, product.url);
  await page.goto(`${product.url}/instances`);
  await expect(page.getByRole("heading", { level: 1, name: "Evolution" })).toBeVisible();
}

export async function register(page: Page, gateway: Evolution, apiKey = gateway.apiKey) {
  await page.getByRole("button", { name: "Cadastrar evolution" }).click();
  const dialog = page.getByRole("dialog", { name: "Cadastrar evolution" });
  await dialog.getByLabel("URL").fill(gateway.url);
  await dialog.getByLabel("API Key", { exact: true }).fill(apiKey);
  await dialog.getByLabel("Nome").fill(WHERE);
  await dialog.getByRole("button", { name: "Cadastrar" }).click();
  await expect(page.getByText(`${WHERE} cadastrada`)).toBeVisible();
  await expect(dialog).toBeHidden();
}

export async function fillInstance(page: Page, name: string) {
  await page.getByRole("button", { name: "Nova Instância" }).first().click();
  const dialog = page.getByRole("dialog", { name: "Nova Instância" });
  await dialog.getByLabel("Nome da instância").fill(name);
  await dialog.getByLabel("Número").fill("31 90777-3055");
  await dialog.getByRole("button", { name: "Gerar token" }).click();
  return dialog;
}

export async function createInstance(page: Page, name: string) {
  const dialog = await fillInstance(page, name);
  await dialog.getByRole("button", { name: "Criar instância" }).click();
  const qr = page.getByRole("dialog", { name: "Escaneie o QR Code" });
  await expect(qr.getByRole("img", { name: "QR Code para conectar o WhatsApp" })).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(qr).toBeHidden();
  return page.getByRole("article", { name });
}
