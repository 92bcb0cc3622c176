import { expect, type Page } from "@playwright/test";

export const PASSWORD = "uma frase de senha longa";

let made = 0;

/** A new e-mail for each account, so that tests of one product do not meet. */
export const newEmail = () => `pessoa${process.pid}x${++made}@exemplo.com.br`;

/** Signs a new person up through the page; ends on the dashboard. The notice before the first campaign has been read already. */
export async function signUp(page: Page, url: string, name = "Ótica Horizonte"): Promise<string> {
  const email = await signUpAnew(page, url, name);
  await page.request.patch(`${url}/api/settings/profile`, { data: { riskRead: true } });
  return email;
}

/** The same, with nothing read. */
export async function signUpAnew(page: Page, url: string, name = "Ótica Horizonte"): Promise<string> {
  const email = newEmail();
  await page.goto(`${url}/signup`);
  await page.getByLabel("Nome completo").fill(name);
  await page.getByLabel("E-mail").fill(email);
  await page.getByLabel("Senha", { exact: true }).fill(PASSWORD);
  await page.getByLabel("Confirmar senha").fill(PASSWORD);
  await page.getByRole("checkbox").check();
  await page.getByRole("button", { name: "Criar conta" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "Painel de Controle" })).toBeVisible();
  return email;
}

/** Fills the login form on whatever page shows it. */
export async function logIn(page: Page, email: string, password = PASSWORD): Promise<void> {
  await page.getByLabel("E-mail").fill(email);
  await page.getByLabel("Senha", { exact: true }).fill(password);
  await page.getByRole("button", { name: "Entrar" }).click();
}
