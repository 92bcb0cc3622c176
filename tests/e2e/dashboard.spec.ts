import { expect, type Page, test } from "@playwright/test";
import { sql } from "kysely";
import { campaignRow, listRow } from "../support/campaign-rows.ts";
import type { ProductServer } from "../support/server.ts";
import { heldAnswer } from "./support/held-answer.ts";
import { signUp, signUpUnseen } from "./support/person.ts";
import { accountOf, heldConnection, type ProductRows } from "./support/product-rows.ts";
import { startedFor } from "./support/started.ts";

let product: ProductServer;
let rows: ProductRows;

startedFor((started) => {
  ({ product, rows } = started);
});

const HOUR = 3_600_000;

async function dayRow(campaignId: number, back: number, accepted: number, failed: number, confirmed: number) {
  await sql`insert into campaign_day (campaign_id, day, accepted, failed, delivered, first_at, last_at)
    values (${campaignId}, (now() at time zone 'America/Sao_Paulo')::date - ${back}::int, ${accepted}, ${failed}, ${confirmed},
      now(), now() + interval '1 minute' * ${accepted - 1})`.execute(rows.db);
}

async function seeded(page: Page) {
  const account = await accountOf(rows.db, await signUpUnseen(page, product.url));
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
    status: "sending",
    connectionId,
    people: { delivered: 10, pending: 90 },
  });
  await campaignRow(rows.db, account, { name: "Rascunho", status: "draft", text: "" });
  return { old, running };
}

test("under a finger the figures that lead on are as high as a button", async ({ browser }) => {
  const context = await browser.newContext({ hasTouch: true, viewport: { width: 390, height: 844 } });
  const page = await context.newPage();
  await seeded(page);
  await page.goto(product.url);
  const links = gauge(page).getByRole("definition").getByRole("link");
  await expect(links).toHaveCount(5);
  const boxes = await links.evaluateAll((all) => all.map((each) => each.getBoundingClientRect().toJSON()));
  for (const [at, box] of boxes.entries()) {
    expect(box.height).toBeGreaterThanOrEqual(39.5);
    const above = boxes[at - 1];
    if (above) expect(box.y).toBeGreaterThanOrEqual(above.y + above.height - 1);
  }
  await page.goto(`${product.url}/contacts`);
  const rest = await page.getByRole("button", { name: /^\+117 contatos/ }).boundingBox();
  expect(rest?.height).toBeGreaterThanOrEqual(40);
  await context.close();
});

const gauge = (page: Page) => page.getByRole("region", { name: /^Taxa de entrega (Todas|Esta)/ });
const figure = (page: Page, name: string) => page.getByRole("region", { name, exact: true });

