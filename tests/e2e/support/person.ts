import { expect, type Locator, type Page } from "@playwright/test";
import type { MailServer } from "../../../simulators/mail/smtp-server.ts";

const COMPANY = "Ótica Horizonte";

export const PASSWORD = "uma frase de senha longa";

let made = 0;

/** A new e-mail for each account, so that tests of one product do not meet. */
export const newEmail = () => `pessoa${process.pid}x${++made}@exemplo.com.br`;

/** Signs a new person up; ends on the dashboard. The notice before the first campaign has been read already. */
export async function signUp(page: Page, url: string, name = COMPANY): Promise<string> {
  const email = await signUpAnew(page, url, name);
  await readRisk(page, url);
  return email;
}

/** The same, with nothing read. */
export async function signUpAnew(page: Page, url: string, name = COMPANY): Promise<string> {
  const email = await makeAccount(page, url, name);
  await page.goto(url);
  await expect(dashboard(page)).toBeVisible();
  return email;
}

/** As `signUp`, with no page opened: for tests that begin with another one, which would load two. */
export async function signUpUnseen(page: Page, url: string): Promise<string> {
  const email = await makeAccount(page, url, COMPANY);
  await readRisk(page, url);
  return email;
}

/** Confirms the e-mail of a new account by the link of the letter that it got. */
export async function confirmByEmail(
  page: Page,
  url: string,
  { mail, email }: { mail: Pick<MailServer, "letters">; email: string },
): Promise<void> {
  const token = () =>
    mail.letters
      .filter(({ to }) => to.includes(email))
      .map(({ text }) => /\/confirmar-email#(\S+)/.exec(text)?.[1])
      .findLast((found) => found !== undefined);
  await expect.poll(token).toBeDefined();
  const answer = await page.request.post(`${url}/api/email-confirmation/confirm`, {
    data: { token: token() },
  });
  expect(answer.status()).toBe(200);
}

async function makeAccount(page: Page, url: string, name: string): Promise<string> {
  const email = newEmail();
  const timeZone = await page.evaluate(() => new Intl.DateTimeFormat().resolvedOptions().timeZone);
  const form = { name, email, password: PASSWORD, confirmPassword: PASSWORD, acceptTerms: true, timeZone };
  const answer = await page.request.post(`${url}/api/signup`, { data: form });
  expect(answer.status()).toBe(201);
  return email;
}

/** As a person does it, for the tests that are about it: the form is filled, nothing is read yet. */
export async function signUpByForm(page: Page, url: string, name = COMPANY): Promise<string> {
  const email = newEmail();
  await page.goto(`${url}/signup`);
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

/** The notice before the first campaign is not shown to this person. */
export async function readRisk(page: Page, url: string): Promise<void> {
  await page.request.patch(`${url}/api/settings/profile`, { data: { riskRead: true } });
}

/** Fills the login form on whatever page shows it. */
export async function logIn(page: Page, email: string, password = PASSWORD): Promise<void> {
  await page.getByLabel("E-mail").fill(email);
  await page.getByLabel("Senha", { exact: true }).fill(password);
  await page.getByRole("button", { name: "Entrar" }).click();
}

/**
 * Ends the session, and presses what then asks the server. One of the page's own questions may have met the end before: the button is
 * gone with its screen then.
 */
export async function endSession(button: Locator): Promise<void> {
  await expect(button).toBeEnabled();
  await button.page().context().clearCookies();
  await button.evaluateAll((all: HTMLElement[]) => {
    for (const each of all) each.click();
  });
}
