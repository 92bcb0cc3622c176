import { expect, type Page, test } from "@playwright/test";
import { sql } from "kysely";
import type { ProductServer } from "../support/server.ts";
import { expectAccessible } from "./support/axe.ts";
import { signUpUnseen } from "./support/person.ts";
import { accountOf, heldConnection, type ProductRows } from "./support/product-rows.ts";
import { startedFor } from "./support/started.ts";
import { talk, thread } from "./support/talks.ts";

let product: ProductServer;
let rows: ProductRows;
startedFor((started) => {
  ({ product, rows } = started);
});

const WORDS = "Não quero mais receber mensagens";

async function asking(page: Page, people: readonly { name: string; phone: number }[]) {
  const email = await signUpUnseen(page, product.url);
  const account = await accountOf(rows.db, email);
  const connectionId = await heldConnection(rows.db, account, "connected", "Matriz");
  const chats: number[] = [];
  for (const [nth, { name, phone }] of people.entries()) {
    chats.push(
      await talk(
        rows.db,
        { account, connectionId },
        { name, phone, texts: [WORDS], endedMinutesAgo: nth + 1 },
      ),
    );
    await sql`insert into opt_out (account_id, phone, source, connection_id, text)
      values (${account}::uuid, ${phone}, 'asked', ${connectionId}, ${WORDS})`.execute(rows.db);
  }
  const left = async () =>
    (
      await sql<{ phone: string; source: string }>`select phone::text as phone, source from opt_out
        where account_id = ${account}::uuid order by phone`.execute(rows.db)
    ).rows.map(({ phone, source }) => `${phone} ${source}`);
  return { chats, connectionId, left };
}

const ANA = { name: "Ana Rocha", phone: 5_531_902_340_001 };
const BIA = { name: "Bia Lima", phone: 5_531_902_340_002 };

test("OP02 a conversation whose other side may want to leave is marked, and both decisions are one press", async ({
  page,
}) => {
  const { chats, connectionId, left } = await asking(page, [ANA, BIA]);
  await page.goto(`${product.url}/chat?conexao=${connectionId}&conversa=${chats[0]}`);
  const mark = page.getByRole("region", { name: "Quer sair?" });
  await expect(mark).toContainText(`Escreveu «${WORDS}»`);
  await expect(thread(page, /Ana Rocha/)).toContainText("Quer sair?");
  await expectAccessible(page);
  await mark.getByRole("button", { name: "Descadastrar" }).click();
  await expect(mark).toBeHidden();
  await expect(page.getByText("Não quer receber campanhas")).toBeVisible();
  await expect(thread(page, /Ana Rocha/)).not.toContainText("Quer sair?");
  expect(await left()).toEqual([`${ANA.phone} reply`, `${BIA.phone} asked`]);

  await thread(page, /Bia Lima/).click();
  const stays = mark.getByRole("button", { name: "Não, continua recebendo" });
  await stays.focus();
  await page.keyboard.press("Enter");
  await expect(mark).toBeHidden();
  await expect(page.getByRole("heading", { level: 2, name: "Bia Lima" })).toBeFocused();
  expect(await left()).toEqual([`${ANA.phone} reply`]);
  await page.getByRole("button", { name: "Desfazer" }).click();
  await expect(mark).toBeVisible();
  expect(await left()).toEqual([`${ANA.phone} reply`, `${BIA.phone} asked`]);
});

test("OP02 who may want to leave stands with their words where people are managed who left, and comes and goes by itself", async ({
  page,
}) => {
  await page.setViewportSize({ width: 390, height: 844 });
  const { left } = await asking(page, [ANA, BIA]);
  await page.goto(`${product.url}/contacts`);
  await page.getByRole("button", { name: "Querem sair? (2)" }).click();
  const dialog = page.getByRole("dialog");
  const list = dialog.getByRole("list", { name: "Pessoas que talvez queiram sair" });
  await expect(list.getByRole("listitem")).toHaveCount(2);
  await expect(list).toContainText(`Respondeu «${WORDS}» a Matriz`);
  await expectAccessible(page);
  await list.getByRole("button", { name: /^Descadastrar: .*0001$/ }).click();
  await expect(list.getByRole("listitem")).toHaveCount(1);
  await list.getByRole("button", { name: /^Não, continua recebendo: .*0002$/ }).click();
  await expect(list).toBeHidden();
  await expect(
    dialog.getByRole("region", { name: "Pessoas que não querem receber campanhas" }),
  ).toContainText(`Respondeu «${WORDS}»`);
  expect(await left()).toEqual([`${ANA.phone} reply`]);
  await page.keyboard.press("Escape");
  await expect(page.getByRole("button", { name: /^Querem sair/ })).toBeHidden();
  await expect(page.getByRole("button", { name: "Descadastrados (1)" })).toBeVisible();
});
