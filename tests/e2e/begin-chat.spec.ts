import { expect, type Page, test } from "@playwright/test";
import { sql } from "kysely";
import { DELIVERY } from "../../src/domain/delivery.ts";
import { campaignRow, listRow } from "../support/campaign-rows.ts";
import { chatRow, sentRow } from "../support/chat-rows.ts";
import type { ProductServer } from "../support/server.ts";
import { expectAccessible } from "./support/axe.ts";
import { signUpUnseen } from "./support/person.ts";
import { accountOf, heldConnection, type ProductRows } from "./support/product-rows.ts";
import { startedFor } from "./support/started.ts";
import { field, log, talk, thread } from "./support/talks.ts";

let product: ProductServer;
let rows: ProductRows;
startedFor((started) => {
  ({ product, rows } = started);
});

async function someone(page: Page) {
  const account = await accountOf(rows.db, await signUpUnseen(page, product.url));
  const connectionId = await heldConnection(rows.db, account, "connected", "Matriz");
  const away = await heldConnection(rows.db, account, "disconnected", "Savassi");
  const sent = async () =>
    (
      await sql<{
        phone: string;
        text: string;
        at: number;
      }>`select phone::text as phone, text, connection_id as at
        from outbox where account_id = ${account}::uuid`.execute(rows.db)
    ).rows;
  return { account, connectionId, away, sent };
}

const dialog = (page: Page) => page.getByRole("dialog", { name: "Nova conversa" });

test("26.14 a conversation is begun by keyboard with a number that is checked, and nothing is sent before one writes", async ({
  page,
}) => {
  const { account, connectionId, sent } = await someone(page);
  await talk(
    rows.db,
    { account, connectionId },
    { name: "Ana", phone: 5_531_902_340_001, texts: ["Oi"], endedMinutesAgo: 1 },
  );
  await page.goto(`${product.url}/chat`);
  await expect(thread(page, /Ana/)).toBeVisible();
  await page.getByRole("button", { name: "Nova conversa" }).focus();
  await page.keyboard.press("Enter");
  await expectAccessible(page);
  const phone = dialog(page).getByLabel("Telefone ou nome");
  await phone.fill("98765");
  await page.keyboard.press("Enter");
  await expect(dialog(page).getByText("Faltam dígitos")).toBeVisible();
  await phone.fill("31 98765-4321");
  await page.keyboard.press("Enter");
  await expect(dialog(page)).toBeHidden();
  await expect(page.getByRole("heading", { level: 2, name: "+55 31 98765-4321" })).toBeVisible();
  await expect(log(page)).toContainText("Nenhuma mensagem");
  await expect(thread(page, /98765/)).toBeHidden();
  expect(await sent()).toEqual([]);
  await expect(field(page)).toBeFocused();
  await page.keyboard.type("Bom dia!");
  await page.getByRole("button", { name: "Enviar", exact: true }).click();
  await expect(thread(page, /98765/)).toContainText("Bom dia!");
  expect(await sent()).toEqual([{ phone: "5531987654321", text: "Bom dia!", at: connectionId }]);
});

test("26.14 a conversation is begun from a person of a list, over the connection that is chosen, on a telephone", async ({
  page,
}) => {
  await page.setViewportSize({ width: 390, height: 844 });
  const { account, away } = await someone(page);
  await listRow(rows.db, account, 5);
  await page.goto(`${product.url}/chat`);
  await page.getByRole("button", { name: "Nova conversa" }).click();
  await dialog(page).getByLabel("Telefone ou nome").fill("Pessoa 3");
  await dialog(page)
    .getByRole("button", { name: /Pessoa 3/ })
    .click();
  await dialog(page).getByLabel("Conexão").selectOption({ label: "Savassi · Desconectado" });
  await expectAccessible(page);
  await dialog(page).getByRole("button", { name: "Abrir conversa" }).click();
  await expect(page.getByRole("heading", { level: 2, name: "Pessoa 3" })).toBeVisible();
  await expect(page).toHaveURL(new RegExp(`conexao=${away}&conversa=`));

  await page.goto(`${product.url}/contacts`);
  await page
    .getByRole("button", { name: /Ver todos os contatos/ })
    .first()
    .click();
  await page.getByRole("link", { name: /^Conversar com Pessoa 2/ }).click();
  await expect(dialog(page).getByLabel("Telefone ou nome")).toHaveValue(/^\+55/);
  await dialog(page).getByRole("button", { name: "Abrir conversa" }).click();
  await expect(page.getByRole("heading", { level: 2, name: "Pessoa 2" })).toBeVisible();
});

test("26.14 a conversation is begun from a campaign's person over the campaign's connection, and found by the campaign's words", async ({
  page,
}) => {
  const { account, connectionId, away } = await someone(page);
  const campaign = await campaignRow(rows.db, account, {
    connectionId: away,
    status: "ended",
    text: "Promoção de armações",
    people: { sent: 2 },
  });
  await sql`update delivery set at = now() where campaign_id = ${campaign}`.execute(rows.db);
  await page.goto(`${product.url}/campaigns?detalhes=${campaign}`);
  await page
    .getByRole("link", { name: /^Conversar com/ })
    .first()
    .click();
  await expect(dialog(page).getByLabel("Conexão")).toHaveValue(String(away));
  await page.keyboard.press("Escape");
  await expect(page).toHaveURL(new RegExp(`/chat\\?conexao=${away}$`));
  await page.goBack();
  await page
    .getByRole("link", { name: /^Conversar com/ })
    .first()
    .click();
  await dialog(page).getByRole("button", { name: "Abrir conversa" }).click();
  await expect(log(page)).toContainText("Promoção de armações");

  const typed = await chatRow(rows.db, { account, connectionId, phone: 5_531_902_340_009, pushName: "Rita" });
  await sentRow(rows.db, typed, { text: "Seu óculos chegou", status: DELIVERY.sent });
  await page.goto(`${product.url}/chat?conexao=${connectionId}`);
  await page.getByLabel("Buscar conversa").fill("oculos chegou");
  await expect(thread(page, /Rita/)).toBeVisible();
});
