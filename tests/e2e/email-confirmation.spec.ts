import { expect, type Page, test } from "@playwright/test";
import { type MailServer, startMailServer } from "../../simulators/mail/smtp-server.ts";
import { freePort } from "../support/ports.ts";
import { type ProductServer, startProduct } from "../support/server.ts";
import { expectAccessible } from "./support/axe.ts";
import { signUpUnseen } from "./support/person.ts";

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
