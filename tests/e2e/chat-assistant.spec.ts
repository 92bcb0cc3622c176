import { expect, test } from "@playwright/test";
import { sql } from "kysely";
import type { Chat } from "../../src/contract/chats.ts";
import type { Db } from "../../src/server/db/client.ts";
import type { ProductServer } from "../support/server.ts";
import { expectAccessible } from "./support/axe.ts";
import { signUpUnseen } from "./support/person.ts";
import type { ProductRows } from "./support/product-rows.ts";
import { startedFor } from "./support/started.ts";
import { field, log, someTalks, thread } from "./support/talks.ts";

let product: ProductServer;
let rows: ProductRows;

test.use({ viewport: { width: 1440, height: 900 }, contextOptions: { reducedMotion: "reduce" } });
startedFor((started) => {
  ({ product, rows } = started);
});

const NAME = "Atendente da Ótica";

async function linked(db: Db, account: string, connectionId: number, active = true): Promise<void> {
  await sql`insert into assistant_link (connection_id, account_id, agent_id, agent_name, active)
    values (${connectionId}, ${account}::uuid, 'ag:1', ${NAME}, ${active})`.execute(db);
}

async function traces(db: Db, chat: number): Promise<void> {
  const add = (
    message: number,
    question: string,
    state: string,
    reason: string | null,
    text: string | null,
  ) =>
    sql`insert into agent_answer (account_id, connection_id, chat_id, message_id, question, chat_name, agent_id, agent_name, state, reason, text)
      select account_id, connection_id, id, ${message}, ${question}, 'Ana', 'ag:1', ${NAME}, ${state}, ${reason}, ${text}
      from chat where id = ${chat}`.execute(db);
  await add(1, "Vale para óculos de sol?", "sent", null, "Vale sim, para toda a loja.");
  await add(2, "Vocês abrem no sábado?", "failed", "down", null);
  await add(3, "Passo aí às 17h", "skipped", "human", null);
}

for (const colorScheme of ["light", "dark"] as const)
  test(`the chat says who answers by itself, and what became of it, ${colorScheme}`, async ({
    page,
  }, info) => {
    await page.emulateMedia({ colorScheme });
    const { account, connectionId, ana } = await someTalks(rows.db, await signUpUnseen(page, product.url));
    await page.goto(`${product.url}/chat`);
    await expect(log(page)).toContainText("Passo aí às 17h");
    await expect(page.getByRole("switch")).toHaveCount(0);
    await linked(rows.db, account, connectionId);
    await traces(rows.db, ana);
    await page.reload();
    const strip = page.getByText(`${NAME} responde nesta conversa`);
    await expect(strip).toBeVisible();
    const toggle = page.getByRole("switch", { name: `${NAME} responde nesta conversa` });
    await expect(toggle).toBeChecked();
    await expectAccessible(page);
    await toggle.press("Space");
    await expect(toggle).not.toBeChecked();
    await expect(toggle).toBeFocused();
    await expect(page.getByText(`${NAME} desligado nesta conversa`)).toBeVisible();
    await expectAccessible(page);
    await page.reload();
    await expect(toggle).not.toBeChecked();
    await toggle.click();
    await expect(strip).toBeVisible();

    await field(page).fill("Deixa comigo");
    await field(page).press("Enter");
    await expect(page.getByText(/em pausa até .*: alguém respondeu aqui/)).toBeVisible();
    await expectAccessible(page);
    await page.screenshot({ path: info.outputPath("1-paused.png") });
    await page.getByRole("button", { name: "Retomar agora" }).click();
    await expect(strip).toBeVisible();
    await expect(toggle).toBeFocused();

    await page.getByRole("button", { name: "Respostas do assistente" }).click();
    const dialog = page.getByRole("dialog", { name: "Respostas do assistente" });
    const entries = dialog.getByRole("listitem");
    await expect(entries).toHaveCount(3);
    await expect(entries.nth(0)).toContainText(/Não respondida.*Passo aí às 17h/s);
    await expect(entries.nth(1)).toContainText(/Falhou.*Vocês abrem no sábado\?/s);
    await expect(entries.nth(1).locator("[data-ui~=why]")).toHaveText(/\p{L}{3,}/u);
    await expect(entries.nth(2)).toContainText(
      /Respondida.*Vale para óculos de sol\?.*Vale sim, para toda a loja\./s,
    );
    await expectAccessible(page);
    await page.screenshot({ path: info.outputPath("2-answers.png") });
    await page.setViewportSize({ width: 390, height: 844 });
    await page.screenshot({ path: info.outputPath("3-answers-390.png") });
    await page.keyboard.press("Escape");
    await expect(page.getByRole("button", { name: "Respostas do assistente" })).toBeFocused();
    await expectAccessible(page);
    await page.screenshot({ path: info.outputPath("4-strip-390.png") });
  });

test("in forced colours the switch state and a menu's mark stay visible", async ({ page }) => {
  const { account, connectionId } = await someTalks(rows.db, await signUpUnseen(page, product.url));
  await linked(rows.db, account, connectionId);
  await page.emulateMedia({ forcedColors: "active" });
  await page.goto(`${product.url}/chat`);
  const toggle = page.getByRole("switch", { name: `${NAME} responde nesta conversa` });
  const drawn = async () => (await toggle.screenshot()).toString("base64");
  await expect(toggle).toBeChecked();
  const on = await drawn();
  await toggle.click();
  await expect(toggle).not.toBeChecked();
  expect(await drawn()).not.toBe(on);

  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto(`${product.url}/contacts`);
  const menu = page.getByRole("button", { name: /^Abrir menu, / });
  await expect(menu).toBeVisible();
  const mark = await menu.evaluate((node) => getComputedStyle(node, "::after").backgroundColor);
  expect(mark).not.toBe(await page.evaluate(() => getComputedStyle(document.body).backgroundColor));
});

test("groups have no assistant, and one that is switched off at its connection says so", async ({ page }) => {
  const { account, connectionId, bruno } = await someTalks(rows.db, await signUpUnseen(page, product.url));
  await linked(rows.db, account, connectionId, false);
  await sql`update chat set unread = 0 where id = ${bruno}`.execute(rows.db);
  let over = false;
  await page.route(/\/api\/chats\/\d+$/, async (route) => {
    if (over) return route.continue();
    const response = await route.fetch();
    const json = (await response.json()) as Chat;
    const pausedUntil = new Date(Date.now() + 3_000).toISOString();
    const paused = { ...json.assistant, state: "paused", pausedUntil };
    await route.fulfill({ response, json: { ...json, assistant: paused } });
  });
  await page.clock.install();
  const stream = page.waitForResponse(/\/api\/events/);
  await page.goto(`${product.url}/chat?conversa=${bruno}`);
  await expect(page.getByText(/em pausa até/)).toBeVisible();
  await stream;
  over = true;
  await page.clock.runFor(6_000);
  await expect(page.getByText(`${NAME} desativado nesta conexão`)).toBeVisible();

  await page.goto(`${product.url}/chat`);
  await expect(page.getByText(`${NAME} desativado nesta conexão`)).toBeVisible();
  await expect(page.getByRole("switch")).toHaveCount(0);
  await thread(page, /@g\.us/).click();
  await expect(log(page)).toContainText("Lucas");
  await expect(page.getByText(NAME)).toHaveCount(0);
});
