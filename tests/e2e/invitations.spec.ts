import { spawn } from "node:child_process";
import path from "node:path";
import { expect, type Page } from "@playwright/test";
import type { ProductServer } from "../support/server.ts";
import { newEmail, PASSWORD, signUpByForm } from "./support/person.ts";
import { productAs } from "./support/product.ts";

/** Without a sign-up policy: the first person signs up, the others are invited. */
const test = productAs((_, url) => ({ env: { RECADO_URL: url } }));

async function account(product: ProductServer, ...args: string[]): Promise<string[]> {
  const cli = path.join(import.meta.dirname, "..", "..", "src", "server", "commands", "cli.ts");
  const env = { PATH: process.env.PATH, ...product.place, RECADO_URL: product.url };
  const child = spawn(process.execPath, [cli, ...args], { env });
  let out = "";
  child.stdout.on("data", (chunk) => {
    out += chunk;
  });
  expect(await new Promise((resolve) => child.on("close", resolve))).toBe(0);
  return out.trim().split("\n");
}

const closed = (page: Page) => page.getByText("Esta instalação convida as pessoas.");
const over = (page: Page) => page.getByText("Este convite não vale mais.");

async function fillIn(page: Page): Promise<void> {
  await page.getByLabel("Nome completo").fill("Rui Lima");
  await page.getByLabel("Senha", { exact: true }).fill(PASSWORD);
  await page.getByLabel("Confirmar senha").fill(PASSWORD);
  await page.getByRole("checkbox").check();
  await page.getByRole("button", { name: "Criar conta" }).click();
}

test("27.F4 the first person signs up, the next one reads that people are invited, and an invitation lets one in @spec 2.2 @decision 34", async ({
  page,
  browser,
  product,
}) => {
  await signUpByForm(page);

  const context = await browser.newContext({ locale: "pt-BR" });
  const guest = await context.newPage();
  await guest.goto("/login");
  await guest.getByRole("link", { name: "Entre em contato" }).click();
  await expect(closed(guest)).toBeVisible();
  await expect(guest.getByRole("heading", { level: 1, name: "Criar conta" })).toBeVisible();
  await expect(guest.getByRole("button", { name: "Criar conta" })).toHaveCount(0);

  const email = newEmail();
  const [link = ""] = await account(product, "invite", "--email", email);
  await guest.goto(link);
  await expect(guest).toHaveURL("/signup");
  await expect(guest.getByText("Este convite cria a sua conta nesta instalação.")).toBeVisible();
  await expect(guest.getByLabel("E-mail")).toHaveValue(email);
  await expect(guest.getByLabel("E-mail")).not.toBeEditable();
  await guest.reload();
  await fillIn(guest);
  await expect(guest.getByRole("heading", { level: 1, name: "Painel de Controle" })).toBeVisible();

  const other = await (await browser.newContext({ locale: "pt-BR" })).newPage();
  await other.goto(link);
  await expect(over(other)).toBeVisible();
  await expect(other.getByRole("link", { name: "Criar conta sem convite" })).toHaveCount(0);
  await other.context().close();
  await context.close();
});
