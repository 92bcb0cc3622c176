import { expect, type Page, test } from "@playwright/test";
import { sql } from "kysely";
import { campaignRow, listRow } from "../support/campaign-rows.ts";
import type { ProductServer } from "../support/server.ts";
import { heldAnswer } from "./support/held-answer.ts";
import { signUpUnseen } from "./support/person.ts";
import { accountOf, heldConnection, type ProductRows } from "./support/product-rows.ts";
import { startedFor } from "./support/started.ts";

/* «Atividade» shows the owner what was done, by which user and from where, at once. */

let product: ProductServer;
let rows: ProductRows;

startedFor((started) => {
  ({ product, rows } = started);
});

const list = (page: Page) => page.getByRole("list", { name: "O que foi feito" }).getByRole("listitem");

test("what a person and a program did stands there, newest first, and can be narrowed to one subject", async ({
  page,
}) => {
  const account = await accountOf(rows.db, await signUpUnseen(page, product.url));
  const { url } = product;
  const connectionId = await heldConnection(rows.db, account, "connected", "Matriz – Centro");
  const campaign = await campaignRow(rows.db, account, {
    status: "sending",
    connectionId,
    people: { pending: 3 },
  });
  const made = await page.request.post(`${url}/api/settings/api-keys`, {
    data: { name: "Sistema de pedidos" },
  });
  const { key } = (await made.json()) as { key: string };
  expect((await page.request.post(`${url}/api/campaigns/${campaign}/cancel`)).status()).toBe(200);
  expect(
    (await page.request.delete(`${url}/api/contact-lists/${await listRow(rows.db, account, 2)}`)).ok(),
  ).toBe(true);
  const program = { headers: { authorization: `Bearer ${key}` } };
  await fetch(`${url}/api/opt-outs`, {
    method: "POST",
    body: JSON.stringify({ phone: "5531907773055" }),
    headers: { ...program.headers, "content-type": "application/json" },
  });
  await fetch(`${url}/api/opt-outs/5531907773055`, { method: "DELETE", ...program });

  await page.goto(`${url}/settings?aba=atividade`);
  await expect(page.getByRole("heading", { name: "Atividade" })).toBeVisible();
  await expect(list(page)).toHaveCount(5);
  await expect(list(page).nth(0)).toContainText("Saída desfeita: o número …3055 volta a receber campanhas");
  await expect(list(page).nth(0)).toContainText("Programa com a chave «Sistema de pedidos» · 127.0.0.1");
  await expect(list(page).nth(1)).toContainText(/Lista «.+» excluída\s*2 contatos/);
  await expect(list(page).nth(2)).toContainText(/Campanha «.+» cancelada/);
  await expect(list(page).nth(3)).toContainText("Chave de API «Sistema de pedidos» gerada");
  await expect(list(page).nth(4)).toContainText(
    /Conta criada\s*Você · Chrome, \w+ · 127\.0\.0\.1\s*(hoje|ontem) às/,
  );

  await page.getByLabel("Mostrar").selectOption("Campanhas");
  await expect(list(page)).toHaveCount(1);
  await page.getByLabel("Mostrar").selectOption("Conexões e robôs");
  const nothing = page.getByRole("heading", { name: "Nada disto aconteceu no último ano" });
  await expect(nothing).toBeVisible();
  const { asked, answer } = await heldAnswer(page, /\/api\/audit\?group=data/);
  await page.getByLabel("Mostrar").selectOption("Contatos e dados");
  await asked;
  expect(await nothing.count()).toBe(0);
  answer();
  await expect(list(page)).not.toHaveCount(0);
  await page.getByLabel("Mostrar").selectOption("Conexões e robôs");
  await page.getByRole("button", { name: "Ver tudo" }).click();
  await expect(list(page)).toHaveCount(5);
});

test("more than a page is fetched when asked for, and English is English", async ({ page }) => {
  const account = await accountOf(rows.db, await signUpUnseen(page, product.url));
  await sql`insert into audit_event (account_id, kind, actor)
    select ${account}::uuid, 'data_exported', 'session' from generate_series(1, 51)`.execute(rows.db);
  await page.goto(`${product.url}/settings?aba=atividade`);
  await expect(list(page)).toHaveCount(50);
  await page.getByRole("button", { name: "Mostrar mais" }).click();
  await expect(list(page)).toHaveCount(52);
  await expect(page.getByRole("button", { name: "Mostrar mais" })).toBeHidden();
  await page.request.patch(`${product.url}/api/settings/profile`, { data: { language: "en" } });
  await page.request.put(`${product.url}/api/language`, { data: { language: "en" } });
  await page.reload();
  await expect(page.getByRole("heading", { name: "Activity" })).toBeVisible();
  await expect(page.getByText("Account data exported").first()).toBeVisible();
});
