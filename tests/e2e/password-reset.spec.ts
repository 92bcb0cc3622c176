import { expect, type Page, test } from "@playwright/test";
import { type MailServer, startMailServer } from "../../simulators/mail/smtp-server.ts";
import { freePort } from "../support/ports.ts";
import { type ProductServer, startProduct } from "../support/server.ts";
import { expectAccessible } from "./support/axe.ts";
import { logIn, newEmail, PASSWORD, signUp, signUpUnseen } from "./support/person.ts";

let mail: MailServer;
let product: ProductServer;
let silent: ProductServer;

test.beforeAll(async () => {
  mail = await startMailServer();
  const port = await freePort();
  const env = {
    RECADO_SMTP_URL: `smtp://127.0.0.1:${mail.port}`,
    RECADO_MAIL_FROM: "Recado <recado@exemplo.com.br>",
    RECADO_URL: `http://127.0.0.1:${port}`,
    RECADO_SIGNUP: "open",
  };
  [product, silent] = await Promise.all([startProduct({ port, env }), startProduct()]);
});
test.afterAll(async () => {
  await Promise.all([product.close(), silent.close()]);
  await mail.close();
});

const NEW = "o sabiá canta cedo";

async function askFor(page: Page, email: string): Promise<void> {
  await page.goto(`${product.url}/login`);
  await page.getByRole("link", { name: "Esqueci minha senha" }).click();
  await expect(page.getByRole("heading", { name: "Esqueci minha senha" })).toBeVisible();
  await page.getByLabel("E-mail").fill(email);
  await page.getByRole("button", { name: "Enviar link" }).click();
  await expect(page.getByRole("heading", { name: "Confira o seu e-mail" })).toBeFocused();
  await expect(page.getByText("Se houver uma conta com este e-mail, enviamos um link.")).toBeVisible();
}

const emailsTo = (email: string) => mail.emails.filter(({ to }) => to.includes(email));
async function linkOf(email: string): Promise<string> {
  const asked = ({ text }: { text: string }) => text.includes("/nova-senha#");
  await expect.poll(() => emailsTo(email).some(asked)).toBe(true);
  const text = emailsTo(email).find(asked)?.text ?? "";
  return /http:\S+\/nova-senha#\S+/.exec(text)?.[0] ?? "";
}

async function fill(page: Page, password: string, confirm = password): Promise<void> {
  await page.getByLabel("Nova senha", { exact: true }).fill(password);
  await page.getByLabel("Confirmar nova senha").fill(confirm);
  await page.getByRole("button", { name: "Definir senha" }).click();
}

test("a forgotten password is reset by the link of the e-mail, once", async ({ page, context, browser }) => {
  const other = await browser.newContext({ locale: "pt-BR" });
  const inside = await other.newPage();
  const email = await signUp(inside, product.url);
  await askFor(page, email);
  await expectAccessible(page);
  const link = await linkOf(email);
  await page.goto(link);
  await expect(page.getByLabel("Nova senha", { exact: true })).toBeVisible();
  // The reset secret leaves the address but survives a reload.
  await expect(page).toHaveURL(`${product.url}/nova-senha`);
  await page.reload();
  await expect(page.getByLabel("Nova senha", { exact: true })).toBeVisible();
  await expectAccessible(page);
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
  await expectAccessible(again);
  await again.getByRole("link", { name: "Pedir outro link" }).click();
  await expect(again.getByRole("button", { name: "Enviar link" })).toBeVisible();
  expect(product.output()).not.toContain(link.split("#")[1]?.slice(22));
  await page.goto(`${product.url}/settings?aba=atividade`);
  await expect(page.getByText("Senha nova definida pelo link enviado por e-mail")).toBeVisible();
});

test("the e-mail that was typed and the screen that was wanted come along to where the new password lets in", async ({
  page,
  context,
  browser,
}) => {
  const other = await browser.newContext({ locale: "pt-BR" });
  const email = await signUpUnseen(await other.newPage(), product.url);
  await other.close();
  await page.goto(`${product.url}/contacts`);
  await expect(page).toHaveURL(`${product.url}/login?redirect=%2Fcontacts`);
  await page.getByLabel("E-mail").fill(email);
  await page.getByRole("link", { name: "Esqueci minha senha" }).click();
  await expect(page.getByLabel("E-mail")).toHaveValue(email);
  await expect(page).toHaveURL(`${product.url}/esqueci-a-senha?redirect=%2Fcontacts`);
  await page.getByRole("link", { name: "Voltar para entrar" }).click();
  await expect(page).toHaveURL(`${product.url}/login?redirect=%2Fcontacts`);
  await expect(page.getByLabel("E-mail")).toHaveValue(email);
  await page.getByRole("link", { name: "Esqueci minha senha" }).click();
  await page.getByRole("button", { name: "Enviar link" }).click();
  await expect(page.getByRole("heading", { name: "Confira o seu e-mail" })).toBeVisible();
  const tab = await context.newPage();
  await tab.goto(await linkOf(email));
  await expect(tab.getByLabel("Nova senha", { exact: true })).toHaveAttribute("autocomplete", "new-password");
  await expect(tab.getByLabel("Confirmar nova senha")).toHaveAttribute("autocomplete", "new-password");
  // Password managers need the e-mail that this password is for.
  await expect(tab.locator("form input[autocomplete=username]")).toHaveValue(email);
  await fill(tab, NEW);
  await expect(tab.getByLabel("E-mail")).toHaveValue(email);
  expect(new URL(tab.url()).href).not.toContain("@");
  await logIn(tab, email, NEW);
  await expect(tab).toHaveURL(`${product.url}/contacts`);
  await expect(tab.getByRole("heading", { level: 1, name: "Contatos" })).toBeVisible();
});

test("an unknown e-mail gets the same answer, and no message", async ({ page }) => {
  const stranger = newEmail();
  await askFor(page, stranger);
  await page.getByRole("button", { name: "Informar outro e-mail" }).click();
  await expect(page.getByRole("heading", { name: "Esqueci minha senha" })).toBeFocused();
  await page.getByRole("button", { name: "Enviar link" }).click();
  await expect(page.getByText("Informe o e-mail.")).toBeVisible();
  expect(emailsTo(stranger)).toEqual([]);
});

test("a server without mail says who can set a password, and how", async ({ page }) => {
  await page.goto(`${silent.url}/login`);
  await page.getByRole("link", { name: "Esqueci minha senha" }).click();
  await expect(page.getByRole("heading", { name: "Peça uma senha nova" })).toBeVisible();
  await expect(page.getByText("npm run account -- reset-password --email")).toBeVisible();
  await expectAccessible(page);
});

test("of two links that are opened one after the other the second one's answer holds", async ({ page }) => {
  await page.route("**/api/password-reset/link", async (route) => {
    const { token } = route.request().postDataJSON() as { token: string };
    if (token === "segundo") return route.fulfill({ json: { email: "ana@exemplo.com.br" } });
    await expect(page.getByLabel("Nova senha", { exact: true })).toBeVisible();
    await route.fulfill({
      status: 410,
      json: { code: "reset_link_over", error: "Este link não vale mais." },
    });
  });
  const late = page.waitForResponse((response) => response.status() === 410);
  await page.goto(`${product.url}/nova-senha#primeiro`);
  await expect(page.getByRole("heading", { name: "Definir nova senha" })).toBeVisible();
  await page.goto(`${product.url}/nova-senha#segundo`);
  await (await late).finished();
  await page.getByLabel("Nova senha", { exact: true }).fill(NEW);
  await expect(page.getByRole("heading", { name: "Definir nova senha" })).toBeVisible();
});
