import { expect, type Page, test } from "@playwright/test";
import { sql } from "kysely";
import { type MistralStandIn, startMistral } from "../../simulators/mistral/stand-in.ts";
import { type ProductServer, startProduct } from "../support/server.ts";
import { expectAccessible } from "./support/axe.ts";
import { heldAnswer } from "./support/held-answer.ts";
import { signUpUnseen } from "./support/person.ts";
import { accountOf, heldConnection, type ProductRows, productRows } from "./support/product-rows.ts";

let mistral: MistralStandIn;
let product: ProductServer;
let rows: ProductRows;

test.beforeAll(async () => {
  mistral = await startMistral();
  product = await startProduct({ env: { RECADO_PRIVATE_HOSTS: mistral.host } });
  rows = await productRows(product);
});
test.afterAll(async () => {
  await rows.close();
  await product.close();
  await mistral.stop();
});

async function rowsOf(table: "opt_out" | "assistant_link" | "connection", account: string) {
  const columns = table === "connection" ? sql`(t.id, t.is_default)::text` : sql`t::text`;
  const found = await sql<{ row: string }>`select ${columns} as row from ${sql.table(table)} t
    where account_id = ${account}::uuid order by 1`.execute(rows.db);
  return found.rows.map(({ row }) => row);
}

const undo = (page: Page) => page.getByRole("button", { name: "Desfazer" });

test("a person let into campaigns by mistake is opted out again, with the original words and date", async ({
  page,
}) => {
  const account = await accountOf(rows.db, await signUpUnseen(page, product.url));
  const connection = await heldConnection(rows.db, account, "connected", "Matriz");
  await sql`insert into opt_out (account_id, phone, source, connection_id, text, created_at)
    values (${account}::uuid, 5531987654321, 'reply', ${connection}, 'Sair.', '2026-03-04 05:06:07.891234Z')`.execute(
    rows.db,
  );
  const before = await rowsOf("opt_out", account);
  await page.clock.install();
  await page.goto(`${product.url}/contacts`);
  await page.getByRole("button", { name: "Descadastrados (1)" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: /^Permitir de novo/ }).click();
  await undo(page).hover();
  await expect(dialog.getByText("Ninguém pediu para sair.")).toBeVisible();
  expect(await rowsOf("opt_out", account)).toEqual([]);
  await expectAccessible(page);
  let asked = 0;
  page.on("request", (request) => {
    if (request.url().endsWith("/restore")) asked++;
  });
  const { answer } = await heldAnswer(page, /\/restore$/);
  await undo(page).dblclick();
  await page.clock.runFor(1_000);
  await page.mouse.down();
  await page.mouse.up();
  answer();
  await expect(page.getByText("continua sem receber campanhas")).toBeVisible();
  expect(asked).toBe(1);
  await expect(dialog.getByText("Respondeu «Sair.» a Matriz")).toBeVisible();
  expect(await rowsOf("opt_out", account)).toEqual(before);
});

test("a number entered by mistake is taken out again; one that stood there before is not offered to be", async ({
  page,
}) => {
  const account = await accountOf(rows.db, await signUpUnseen(page, product.url));
  await page.goto(`${product.url}/contacts`);
  await page.getByRole("button", { name: "Descadastrados" }).click();
  const dialog = page.getByRole("dialog");
  const add = async () => {
    await dialog.getByLabel("Não enviar campanhas para").fill("31 98765-0001");
    await dialog.getByRole("button", { name: "Adicionar" }).click();
  };
  await add();
  await expect(dialog.getByText("Adicionado à mão")).toBeVisible();
  // The dialog traps the focus except for the undo: notice key, first notice, its button.
  for (const key of ["Alt+t", "Tab", "Tab"]) await page.keyboard.press(key);
  await expect(undo(page)).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(dialog.getByText("Ninguém pediu para sair.")).toBeVisible();
  await expect.poll(() => dialog.evaluate((window) => window.contains(document.activeElement))).toBe(true);
  expect(await rowsOf("opt_out", account)).toEqual([]);
  await page.request.post(`${product.url}/api/opt-outs`, { data: { phone: "31 98765-0001" } });
  await expect(dialog.getByText("Adicionado à mão")).toBeVisible();
  await add();
  await expect(page.getByText("não recebe mais campanhas").last()).toBeVisible();
  await expect(undo(page)).toHaveCount(0);
});

