import { expect, type Page } from "@playwright/test";
import type { MailServer } from "../../simulators/mail/smtp-server.ts";
import { signUpUnseen } from "./support/person.ts";
import { test } from "./support/product.ts";

async function linkTo(mail: MailServer, email: string, path: string, nth = 0): Promise<string> {
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
  mail,
  product,
}) => {
  const email = await signUpUnseen(page);
  await page.goto("/settings?aba=notificacoes");
  await expect(waiting(page)).toBeVisible();
  await expect(page.getByText(`Os avisos vão para ${email} depois de confirmado.`)).toBeVisible();
  await page.getByRole("button", { name: "Enviar e-mail de teste" }).click();
  await expect(page.getByRole("alert")).toContainText("ainda não foi confirmado");
  const first = await linkTo(mail, email, "/confirmar-email");
  await page.getByRole("button", { name: "Enviar de novo" }).click();
  await expect(page.getByText("Link enviado. Confira também a caixa de spam.")).toBeVisible();
  const second = await linkTo(mail, email, "/confirmar-email", 1);

  const reader = await (await browser.newContext({ locale: "pt-BR" })).newPage();
  await reader.goto(first);
  await expect(reader.getByRole("heading", { name: "Este link não vale mais" })).toBeVisible();
  await reader.goto(second);
  await expect(reader.getByRole("button", { name: "Confirmar" })).toBeVisible();
  await expect(reader).toHaveURL("/confirmar-email");
  await page.reload();
  await expect(waiting(page)).toBeVisible();
  await reader.getByRole("button", { name: "Confirmar" }).click();
  await expect(reader.getByRole("heading", { name: "E-mail confirmado" })).toBeFocused();
  await page.reload();
  await expect(page.getByText(`Os avisos vão para ${email}.`)).toBeVisible();
  await expect(waiting(page)).toBeHidden();
  expect(product.output()).not.toContain(second.split("#")[1]?.slice(22));
});
