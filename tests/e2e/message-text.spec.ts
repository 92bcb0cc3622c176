import { expect, test } from "@playwright/test";
import { sql } from "kysely";
import type { ProductServer } from "../support/server.ts";
import { signUpUnseen } from "./support/person.ts";
import { accountOf, heldConnection, type ProductRows } from "./support/product-rows.ts";
import { startedFor } from "./support/started.ts";
import { log, talk } from "./support/talks.ts";

let product: ProductServer;
let rows: ProductRows;
test.use({ viewport: { width: 1440, height: 900 } });
startedFor((started) => {
  ({ product, rows } = started);
});

const ADDRESS = "https://drive.exemplo.com.br/_pedido_/nota_fiscal_final.pdf";
const TEXT = [
  "> citado *aqui*",
  "Compre `já`:",
  "",
  "- item um",
  "- item dois",
  "* item três",
  "",
  "1. primeiro",
  "2. segundo",
  `Veja: ${ADDRESS}`,
].join("\n");
const DRAWN = [
  "citado aqui",
  "Compre já:",
  "",
  "item um",
  "item dois",
  "item três",
  "",
  "1. primeiro",
  "2. segundo",
  `Veja: ${ADDRESS}`,
].join("\n");

test("MS03 MS05 a message is drawn, copied and pressed as in WhatsApp, in the chat and in the preview", async ({
  page,
  context,
}) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  const email = await signUpUnseen(page, product.url);
  const account = await accountOf(rows.db, email);
  const connectionId = await heldConnection(rows.db, account, "connected", "Matriz");
  const person = { name: "Ana", phone: 5_531_902_341_187, endedMinutesAgo: 2 };
  const chat = await talk(rows.db, { account, connectionId }, { ...person, texts: [TEXT, ""] });
  await sql`update chat set last_text = ${TEXT} where id = ${chat}`.execute(rows.db);

  await page.goto(`${product.url}/chat?conexao=${connectionId}&conversa=${chat}`);
  await inspect(log(page).locator("[data-ui~=said]").first());
  await expect(log(page)).toContainText("Mensagem que só o celular mostra");

  await page.goto(`${product.url}/campaigns/new`);
  await page.getByRole("textbox", { name: "Texto" }).fill(TEXT);
  await inspect(page.getByRole("complementary", { name: "Pré-visualização" }).locator("[data-ui~=said]"));

  async function inspect(said: ReturnType<typeof page.locator>): Promise<void> {
    await expect(said.locator("blockquote strong")).toHaveText("aqui");
    await expect(said.locator("ul > li")).toHaveText(["item um", "item dois", "item três"]);
    await expect(said.locator("ol > li")).toHaveText(["1. primeiro", "2. segundo"]);
    await expect(said.locator("code")).toHaveText("já");
    const link = said.getByRole("link", { name: ADDRESS });
    await expect(link).toHaveAttribute("href", ADDRESS);
    await expect(link).toHaveAttribute("rel", "noopener noreferrer");
    await expect(link).toHaveAttribute("target", "_blank");
    await said.evaluate((node) => getSelection()?.selectAllChildren(node));
    await page.keyboard.press("Control+c");
    expect((await page.evaluate(() => navigator.clipboard.readText())).trim()).toBe(DRAWN);
  }
});
