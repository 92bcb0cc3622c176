import { expect, type Page, test } from "@playwright/test";
import { sql } from "kysely";
import sharp from "sharp";
import { campaignRow, listRow } from "../support/campaign-rows.ts";
import type { ProductServer } from "../support/server.ts";
import { expectAccessible } from "./support/axe.ts";
import { confirmLook, lastLook } from "./support/last-look.ts";
import { signUpUnseen } from "./support/person.ts";
import { accountOf, heldConnection, type ProductRows } from "./support/product-rows.ts";
import { startedFor } from "./support/started.ts";

let product: ProductServer;
let rows: ProductRows;

startedFor((started) => {
  ({ product, rows } = started);
});

async function openForm(page: Page, address = "/campaigns/new") {
  const account = await accountOf(rows.db, await signUpUnseen(page, product.url));
  const connectionId = await heldConnection(rows.db, account, "connected", "Matriz – Centro");
  const listId = await listRow(rows.db, account, 480, "Clientes VIP");
  await page.goto(`${product.url}${address}`);
  return { account, connectionId, listId };
}

const text = (page: Page) => page.getByRole("textbox", { name: "Texto" });
const create = (page: Page) => page.getByRole("button", { name: "Criar Campanha" });
const back = (page: Page) => lastLook(page).getByRole("button", { name: "Voltar" });

async function fill(page: Page, message: string) {
  await page.getByLabel("Nome da campanha").fill("Black Friday");
  await text(page).fill(message);
  await page.getByLabel("Lista de contatos").selectOption("Clientes VIP (480)");
}

async function lives(account: string): Promise<string[]> {
  const { rows: found } = await sql<{ status: string }>`select status from campaign
    where account_id = ${account}::uuid`.execute(rows.db);
  return found.map(({ status }) => status);
}

test("26.13 «Criar Campanha» asks once more with list, count, number, message and end, and «Voltar» creates nothing @decision 36", async ({
  page,
}) => {
  const { account } = await openForm(page);
  await sql`insert into opt_out (account_id, phone, source)
    select ${account}::uuid, phone, 'manual' from contact where seq = 0 and list_id in
      (select id from contact_list where account_id = ${account}::uuid)`.execute(rows.db);
  await page.reload();
  await fill(page, "Oi, {primeiro_nome}! *40%* até domingo.");
  const buffer = await sharp({ create: { width: 40, height: 20, channels: 3, background: "teal" } })
    .png()
    .toBuffer();
  await page.locator("input[type=file]").setInputFiles({ name: "promo.png", mimeType: "image/png", buffer });
  await expect(page.getByText("promo.png")).toBeVisible();
  await create(page).click();
  const look = lastLook(page);
  await expect(back(page)).toBeFocused();
  await expect(look).toContainText("479pessoas recebem");
  await expect(look).toContainText("Clientes VIP");
  await expect(look).toContainText("1 pessoa sem querer campanhas fora da conta");
  await expect(look).toContainText("Matriz – Centro");
  await expect(look).toContainText(/479 mensagens, cerca de 8 horas\. Começa ao criar e termina /);
  await expect(look).toContainText("Para Pessoa 1");
  await expect(look.getByText("Oi, Pessoa!")).toBeVisible();
  await expect(look.getByRole("img", { name: "Imagem da campanha" })).toBeVisible();
  await page.keyboard.press("Enter");
  await expect(look).toHaveCount(0);
  await expect(create(page)).toBeFocused();
  expect(await lives(account)).toEqual([]);
  await create(page).click();
  await page.keyboard.press("Escape");
  await expect(look).toHaveCount(0);
  expect(await lives(account)).toEqual([]);
  await create(page).click();
  await confirmLook(page);
  await expect(page.getByText("Campanha criada: o envio começa agora")).toBeVisible();
  expect(await lives(account)).toHaveLength(1);
});