test("figures, chart, states and gauge agree with the counters @spec 1.2,2.4,2.31,2.32,2.33,2.34,2.35,4.7,9.5,9.6 @decision 11,14", async ({
  page,
}) => {
  await seeded(page);
  await sql`update contact_list set created_at = now() - interval '40 days' where contacts = 120`.execute(
    rows.db,
  );
  await page.goto(product.url);
  await expect(figure(page, "Contatos")).toContainText("120");
  await expect(figure(page, "Contatos")).toContainText("com listas de até 30 dias");
  await expect(figure(page, "Taxa de entrega")).toContainText("94,5%");
  await expect(gauge(page).getByRole("img")).toHaveAccessibleName("94,5% das tentativas enviadas");
  await expect(gauge(page).getByRole("definition")).toHaveText(["104", "84", "74", "5", "1"]);
  await expect(gauge(page).getByRole("term").nth(2)).toHaveText("lidas, 67,3% das tentativas");
  await expect(figure(page, "Mensagens enviadas")).toContainText("104");
  await expect(figure(page, "Intervalo médio")).toContainText("1,0 min");
  for (const [card, change] of [
    ["Mensagens enviadas", "subiu88,0% em 30 dias"],
    ["Taxa de entrega", "caiu5,1 p.p. em 30 dias"],
    ["Intervalo médio", "0,0% em 30 dias"],
    ["Contatos", "0,0% com listas de até 30 dias"],
  ] as const)
    await expect(figure(page, card).locator("[data-ui~=change]")).toHaveText(change);

  const activity = figure(page, "Atividade de Mensagens");
  await expect(activity.locator("path[data-ui~=line]")).toHaveCount(2);
  await expect(activity.locator("[data-ui~=names] span").last()).toHaveText("hoje");
  const day = activity.getByRole("slider", { name: "Tentativas e mensagens enviadas nos últimos 7 dias" });
  await expect(day).toHaveAttribute("aria-valuetext", "hoje: 35 tentativas, 34 enviadas, 24 entregues");
  await day.focus();
  await expect(activity.locator("[data-ui~=tip]")).toContainText("Tentativas35Enviadas34Entregues24");
  await expect(activity.locator("[data-ui~=tip]")).toContainText("Enviadas: aceitas pelo WhatsApp.");
  await page.keyboard.press("ArrowLeft");
  await expect(activity.locator("[data-ui~=tip]")).toContainText("Tentativas64");
  await expect(
    activity.getByRole("link", { name: "64 tentativas · 60 enviadas · 50 entregues" }),
  ).toBeVisible();

  const statuses = figure(page, "Status das Campanhas");
  await expect(statuses.getByRole("listitem")).toHaveText([
    "Concluída 0",
    "Concluída com falhas 1",
    "Em Andamento 1",
    "Agendada 0",
    "Rascunho 1",
  ]);
  const bars = statuses.locator("[data-ui~=bar] i");
  const widths = await bars.evaluateAll((all) => all.map((bar) => bar.getBoundingClientRect().width));
  expect(widths.map((width) => width > 0)).toEqual([false, true, true, false, true]);
  const recent = page.getByRole("table", { name: "Campanhas Recentes" }).getByRole("row");
  await expect(recent).toHaveCount(4);
  await expect(recent.first().getByRole("columnheader")).toHaveText([
    "Nome",
    "Status",
    "Mensagens",
    "Taxa de entrega",
    "Data",
  ]);
  await expect(recent.nth(1)).toContainText("Rascunho");
  await expect(recent.nth(1).getByRole("cell").nth(3)).toHaveText("—");
  await expect(recent.nth(3).getByRole("cell").nth(3)).toHaveText("94,0%");
  const today = new Intl.DateTimeFormat("pt-BR", { timeZone: "America/Sao_Paulo" }).format(new Date());
  await expect(recent.nth(3).getByRole("cell")).toHaveText([
    "Óculos prontos",
    "Concluída com falhas",
    "100 mensagens",
    "94,0%",
    today,
  ]);
});

test("the table has the chart's figures, a caption and the sums, and is remembered in the address @spec 2.32", async ({
  page,
}) => {
  await seeded(page);
  await page.goto(product.url);
  const activity = figure(page, "Atividade de Mensagens");
  await activity.getByRole("tab", { name: "Tabela" }).click();
  await expect(page).toHaveURL(`${product.url}/?ver=tabela`);
  const table = activity.getByRole("table", { name: "Tentativas e mensagens enviadas nos últimos 7 dias" });
  await expect(table.getByRole("columnheader")).toHaveText(["Dia", "Tentativas", "Enviadas", "Entregues"]);
  await expect(table.getByRole("row")).toHaveCount(1 + 7 + 1);
  await expect(table.getByRole("row").nth(1)).toHaveText(/^hoje, \d\d\/\d\d\/\d{4}\s*35\s*34\s*24$/);
  await expect(table.getByRole("row").last()).toHaveText(/^Total\s*99\s*94\s*74$/);
  await activity.getByLabel("Dias do gráfico").selectOption("90 dias");
  await expect(page).toHaveURL(/[?&]dias=90/);
  await page.reload();
  await expect(activity.getByRole("table").getByRole("row")).toHaveCount(1 + 90 + 1);
  await expect(activity.getByRole("table").getByRole("row").last()).toHaveText(/^Total\s*149\s*144\s*114$/);
  await activity.getByRole("tab", { name: "Gráfico" }).click();
  await expect(page).toHaveURL(`${product.url}/?dias=90`);
  await expect(activity.getByRole("slider")).toHaveAttribute("max", "89");
});

