import { execFile } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { expect, type Page, test } from "@playwright/test";
import { type MailServer, startMailServer } from "../../simulators/mail/smtp-server.ts";
import { freePort } from "../support/ports.ts";
import { type ProductServer, startProduct } from "../support/server.ts";
import { expectAccessible } from "./support/axe.ts";
import { confirmByEmail, signUpUnseen } from "./support/person.ts";

let mail: MailServer;
let env: Record<string, string>;
let product: ProductServer;
let silent: ProductServer;

test.beforeAll(async () => {
  mail = await startMailServer();
  const port = await freePort();
  env = {
    RECADO_SMTP_URL: `smtp://127.0.0.1:${mail.port}`,
    RECADO_MAIL_FROM: "Recado <recado@exemplo.com.br>",
    RECADO_MAIL_FOR: "all",
    RECADO_URL: `http://127.0.0.1:${port}`,
    RECADO_SIGNUP: "open",
  };
  [product, silent] = await Promise.all([startProduct({ port, env }), startProduct()]);
});
test.afterAll(async () => {
  await Promise.all([product.close(), silent.close()]);
  await mail.close();
});
test.beforeEach(() => mail.recover());

async function open(page: Page, server = product): Promise<string> {
  const email = await signUpUnseen(page, server.url);
  if (server === product) await confirmByEmail(page, server.url, { mail, email });
  await page.goto(`${server.url}/settings?aba=notificacoes`);
  await expect(page.getByRole("heading", { name: "E-mail" })).toBeVisible();
  return email;
}

const boxes = (page: Page) => page.getByRole("checkbox");

test("each box has the default of the product, and is kept at once @spec 2.58", async ({ page }) => {
  await open(page);
  const names = [
    "Campanha concluída",
    "Problemas de entrega",
    "Atualizações da conta",
    "Ofertas e dicas",
    "Novidades do produto",
    "Mudanças no status das campanhas",
    "Novas mensagens recebidas",
  ];
  await expect(boxes(page)).toHaveCount(names.length);
  for (const [place, name] of names.entries()) {
    const box = page.getByRole("checkbox", { name });
    await expect(box).toBeChecked({ checked: place !== 3 && place !== 4 });
  }
  await page.getByRole("checkbox", { name: "Campanha concluída" }).click();
  await page.getByRole("checkbox", { name: "Ofertas e dicas" }).click();
  await expect(page.getByText("Salvo", { exact: true })).toHaveCount(2);
  await page.reload();
  await expect(page.getByRole("checkbox", { name: "Campanha concluída" })).not.toBeChecked();
  await expect(page.getByRole("checkbox", { name: "Ofertas e dicas" })).toBeChecked();
});

test("a box that could not be saved says so and shows what is kept", async ({ page }) => {
  await open(page);
  const box = page.getByRole("checkbox", { name: "Problemas de entrega" });
  const answer = Promise.withResolvers<void>();
  await page.route("**/api/settings/notifications", async (route) => {
    if (route.request().method() !== "PATCH") return route.continue();
    await answer.promise;
    return route.abort();
  });
  await box.click();
  await expect(page.getByText("Salvando...")).toBeVisible();
  await expect(box).not.toBeChecked();
  answer.resolve();
  await expect(page.getByText(/^Não foi salvo:/)).toBeVisible();
  await expect(box).toBeChecked();
  await expectAccessible(page);
  await page.unroute("**/api/settings/notifications");
  await box.click();
  await expect(page.getByText("Salvo", { exact: true })).toBeVisible();
});

test("a test e-mail arrives, and what became of it is said; a mail server's refusal too", async ({
  page,
}) => {
  const email = await open(page);
  await expect(page.getByText(/^Último e-mail: «Confirme o seu e-mail», enviado/)).toBeVisible();
  await page.getByRole("button", { name: "Enviar e-mail de teste" }).click();
  await expect(
    page.getByText(/^Último e-mail: «Mensagem de teste do Recado», enviado (hoje|ontem) às/),
  ).toBeVisible();
  const tests = mail.emails.filter(({ to, text }) => to[0] === email && text.includes("teste pedida"));
  expect(tests).toHaveLength(1);
  mail.fail({ at: "to", answer: "550 5.1.1 No such user" });
  await page.getByRole("button", { name: "Enviar e-mail de teste" }).click();
  const error = page.getByRole("alert");
  await expect(error).toContainText("não foi enviado");
  await expect(error).toContainText("O servidor de e-mail recusou a mensagem. (550)");
  await expectAccessible(page);
});

test("without a mail server the screen says so and keeps the choices", async ({ page }) => {
  await open(page, silent);
  await expect(page.getByText("Este servidor não envia e-mails.")).toBeVisible();
  await expect(page.getByRole("button", { name: "Enviar e-mail de teste" })).toBeHidden();
  await page.getByRole("checkbox", { name: "Novidades do produto" }).click();
  await expect(page.getByText("Salvo", { exact: true })).toBeVisible();
});

test("the link at the foot of news ends them by one press, without signing in", async ({ page, browser }) => {
  const email = await open(page);
  await page.getByRole("checkbox", { name: "Novidades do produto" }).click();
  await expect(page.getByText("Salvo", { exact: true })).toBeVisible();
  const file = path.join(product.dataFolder, "novidades.txt");
  fs.writeFileSync(file, "Assunto: Chegou o painel novo\n\nVeja o que mudou.\n");
  await promisify(execFile)(
    process.execPath,
    ["src/server/commands/announce-cli.ts", "--kind", "product", file],
    { env: { ...process.env, ...env, ...product.place } },
  );
  // The server sends e-mails too and may have claimed this one, which then goes out after the command.
  const received = () =>
    mail.emails.find(({ to, text }) => to[0] === email && text.includes("Veja o que mudou"));
  await expect.poll(received).toBeDefined();
  const link = received()?.text.match(/http\S+\/descadastrar\/\S+/)?.[0] ?? "";

  const reader = await (await browser.newContext()).newPage();
  await reader.goto(link);
  await expect(reader.getByRole("heading", { name: "Parar de receber novidades do produto?" })).toBeVisible();
  await expect(reader.getByText("@exemplo.com.br")).toBeVisible();
  await expectAccessible(reader);
  await page.reload();
  await expect(page.getByRole("checkbox", { name: "Novidades do produto" })).toBeChecked();
  await reader.getByRole("button", { name: "Descadastrar" }).click();
  const done = reader.getByRole("heading", { name: "Pronto, você não recebe mais estes e-mails." });
  await expect(done).toBeFocused();
  await expectAccessible(reader);
  await page.reload();
  await expect(page.getByRole("checkbox", { name: "Novidades do produto" })).not.toBeChecked();
  await reader.goto(`${product.url}/descadastrar/nada`);
  await expect(reader.getByRole("heading", { name: "Este link não vale mais" })).toBeVisible();
});