test("26.13 a draft and a scheduled campaign are looked at too, and two quick presses create nothing", async ({
  page,
}) => {
  await page.setViewportSize({ width: 390, height: 844 });
  const { account, listId, connectionId } = await openForm(page);
  const id = await campaignRow(rows.db, account, {
    name: "Natal",
    text: "Oi, {nome}!",
    status: "draft",
    listId,
    connectionId,
  });
  await page.goto(`${product.url}/campaigns/new?rascunho=${id}`);
  await expect(text(page)).toHaveValue("Oi, {nome}!");
  await create(page).dblclick();
  await expect(back(page)).toBeVisible();
  expect(await lives(account)).toEqual(["draft"]);
  await back(page).click();
  await page.getByText("Agendado", { exact: true }).click();
  const day = new Date(Date.now() + 30 * 86_400_000).toISOString().slice(0, 10);
  // 26.20: in the account's language, whatever the browser's is.
  const date = page.getByLabel("Data", { exact: true });
  await date.fill("31/02/2027");
  await page.getByLabel("Hora", { exact: true }).fill("8h");
  await expect(date).toHaveAccessibleDescription("Escreva uma data que exista, como 27/11/2026.");
  await date.fill(day.split("-").toReversed().join("/"));
  await create(page).focus();
  await expect(page.getByLabel("Hora", { exact: true })).toHaveValue("08:00");
  await create(page).click();
  await expect(lastLook(page)).toHaveAccessibleName("Conferir antes de agendar");
  await expect(lastLook(page)).toContainText(/Começa .+ às 08:00/);
  await lastLook(page).getByRole("button", { name: "Agendar" }).click();
  await expect(page.getByText(/^Campanha agendada para /)).toBeVisible();
  expect(await lives(account)).toEqual(["scheduled"]);
});

test("MS01 MS02 placeholders of others are named beside the message, replaced by a press, and confirmed when they are left", async ({
  page,
}) => {
  const { account } = await openForm(page);
  await fill(page, "{Oi|Olá} {{firstName}}, [Nome]! {saudacao} {primeiro_nome}");
  const notice = page.getByRole("status").filter({ hasText: "O Recado não conhece estes trechos" });
  await expect(notice.getByRole("listitem")).toHaveText([
    "{Oi|Olá}Trocar por Oi",
    "{{firstName}}Trocar por {primeiro_nome}",
    "[Nome]Trocar por {nome}",
    "{saudacao}Escreva o valor no lugar ou apague.",
  ]);
  await notice.getByRole("button", { name: "Trocar por Oi: {Oi|Olá}" }).press("Enter");
  await expect(text(page)).toBeFocused();
  await notice.getByRole("button", { name: "Trocar por {primeiro_nome}: {{firstName}}" }).click();
  await expect(text(page)).toHaveValue("Oi {primeiro_nome}, [Nome]! {saudacao} {primeiro_nome}");
  await create(page).click();
  const box = lastLook(page).getByRole("checkbox", { name: "Enviar assim mesmo" });
  await expect(lastLook(page)).toContainText("Estes trechos saem como estão escritos: [Nome] {saudacao}");
  await confirmLook(page);
  await expect(box).toBeFocused();
  await expect(box).toHaveAccessibleDescription("Marque para enviar assim, ou volte e troque os trechos.");
  expect(await lives(account)).toEqual([]);
  await box.check();
  await confirmLook(page);
  await expect(page.getByText("Campanha criada: o envio começa agora")).toBeVisible();
  expect(await lives(account)).toHaveLength(1);
});

test("MS01 a copy by «Reutilizar» is looked through too", async ({ page }) => {
  const { account, listId, connectionId } = await openForm(page);
  const id = await campaignRow(rows.db, account, {
    name: "Outubro",
    text: "Olá %nome%",
    connectionId,
    listId,
    people: { read: 3 },
  });
  await page.goto(`${product.url}/campaigns/new?reutilizar=${id}`);
  await page.getByRole("button", { name: "Trocar por {nome}: %nome%" }).click();
  await expect(text(page)).toHaveValue("Olá {nome}");
  await create(page).click();
  await expect(lastLook(page).getByRole("checkbox")).toHaveCount(0);
});

for (const width of [1440, 390])
  for (const colorScheme of ["light", "dark"] as const)
    test(`the last look is accessible at ${width} px, ${colorScheme}`, async ({ page }, info) => {
      await page.setViewportSize({ width, height: 900 });
      await page.emulateMedia({ colorScheme });
      await openForm(page);
      await fill(page, "{Oi|Olá} {{firstName}}, [Nome]! {saudacao}\n\nAté *domingo*, 40% em toda a loja.");
      await expect(page.getByText("480 contatos receberão a mensagem")).toBeVisible();
      await expectAccessible(page);
      await page.screenshot({
        path: info.outputPath(`placeholders-${width}-${colorScheme}.png`),
        fullPage: true,
      });
      await create(page).click();
      await confirmLook(page);
      await expect(lastLook(page).getByText("Marque para enviar assim")).toBeVisible();
      await expectAccessible(page);
      await page.screenshot({ path: info.outputPath(`last-look-${width}-${colorScheme}.png`) });
    });