test("a finger finds each of 90 days on a small telephone, and nothing runs over its edge", async ({
  browser,
}) => {
  const context = await browser.newContext({
    viewport: { width: 360, height: 780 },
    hasTouch: true,
    isMobile: true,
    locale: "pt-BR",
    timezoneId: "America/Sao_Paulo",
  });
  const page = await context.newPage();
  await seeded(page);
  await page.goto(`${product.url}/?dias=90`);
  const activity = figure(page, "Atividade de Mensagens");
  const names = activity.locator("[data-ui~=names] span:visible");
  await expect(names.last()).toHaveText("hoje");
  const boxes = await names.evaluateAll((all) => all.map((each) => each.getBoundingClientRect().toJSON()));
  for (const [at, box] of boxes.entries()) expect(box.left).toBeGreaterThan(boxes[at - 1]?.right ?? 0);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360);

  const scrub = activity.getByRole("slider");
  await scrub.scrollIntoViewIfNeeded();
  const box = await scrub.boundingBox();
  if (!box) throw new Error("the chart has no place");
  await page.touchscreen.tap(box.x + (49.5 / 90) * box.width, box.y + box.height / 2);
  await expect(activity.locator("[data-ui~=day-bar]")).toContainText(
    "50 tentativas · 50 enviadas · 40 entregues",
  );
  await activity.getByRole("button", { name: "Dia seguinte" }).tap();
  await expect(activity.locator("[data-ui~=day-bar]")).toContainText(
    "0 tentativas · 0 enviadas · 0 entregues",
  );
  await context.close();
});

test("one day says that it is the only one; none says so, and both keep their scale", async ({ page }) => {
  const account = await accountOf(rows.db, await signUpUnseen(page, product.url));
  const id = await campaignRow(rows.db, account, { people: { read: 3 } });
  await page.goto(product.url);
  const activity = figure(page, "Atividade de Mensagens");
  await expect(activity).toContainText("Nenhuma mensagem nos últimos 7 dias");
  await expect(activity.locator("[data-ui~=y]")).toHaveText(["0", "1", "2", "3"]);
  await dayRow(id, 3, 3, 0, 3);
  await page.getByRole("button", { name: "Atualizar" }).click();
  await expect(activity).toContainText(
    /3 tentativas e 3 enviadas em 7 dias \(todas em um só dia: \S+ \d\d\/\d\d\)/,
  );
  await expect(activity.locator("[data-ui~=y]")).toHaveText(["0", "1", "2", "3"]);
});

test("an interval too short for one decimal is said to be below it, and how it is counted is explained @spec 9.6", async ({
  page,
}) => {
  const account = await accountOf(rows.db, await signUpUnseen(page, product.url));
  const id = await campaignRow(rows.db, account, { intervalS: 0, people: { sent: 50 } });
  await dayRow(id, 0, 50, 0, 0);
  await sql`update campaign_day set last_at = first_at + interval '2 seconds' where campaign_id = ${id}`.execute(
    rows.db,
  );
  await page.goto(product.url);
  await expect(figure(page, "Intervalo médio")).toContainText("< 0,1 min");
  await figure(page, "Intervalo médio").getByRole("button").focus();
  await expect(page.getByRole("tooltip")).toContainText("Noites e dias sem envio não contam.");
});

test("one campaign's figures are kept in the address, and a missing one falls back to all @spec 2.29", async ({
  page,
}) => {
  const { old } = await seeded(page);
  await page.goto(product.url);
  const filter = page.getByLabel("Filtrar por campanha");
  await expect(filter.getByRole("option")).toHaveText([
    "Todas as Campanhas",
    "Rascunho",
    "Black Friday",
    "Óculos prontos",
  ]);
  const late = await heldAnswer(page, /\/api\/dashboard\?/);
  await filter.selectOption("Óculos prontos");
  await late.asked;
  await expect(page).toHaveURL(`${product.url}/?campanha=${old}`);
  await expect(gauge(page)).toContainText("Todas as campanhas");
  const span = page.getByLabel("Dias do gráfico");
  await span.selectOption("30 dias");
  await expect(page).toHaveURL(`${product.url}/?campanha=${old}&dias=30`);
  await expect(span).toHaveValue("30");
  late.answer();
  await expect(gauge(page)).toContainText("Esta campanha");
  await expect(figure(page, "Mensagens enviadas")).toContainText("94");
  await page.reload();
  await expect(gauge(page)).toContainText("Esta campanha");
  await page.goto(`${product.url}/?campanha=99999`);
  await expect(gauge(page)).toContainText("Todas as campanhas");
  await expect(page).toHaveURL(`${product.url}/`);
});

