import { expect, type Page } from "@playwright/test";

const COMPANY = "Ótica Horizonte";

export const PASSWORD = "uma frase de senha longa";

let made = 0;

export const newEmail = () => `pessoa${process.pid}x${++made}@exemplo.com.br`;

export async function signUp(page: Page, name = COMPANY): Promise<string> {
  const email = await makeAccount(page, name);
  await page.goto("/");
  await expect(dashboard(page)).toBeVisible();
  await readRisk(page);
  return email;
}

export async function signUpUnseen(page: Page): Promise<string> {
  const email = await makeAccount(page, COMPANY);
  await readRisk(page);
  return email;
}

async function makeAccount(page: Page, name: string): Promise<string> {
  const email = newEmail();
  const timeZone = await page.evaluate(() => new Intl.DateTimeFormat().resolvedOptions().timeZone);
  const form = { name, email, password: PASSWORD, confirmPassword: PASSWORD, acceptTerms: true, timeZone };
  const answer = await page.request.post("/api/signup", { data: form });
  expect(answer.status()).toBe(201);
  return email;
}

export async function signUpByForm(page: Page, name = COMPANY): Promise<string> {
  const email = newEmail();
  await page.goto("/signup");
  await page.getByLabel("Nome completo").fill(name);
  await page.getByLabel("E-mail").fill(email);
  await page.getByLabel("Senha", { exact: true }).fill(PASSWORD);
  await page.getByLabel("Confirmar senha").fill(PASSWORD);
  await page.getByRole("checkbox").check();
  await page.getByRole("button", { name: "Criar conta" }).click();
  await expect(dashboard(page)).toBeVisible();
  return email;
}

const dashboard = (page: Page) => page.getByRole("heading", { level: 1, name: "Painel de Controle" });

export async function readRisk(page: Page): Promise<void> {
  await page.request.patch("/api/settings/profile", { data: { riskRead: true } });
}

export async function logIn(page: Page, email: string, password = PASSWORD): Promise<void> {
  await page.getByLabel("E-mail").fill(email);
  await page.getByLabel("Senha", { exact: true }).fill(password);
  await page.getByRole("button", { name: "Entrar" }).click();
}