test("an assistant that was taken away is there again as it was, and an error is said", async ({ page }) => {
  const account = await accountOf(rows.db, await signUpUnseen(page, product.url));
  const id = await heldConnection(rows.db, account, "connected", "Matriz");
  const key = { apiKey: mistral.keys[0], baseUrl: mistral.url };
  await page.request.put(`${product.url}/api/mistral/settings`, { data: key });
  const data = { name: "Clara", instructions: "Você responde sobre óculos." };
  const agent = (await (await page.request.post(`${product.url}/api/mistral/agents`, { data })).json()) as {
    id: string;
  };
  const assistant = `${product.url}/api/connections/${id}/assistant`;
  await page.request.put(assistant, { data: { agentId: agent.id } });
  await page.request.patch(assistant, { data: { active: false, pauseMinutes: 7 } });
  const before = await rowsOf("assistant_link", account);
  expect(before).toHaveLength(1);

  await page.goto(`${product.url}/whatsapp/connections`);
  await page.getByRole("button", { name: "Ações de Matriz" }).click();
  await page.getByRole("menuitem", { name: "Assistente" }).click();
  const dialog = page.getByRole("dialog", { name: "Assistente" });
  const linked = dialog.getByRole("region", { name: "Clara" });
  await linked.getByRole("button", { name: "Remover" }).click();
  await undo(page).hover();
  await expect(linked).toHaveCount(0);
  expect(await rowsOf("assistant_link", account)).toEqual([]);
  await undo(page).click();
  await expect(linked.getByText("Inativo", { exact: true })).toBeVisible();
  await expect(linked.getByLabel("Pausa do assistente")).toHaveValue("7");
  expect(await rowsOf("assistant_link", account)).toEqual(before);
  await expect(undo(page)).toHaveCount(0);

  await linked.getByRole("button", { name: "Remover" }).click();
  await undo(page).hover();
  await expect(linked).toHaveCount(0);
  await page.request.put(assistant, { data: { agentId: agent.id } });
  await undo(page).click();
  await expect(page.getByText("Não dá mais para desfazer.")).toBeVisible();
  expect(await rowsOf("assistant_link", account)).not.toEqual(before);
});

test("the connection that was the default one is it again", async ({ page }) => {
  const account = await accountOf(rows.db, await signUpUnseen(page, product.url));
  const id = await heldConnection(rows.db, account, "connected", "Matriz");
  await heldConnection(rows.db, account, "connected", "Filial");
  await sql`update connection set is_default = (id = ${id}) where account_id = ${account}::uuid`.execute(
    rows.db,
  );
  const before = await rowsOf("connection", account);
  await page.clock.install();
  await page.goto(`${product.url}/whatsapp/connections`);
  const menu = page.getByRole("button", { name: "Ações de Filial" });
  await menu.press("Enter");
  await page.getByRole("menuitem", { name: "Tornar padrão" }).press("Enter");
  await expect(page.getByText("Filial é a conexão padrão")).toBeVisible();
  expect(await rowsOf("connection", account)).not.toEqual(before);
  await expect(menu).toBeFocused();
  await undo(page).focus();
  // Focus holds the notice. A jump of the clock would pass its end before the page has drawn that it is held.
  await expect(page.locator("[data-sonner-toast]", { has: undo(page) })).toHaveAttribute(
    "data-expanded",
    "true",
  );
  for (let passed = 0; passed < 30_000; passed += 1_000) await page.clock.runFor(1_000);
  await expect(undo(page)).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(menu).toBeFocused();
  await expect(page.getByText("Matriz é a conexão padrão")).toBeVisible();
  expect(await rowsOf("connection", account)).toEqual(before);
  await expect(undo(page)).toHaveCount(0);

  const third = await heldConnection(rows.db, account, "connected", "Centro");
  await menu.click();
  await page.getByRole("menuitem", { name: "Tornar padrão" }).click();
  await expect(undo(page)).toBeVisible();
  await page.request.post(`${product.url}/api/connections/${third}/default`);
  await undo(page).click();
  const refused = page.getByText("Não dá mais para desfazer.");
  await expect(refused).toBeVisible();
  const { rows: chosen } =
    await sql`select id from connection where is_default and account_id = ${account}::uuid`.execute(rows.db);
  expect(chosen).toEqual([{ id: third }]);

  await expect(menu).toBeFocused();
  await refused.click();
  await menu.click();
  await expect(page.getByRole("menuitem", { name: "Tornar padrão" })).toBeVisible();
});

test("the way back stays twice as long as a notice that only tells", async ({ page }) => {
  await signUpUnseen(page, product.url);
  await page.clock.install();
  await page.goto(`${product.url}/contacts`);
  await page.getByRole("button", { name: "Descadastrados" }).click();
  await page.getByRole("dialog").getByLabel("Não enviar campanhas para").fill("31 98765-0001");
  await page.clock.pauseAt(await page.evaluate(() => Date.now() + 1_000));
  await page.getByRole("dialog").getByRole("button", { name: "Adicionar" }).click();
  await expect(async () => {
    await page.clock.runFor(50);
    await expect(undo(page)).toBeVisible({ timeout: 100 });
  }).toPass();
  await page.clock.runFor(9_000);
  await expect(undo(page)).toBeVisible();
  await page.clock.runFor(2_500);
  await expect(undo(page)).toHaveCount(0);
});
