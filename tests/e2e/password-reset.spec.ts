import { expect, type Page } from "@playwright/test";
import type { MailServer } from "../../simulators/mail/smtp-server.ts";
import { logIn, PASSWORD, signUp } from "./support/person.ts";
import { test } from "./support/product.ts";

const NEW = "o sabiá canta cedo";

async function askFor(page: Page, email: string): Promise<void> {
  await page.goto("/login");
  await page.getByRole("link", { name: "Esqueci minha senha" }).click();
  await expect(page.getByRole("heading", { name: "Esqueci minha senha" })).toBeVisible();
  await page.getByLabel("E-mail").fill(email);
  await page.getByRole("button", { name: "Enviar link" }).click();
  await expect(page.getByRole("heading", { name: "Confira o seu e-mail" })).toBeFocused();
  await expect(page.getByText("Se houver uma conta com este e-mail, enviamos um link.")).toBeVisible();
}

async function linkOf(mail: MailServer, email: string): Promise<string> {
  const asked = () => mail.emails.find(({ to, text }) => to.includes(email) && text.includes("/nova-senha#"));
  await expect.poll(asked).toBeDefined();
  return /http:\S+\/nova-senha#\S+/.exec(asked()?.text ?? "")?.[0] ?? "";
}

async function fill(page: Page, password: string, confirm = password): Promise<void> {
  await page.getByLabel("Nova senha", { exact: true }).fill(password);
  await page.getByLabel("Confirmar nova senha").fill(confirm);
  await page.getByRole("button", { name: "Definir senha" }).click();
}

test("a forgotten password is reset by the link of the e-mail, once", async ({
  page,
  context,
  browser,
  mail,
  product,
}) => {
  const other = await browser.newContext({ locale: "pt-BR" });
  const inside = await other.newPage();
  const email = await signUp(inside);
  await askFor(page, email);
  const link = await linkOf(mail, email);
  await page.goto(link);
  await expect(page.getByLabel("Nova senha", { exact: true })).toBeVisible();
  await expect(page).toHaveURL("/nova-senha");
  await page.reload();
  await expect(page.getByLabel("Nova senha", { exact: true })).toBeVisible();
  await fill(page, "curta");
  await expect(page.getByText(/^A senha é curta/)).toBeVisible();
  await fill(page, NEW, "outra coisa");
  await expect(page.getByText("As senhas não coincidem.")).toBeVisible();
  await fill(page, NEW);
  await expect(page.getByText("Senha definida. Entre com ela.")).toBeVisible();
  await logIn(page, email, PASSWORD);
  await expect(page.getByText("Falha ao fazer login.")).toBeVisible();
  await logIn(page, email, NEW);
  await expect(page.getByRole("heading", { level: 1, name: "Painel de Controle" })).toBeVisible();
  await inside.reload();
  await expect(inside).toHaveURL(/\/login/);
  await other.close();
  const again = await context.newPage();
  await again.goto(link);
  await expect(again.getByRole("heading", { name: "Este link não vale mais" })).toBeVisible();
  await again.getByRole("link", { name: "Pedir outro link" }).click();
  await expect(again.getByRole("button", { name: "Enviar link" })).toBeVisible();
  expect(product.output()).not.toContain(link.split("#")[1]?.slice(22));
  await page.goto("/settings?aba=atividade");
  await expect(page.getByText("Senha nova definida pelo link enviado por e-mail")).toBeVisible();
});