test("the filter has each campaign, however many there are and however old the chosen one is @spec 2.29", async ({
  page,
}) => {
  const account = await accountOf(rows.db, await signUpUnseen(page, product.url));
  const eldest = await campaignRow(rows.db, account, { name: "A mais antiga", people: { read: 7 } });
  await sql`insert into campaign (account_id, name, status, zone, nonce)
    select ${account}::uuid, 'Rascunho ' || n, 'draft', 'America/Sao_Paulo', -n from generate_series(1, 402) n`.execute(
    rows.db,
  );
  await page.goto(product.url);
  const filter = page.getByLabel("Filtrar por campanha");
  const names = ["Todas as Campanhas", ...Array.from({ length: 402 }, (_, n) => `Rascunho ${402 - n}`)];
  await expect(filter.getByRole("option")).toHaveText([...names, "A mais antiga"]);
  await filter.selectOption("A mais antiga");
  await expect(page).toHaveURL(`${product.url}/?campanha=${eldest}`);
  await expect(figure(page, "Mensagens enviadas")).toContainText("7");
  await page.reload();
  await expect(filter.getByRole("option")).toHaveText([...names, "A mais antiga"]);
  await expect(filter).toHaveValue(String(eldest));
});

test("«Atualizar» asks again, and so does midnight; a campaign leads to its details @spec 2.30", async ({
  page,
}) => {
  const { running } = await seeded(page);
  let ahead = 0;
  await page.route(/\/api\/(?!events)/, async (route) => {
    const response = await route.fetch();
    const date = new Date(Date.now() + ahead).toUTCString();
    await route.fulfill({ response, headers: { ...response.headers(), date } });
  });
  await page.clock.install();
  await page.goto(product.url);
  await sql`update campaign set delivered_count = 30, pending_count = 70 where id = ${running}`.execute(
    rows.db,
  );
  await page.getByRole("button", { name: "Atualizar" }).click();
  await expect(gauge(page)).toContainText("124");
  const longDay = (at: number) =>
    new Intl.DateTimeFormat("pt-BR", { dateStyle: "long", timeZone: "America/Sao_Paulo" }).format(at);
  const midnight = Math.ceil((Date.now() - 3 * HOUR) / (24 * HOUR)) * 24 * HOUR + 3 * HOUR;
  await expect(page.getByText(longDay(midnight - HOUR))).toBeVisible();
  ahead = midnight - 2_000 - Date.now();
  await page.getByRole("button", { name: "Atualizar" }).click();
  await expect(page.getByRole("button", { name: "Atualizar" })).toBeEnabled();
  await expect(page.getByRole("button", { name: "Atualizar" })).toBeFocused();
  await sql`update campaign set delivered_count = 40, pending_count = 60 where id = ${running}`.execute(
    rows.db,
  );
  await page.clock.runFor(12_000);
  await expect(page.getByText(longDay(midnight))).toBeVisible();
  await expect(gauge(page)).toContainText("134");
  ahead = midnight + 1_000 - Date.now();
  await page.getByRole("link", { name: "Black Friday" }).click();
  await expect(page.getByRole("dialog", { name: "Detalhes dos Envios" })).toBeVisible();
  await page.keyboard.press("Escape");
  await page.clock.runFor(12_000);
  await expect(page.getByRole("dialog", { name: "Detalhes dos Envios" })).toBeHidden();
  await page.getByLabel("Período").selectOption("Hoje");
  const day = new Date(midnight).toISOString().slice(0, 10);
  await expect(page).toHaveURL(new RegExp(`de=${day}&ate=${day}`));
  await page.unrouteAll({ behavior: "wait" });
});

test("a new account gets its first steps instead of empty charts, and no made-up figure", async ({
  page,
}) => {
  await signUp(page, product.url);
  await expect(page.getByRole("heading", { name: "Primeiros passos" })).toBeVisible();
  await expect(figure(page, "Taxa de entrega")).toContainText("—");
  await expect(figure(page, "Intervalo médio")).toContainText("sem comparação ainda");
  await page.getByRole("main").getByRole("link", { name: "Conecte um número" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "Conectar WhatsApp" })).toBeVisible();
});

test("figures that cannot be fetched say why @spec 8.7 @decision 29", async ({ page }) => {
  await signUp(page, product.url);
  // Once the live-update stream is open the page refetches, and the error may vanish before the press.
  await page.route("**/api/events*", (route) => route.abort());
  await page.route("**/api/dashboard", (route) => route.abort());
  await page.reload();
  await expect(page.getByRole("alert")).toContainText("Erro ao buscar os números do painel");
  await page.unroute("**/api/dashboard");
  await page.getByRole("alert").getByRole("button", { name: "Tentar novamente" }).click();
  await expect(page.getByRole("heading", { name: "Primeiros passos" })).toBeVisible();
});
