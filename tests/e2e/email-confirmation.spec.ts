import { expect, type Page, test } from "@playwright/test";
import { type MailServer, startMailServer } from "../../simulators/mail/smtp-server.ts";
import { freePort } from "../support/ports.ts";
import { type ProductServer, startProduct } from "../support/server.ts";
import { expectAccessible } from "./support/axe.ts";
import { confirmByEmail, newEmail, PASSWORD, signUpUnseen } from "./support/person.ts";

let mail: MailServer;
let product: ProductServer;

test.beforeAll(async () => {
  mail = await startMailServer();
  const port = await freePort();
  const env = {
    RECADO_SMTP_URL: `smtp://127.0.0.1:${mail.port}`,
    RECADO_MAIL_FROM: "Recado <recado@exemplo.com.br>",
    RECADO_URL: `http://127.0.0.1:${port}`,
    RECADO_SIGNUP: "open",
    RECADO_MAIL_FOR: "all",
  };
  product = await startProduct({ port, env });
});
test.afterAll(async () => {
  await product.close();
  await mail.close();
});

async function linkTo(email: string, path: string, nth = 0): Promise<string> {
  const links = () =>
    mail.emails
      .filter(({ to }) => to.includes(email))
      .flatMap(({ text }) => /http:\S+#\S+/.exec(text)?.[0] ?? [])
      .filter((link) => link.includes(path));
  await expect.poll(() => links().length).toBeGreaterThan(nth);
  return links()[nth] ?? "";
}

const waiting = (page: Page) => page.getByText("O seu e-mail ainda não foi confirmado.");

test("an e-mail that waits is said where notices are chosen, is sent its link again, and confirmed by a press", async ({
  page,
  browser,
}) => {
  const email = await signUpUnseen(page, product.url);
  await page.goto(`${product.url}/settings?aba=notificacoes`);
  await expect(waiting(page)).toBeVisible();
  await expect(page.getByText(`Os avisos vão para ${email} depois de confirmado.`)).toBeVisible();
  await expectAccessible(page);
  await page.getByRole("button", { name: "Enviar e-mail de teste" }).click();
  await expect(page.getByRole("alert")).toContainText("ainda não foi confirmado");
  const first = await linkTo(email, "/confirmar-email");
  await page.getByRole("button", { name: "Enviar de novo" }).click();
  await expect(page.getByText("Link enviado. Confira também a caixa de spam.")).toBeVisible();
  const second = await linkTo(email, "/confirmar-email", 1);

  const reader = await (await browser.newContext({ locale: "pt-BR" })).newPage();
  await reader.goto(first);
  await expect(reader.getByRole("heading", { name: "Este link não vale mais" })).toBeVisible();
  await reader.goto(second);
  await expect(reader.getByRole("button", { name: "Confirmar" })).toBeVisible();
  await expect(reader).toHaveURL(`${product.url}/confirmar-email`);
  await expectAccessible(reader);
  await page.reload();
  await expect(waiting(page)).toBeVisible();
  await reader.getByRole("button", { name: "Confirmar" }).click();
  await expect(reader.getByRole("heading", { name: "E-mail confirmado" })).toBeFocused();
  await expectAccessible(reader);
  await page.reload();
  await expect(page.getByText(`Os avisos vão para ${email}.`)).toBeVisible();
  await expect(waiting(page)).toBeHidden();
  expect(product.output()).not.toContain(second.split("#")[1]?.slice(22));
});

test("a new e-mail waits for its own address, and may be given up", async ({ page }) => {
  const email = await signUpUnseen(page, product.url);
  await confirmByEmail(page, product.url, { mail, email });
  await page.goto(`${product.url}/settings`);
  const profile = page.getByRole("form", { name: "Perfil" });
  const change = async (to: string) => {
    await profile.getByLabel("E-mail").fill(to);
    await profile.getByLabel("Senha atual").fill(PASSWORD);
    await profile.getByRole("button", { name: "Salvar" }).click();
    await expect(page.getByText("O seu novo e-mail espera pela confirmação.")).toBeVisible();
  };
  await change(newEmail());
  await expect(profile.getByLabel("E-mail")).toHaveValue(email);
  await expectAccessible(page);
  await page.getByRole("button", { name: "Desistir da troca" }).click();
  await expect(page.getByText("A troca de e-mail foi desfeita.")).toBeVisible();
  await expect(page.getByText("O seu novo e-mail espera")).toBeHidden();
  const to = newEmail();
  await change(to);
  await page.goto(await linkTo(to, "/confirmar-email"));
  await page.getByRole("button", { name: "Confirmar" }).click();
  await expect(page.getByText(`Agora você entra com ${to}, e os avisos vão para lá.`)).toBeVisible();
  await page.getByRole("link", { name: "Abrir o Recado" }).click();
  await expect(page.getByRole("banner").getByText(to)).toBeVisible();
});

test("F6 what a new password has ended is said on the page after it, and by a change in the settings too", async ({
  page,
}) => {
  const email = await signUpUnseen(page, product.url);
  const makeKey = (name: string) =>
    page.request.post(`${product.url}/api/settings/api-keys`, { data: { name } });
  await makeKey("Loja antiga");
  await page.goto(`${product.url}/settings`);
  const form = page.getByRole("form", { name: "Senha" });
  await expect(form.getByRole("checkbox", { name: /^Revogar também/ })).toBeChecked();
  await form.getByLabel("Senha atual").fill(PASSWORD);
  await form.getByLabel("Nova senha", { exact: true }).fill("outra frase bem comprida");
  await form.getByLabel("Confirmar nova senha").fill("outra frase bem comprida");
  await form.getByRole("button", { name: "Trocar senha" }).click();
  await expect(page.getByText("Chave de API «Loja antiga»")).toBeVisible();
  await expectAccessible(page);

  await makeKey("Loja nova");
  await page.goto(`${product.url}/esqueci-a-senha`);
  await page.getByLabel("E-mail").fill(email);
  await page.getByRole("button", { name: "Enviar link" }).click();
  await page.goto(await linkTo(email, "/nova-senha"));
  await page.getByLabel("Nova senha", { exact: true }).fill("o sabiá canta cedo");
  await page.getByLabel("Confirmar nova senha").fill("o sabiá canta cedo");
  await page.getByRole("button", { name: "Definir senha" }).click();
  await expect(page.getByRole("heading", { name: "Senha definida" })).toBeFocused();
  await expect(page.getByText("Chave de API «Loja nova»")).toBeVisible();
  await expect(page.getByText("Chave de API «Loja antiga»")).toBeHidden();
  await expectAccessible(page);
  await page.getByRole("link", { name: "Entrar" }).click();
  await expect(page.getByLabel("E-mail")).toHaveValue(email);
});

test("a dialog that makes a key asks for the password, and reports a wrong one at its field", async ({
  page,
}) => {
  await signUpUnseen(page, product.url);
  await page.goto(`${product.url}/settings?aba=chaves`);
  await page.getByRole("button", { name: "Gerar nova chave" }).first().click();
  const dialog = page.getByRole("dialog");
  await expect(dialog.getByLabel("Nome")).toBeVisible();
  await expect(dialog.getByLabel("Senha da sua conta")).toBeHidden();
  await page.keyboard.press("Escape");
  await page.route("**/api/settings/password-proof", (route) => route.fulfill({ json: { needed: true } }));
  await page.getByRole("button", { name: "Gerar nova chave" }).first().click();
  await dialog.getByLabel("Nome").fill("Loja");
  await dialog.getByLabel("Senha da sua conta").fill("errada 123");
  await dialog.getByRole("button", { name: "Gerar chave" }).click();
  await expect(dialog.getByText("Senha incorreta.")).toBeVisible();
  await expect(dialog.getByLabel("Senha da sua conta")).toBeFocused();
  await expectAccessible(page);
  await dialog.getByLabel("Senha da sua conta").fill(PASSWORD);
  await dialog.getByRole("button", { name: "Gerar chave" }).click();
  await expect(page.getByRole("heading", { name: "Chave «Loja» gerada" })).toBeVisible();
});
