import { expect, type Page, test } from "@playwright/test";
import { sql } from "kysely";
import { campaignRow, listRow } from "../support/campaign-rows.ts";
import { type ProductServer, startProduct } from "../support/server.ts";
import { signUp } from "./support/person.ts";
import { accountOf, heldConnection, type ProductRows, productRows } from "./support/product-rows.ts";

let product: ProductServer;
let rows: ProductRows;

test.beforeAll(async () => {
  product = await startProduct();
  rows = await productRows(product);
});
test.afterAll(async () => {
  await rows.close();
  await product.close();
});

/** What one day of the turn's counters would hold. `back`: days before today in the account's zone. */
async function dayRow(campaignId: number, back: number, accepted: number, failed: number, confirmed: number) {
  await sql`insert into campaign_day (campaign_id, day, accepted, failed, delivered, first_at, last_at)
    values (${campaignId}, (now() at time zone 'America/Sao_Paulo')::date - ${back}::int, ${accepted}, ${failed}, ${confirmed},
      now(), now() + interval '1 minute' * ${accepted - 1})`.execute(rows.db);
}

async function seeded(page: Page) {
  const account = await accountOf(rows.db, await signUp(page, product.url));
  const connectionId = await heldConnection(rows.db, account, "connected", "Matriz");
  await listRow(rows.db, account, 120);
  const old = await campaignRow(rows.db, account, {
    name: "Óculos prontos",
    connectionId,
    people: { sent: 20, read: 74, error: 5, uncertain: 1 },
  });
  await dayRow(old, 40, 50, 0, 40);
  await dayRow(old, 1, 60, 4, 50);
  await dayRow(old, 0, 34, 1, 24);
  const running = await campaignRow(rows.db, account, {
    name: "Black Friday",
    life: "sending",
    connectionId,
    people: { delivered: 10, pending: 90 },
  });
  await campaignRow(rows.db, account, { name: "Rascunho", life: "draft", text: "" });
  return { old, running };
}

const gauge = (page: Page) => page.getByRole("region", { name: /^Taxa de Entrega (Todas|Esta)/ });
const figure = (page: Page, name: string) => page.getByRole("region", { name, exact: true });

test("figures, chart, states and gauge agree with the counters", async ({ page }) => {
  await seeded(page);
  await page.goto(product.url);
  await expect(figure(page, "Contatos")).toContainText("120");
  // 94 + 10 accepted of 110 attempts.
  await expect(figure(page, "Taxa de entrega")).toContainText("94,5%");
  await expect(gauge(page).getByRole("img")).toHaveAccessibleName("94,5% das mensagens entregues");
  await expect(gauge(page).getByRole("definition")).toHaveText(["104", "84", "5", "1"]);
  await expect(figure(page, "Mensagens enviadas")).toContainText("110");
  await expect(figure(page, "Intervalo médio")).toContainText("1,0 min");

  const activity = figure(page, "Atividade de Mensagens");
  await expect(activity.locator("path.line")).toHaveCount(2);
  const table = activity.getByRole("table", { includeHidden: true });
  await expect(table.getByRole("row")).toHaveCount(1 + 7);
  await expect(table.getByRole("row").last()).toHaveText(/^hoje\s*35\s*34\s*24$/);
  const today = activity.getByRole("button", { name: "hoje: 35 enviadas, 34 entregues, 24 confirmadas" });
  await today.focus();
  await expect(activity.locator(".tip")).toContainText("Entregues34");
  await page.keyboard.press("ArrowLeft");
  await expect(activity.locator(".tip")).toContainText("Enviadas64");

  const statuses = figure(page, "Status das Campanhas");
  await expect(statuses.getByRole("listitem")).toHaveText([
    "Concluída0",
    "Concluída com falhas1",
    "Em Andamento1",
    "Agendada0",
    "Rascunho1",
  ]);
  const bars = statuses.locator(".bar i");
  const widths = await bars.evaluateAll((all) => all.map((bar) => bar.getBoundingClientRect().width));
  expect(widths.map((width) => width > 0)).toEqual([false, true, true, false, true]);
  const recent = page.getByRole("table", { name: "Campanhas Recentes" }).getByRole("row");
  await expect(recent).toHaveCount(4);
  await expect(recent.first().getByRole("columnheader")).toHaveText([
    ...["Nome", "Status", "Mensagens", "Taxa de entrega", "Data"],
  ]);
  await expect(recent.nth(1)).toContainText("Rascunho");
  await expect(recent.nth(1).getByRole("cell").nth(3)).toHaveText("—");
  await expect(recent.nth(3).getByRole("cell").nth(3)).toHaveText("94,0%");
});

test("one campaign's figures are kept in the address, and a missing one falls back to all", async ({
  page,
}) => {
  const { old } = await seeded(page);
  await page.goto(product.url);
  const filter = page.getByLabel("Filtrar por campanha");
  await expect(filter.getByRole("option")).toHaveText([
    ...["Todas as Campanhas", "Rascunho", "Black Friday", "Óculos prontos"],
  ]);
  await filter.selectOption("Óculos prontos");
  await expect(page).toHaveURL(`${product.url}/?campanha=${old}`);
  await expect(figure(page, "Mensagens enviadas")).toContainText("100");
  await page.reload();
  await expect(gauge(page)).toContainText("Esta campanha");
  await page.goto(`${product.url}/?campanha=99999`);
  await expect(gauge(page)).toContainText("Todas as campanhas");
  await expect(page).toHaveURL(`${product.url}/`);
});

test("«Atualizar» asks again, and a campaign leads to its details", async ({ page }) => {
  const { running } = await seeded(page);
  await page.goto(product.url);
  await sql`update campaign set n_delivered = 30, n_pending = 70 where id = ${running}`.execute(rows.db);
  await page.getByRole("button", { name: "Atualizar" }).click();
  await expect(gauge(page)).toContainText("124");
  await page.getByRole("link", { name: "Black Friday" }).click();
  await expect(page.getByRole("dialog", { name: "Detalhes dos Envios" })).toBeVisible();
});

test("a new account gets its first steps instead of empty charts, and no made-up figure", async ({
  page,
}) => {
  await signUp(page, product.url);
  await expect(page.getByRole("heading", { name: "Primeiros passos" })).toBeVisible();
  await expect(figure(page, "Taxa de entrega")).toContainText("—");
  await expect(figure(page, "Intervalo médio")).toContainText("— sem dados");
  await page.getByRole("main").getByRole("link", { name: "Conecte um número" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "Conectar WhatsApp" })).toBeVisible();
});

test("figures that cannot be fetched say why", async ({ page }) => {
  await signUp(page, product.url);
  await page.route("**/api/dashboard", (route) => route.abort());
  await page.reload();
  await expect(page.getByRole("alert")).toContainText("Erro ao buscar os números do painel");
  await page.unrouteAll();
  await page.getByRole("alert").getByRole("button", { name: "Tentar novamente" }).click();
  await expect(page.getByRole("heading", { name: "Primeiros passos" })).toBeVisible();
});
