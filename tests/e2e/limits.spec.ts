import { expect, type Page, test } from "@playwright/test";
import { sql } from "kysely";
import sharp from "sharp";
import { startMailServer } from "../../simulators/mail/smtp-server.ts";
import type { LimitName } from "../../src/domain/limits.ts";
import { setLimit } from "../../src/server/db/account-limits.ts";
import { listRow } from "../support/campaign-rows.ts";
import { type ProductServer, startProduct } from "../support/server.ts";
import { expectAccessible } from "./support/axe.ts";
import { createCampaign } from "./support/last-look.ts";
import { signUpUnseen } from "./support/person.ts";
import { accountOf, heldConnection, type ProductRows, productRows } from "./support/product-rows.ts";

let product: ProductServer;
let rows: ProductRows;
let mail: Awaited<ReturnType<typeof startMailServer>>;

test.beforeAll(async () => {
  mail = await startMailServer();
  product = await startProduct({
    env: {
      RECADO_MISTRAL_KEY: "a-key-of-the-operator",
      RECADO_MISTRAL_FOR: "named",
      RECADO_GATEWAYS: "Central=https://evolution.invalid|a-key",
      RECADO_GATEWAYS_FOR: "named",
      RECADO_SMTP_URL: `smtp://127.0.0.1:${mail.port}`,
      RECADO_MAIL_FROM: "Recado <recado@exemplo.com.br>",
      RECADO_MAIL_FOR: "named",
    },
  });
  rows = await productRows(product);
});
test.afterAll(async () => {
  await rows.close();
  await product.close();
  await mail.close();
});

async function person(page: Page, limits: Partial<Record<LimitName, number>> = {}): Promise<string> {
  const account = await accountOf(rows.db, await signUpUnseen(page, product.url));
  for (const [name, value] of Object.entries(limits))
    await setLimit(rows.db, account, name as LimitName, value);
  return account;
}

const said = (what: string) => `Limite da conta atingido: ${what}. Fale com quem administra esta instalação.`;

test("27.6 what the operator has not opened to the account is said where it would be used, with a way on", async ({
  page,
}) => {
  await person(page);
  await page.goto(`${product.url}/chatbot`);
  await expect(
    page.getByText("Esta instalação tem uma chave do Mistral, que quem a administra não abriu"),
  ).toBeVisible();
  await expect(page.getByRole("button", { name: "Cadastrar chave" })).toBeVisible();
  await expectAccessible(page);
  await page.goto(`${product.url}/instances`);
  await expect(
    page.getByText("Os servidores desta instalação não estão abertos para a sua conta"),
  ).toBeVisible();
  await expect(page.getByText("evolution.invalid")).toHaveCount(0);
  await expect(page.getByRole("button", { name: "Cadastrar evolution" })).toBeVisible();
  await page.goto(`${product.url}/settings?aba=notificacoes`);
  await expect(page.getByText("Os avisos por e-mail não estão abertos para a sua conta.")).toBeVisible();
  await expect(page.getByRole("button", { name: "Enviar e-mail de teste" })).toHaveCount(0);
});

test("27.6 a limit is shown with its figure: numbers, people, campaigns, pictures", async ({ page }) => {
  const account = await person(page, { numbers: 1, people: 3, waiting_campaigns: 0, stored_bytes: 0 });
  await heldConnection(rows.db, account, "connected", "Matriz");
  await listRow(rows.db, account, 3);
  await page.goto(`${product.url}/baileys`);
  await page.getByLabel("Número do WhatsApp").fill("+55 31 90777-3055");
  await page.getByRole("button", { name: "Conectar", exact: true }).click();
  await expect(page.getByRole("main").getByRole("alert")).toContainText(said("1 número"));

  await page.goto(`${product.url}/contacts`);
  await page.getByRole("button", { name: "Importar", exact: true }).click();
  const dialog = page.getByRole("dialog");
  await dialog.locator("input[type=file]").setInputFiles({
    name: "clientes.csv",
    mimeType: "text/csv",
    buffer: Buffer.from("Nome;Telefone\nAna;31902341187\n"),
  });
  await dialog.getByRole("button", { name: "Importar", exact: true }).click();
  await expect(dialog.getByRole("alert")).toContainText(said("3 contatos nas listas"));

  await page.goto(`${product.url}/campaigns/new`);
  await page.getByLabel("Nome da campanha").fill("Oferta");
  await page.getByRole("textbox", { name: "Texto" }).fill("Oi, {nome}!");
  await page.locator("input[type=file]").setInputFiles({
    name: "promo.png",
    mimeType: "image/png",
    buffer: await sharp({ create: { width: 40, height: 20, channels: 3, background: "teal" } })
      .png()
      .toBuffer(),
  });
  await expect(page.getByText(said("0 GB de imagens"))).toBeVisible();
});

test("27.6 a campaign beyond the limit is not created, and the form says why", async ({ page }) => {
  const account = await person(page, { waiting_campaigns: 0 });
  await heldConnection(rows.db, account, "connected", "Matriz");
  await listRow(rows.db, account, 3, "Clientes VIP");
  await page.goto(`${product.url}/campaigns/new`);
  await page.getByLabel("Nome da campanha").fill("Oferta");
  await page.getByRole("textbox", { name: "Texto" }).fill("Oi, {nome}!");
  await page.getByLabel("Lista de contatos").selectOption("Clientes VIP (3)");
  await createCampaign(page);
  await expect(page.getByText(said("0 campanhas agendadas ou prestes a começar")).first()).toBeVisible();
  const made =
    await sql`select from campaign where account_id = ${account}::uuid and status <> 'draft'`.execute(
      rows.db,
    );
  expect(made.rows).toHaveLength(0);
});

test("27.6 «Uso» shows every limit with what is used of it", async ({ page }) => {
  const account = await person(page, { lists: 1 });
  await listRow(rows.db, account, 3);
  await page.goto(`${product.url}/settings?aba=uso`);
  const limits = page.getByRole("table", { name: "Limites da conta" });
  await expect(limits.getByRole("row", { name: "Listas de contatos 1 de 1" })).toBeVisible();
  await expect(limits.getByRole("row", { name: "Contatos em todas as listas 3 de 5.000.000" })).toBeVisible();
  await expect(limits.getByRole("row", { name: "Imagens guardadas 0,0 GB de 5,0 GB" })).toBeVisible();
  await expectAccessible(page);
});
