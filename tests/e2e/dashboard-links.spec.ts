import { expect, type Locator, type Page, test } from "@playwright/test";
import { sql } from "kysely";
import { campaignRow, listRow } from "../support/campaign-rows.ts";
import type { ProductServer } from "../support/server.ts";
import { signUpUnseen } from "./support/person.ts";
import { accountOf, heldConnection, type ProductRows } from "./support/product-rows.ts";
import { startedFor } from "./support/started.ts";

let product: ProductServer;
let rows: ProductRows;

startedFor((started) => {
  ({ product, rows } = started);
});

async function dayRow(campaignId: number, back: number, accepted: number, failed: number, confirmed: number) {
  await sql`insert into campaign_day (campaign_id, day, accepted, failed, delivered)
    values (${campaignId}, (now() at time zone 'America/Sao_Paulo')::date - ${back}::int, ${accepted}, ${failed}, ${confirmed})`.execute(
    rows.db,
  );
}

async function seeded(page: Page) {
  const account = await accountOf(rows.db, await signUpUnseen(page, product.url));
  const connectionId = await heldConnection(rows.db, account, "connected", "Matriz");
  const listId = await listRow(rows.db, account, 120);
  const old = await campaignRow(rows.db, account, {
    name: "Óculos prontos",
    connectionId,
    people: { sent: 20, read: 74, error: 5, uncertain: 1 },
  });
  await dayRow(old, 1, 60, 4, 50);
  await dayRow(old, 0, 34, 1, 24);
  const clean = await campaignRow(rows.db, account, { name: "Pesquisa", people: { delivered: 7 } });
  await dayRow(clean, 1, 7, 0, 7);
  await campaignRow(rows.db, account, {
    name: "Black Friday",
    status: "sending",
    connectionId,
    people: { delivered: 10, pending: 90 },
  });
  await campaignRow(rows.db, account, { name: "Natal", status: "draft", text: "", listId });
  await campaignRow(rows.db, account, { name: "Desistida", status: "cancelled", people: { skipped: 4 } });
  return { old, account };
}

const figure = (page: Page, name: string) => page.getByRole("region", { name, exact: true });
const gauge = (page: Page) => page.getByRole("region", { name: /^Taxa de entrega (Todas|Esta)/ });
const cards = (page: Page) => page.getByRole("list", { name: "Campanhas", exact: true }).getByRole("article");
const sums = (page: Page) => page.getByRole("region", { name: "Números do que foi encontrado" });

const sum = (page: Page, name: string) =>
  sums(page)
    .locator("dl > div")
    .filter({ has: page.locator("dt").getByText(name, { exact: true }) })
    .getByRole("definition");

async function follow(page: Page, link: Locator, look: () => Promise<void>) {
  const from = page.url();
  await link.click();
  await expect(page).not.toHaveURL(from);
  await look();
  await page.reload();
  await look();
  await page.goto(from);
}

test("stat cards and gauge lead to the campaigns that add up to them @decision 14", async ({ page }) => {
  await seeded(page);
  await page.goto(product.url);
  await follow(page, figure(page, "Mensagens enviadas").getByRole("link", { name: "111" }), async () => {
    await expect(sum(page, "Enviadas")).toHaveText("111");
    await expect(cards(page)).toHaveCount(3);
  });
  await follow(page, figure(page, "Contatos").getByRole("link", { name: "120" }), async () => {
    await expect(page.getByRole("main").getByText("1 lista, 120 contatos")).toBeVisible();
  });
  await follow(page, figure(page, "Taxa de entrega").getByRole("link", { name: "94,9%" }), async () => {
    await expect(sum(page, "Taxa de entrega")).toHaveText("94,9%");
  });
  await follow(page, gauge(page).getByRole("link", { name: "94,9% de 117" }), async () => {
    await expect(sum(page, "Taxa de entrega")).toHaveText("94,9%");
    await expect(sum(page, "Tentativas")).toHaveText("117");
  });
  for (const [place, name, value, campaigns] of [
    [0, "Enviadas", "111", 3],
    [1, "Entregues", "91", 3],
    [2, "Lidas", "74", 1],
    [3, "Erros", "5", 1],
    [4, "A verificar", "1", 1],
  ] as const) {
    const link = gauge(page).getByRole("definition").nth(place).getByRole("link", { name: value });
    await follow(page, link, async () => {
      await expect(sum(page, name)).toHaveText(value);
      await expect(cards(page)).toHaveCount(campaigns);
    });
  }
});

test("each day leads to its campaigns and to its own figures, from chart and table", async ({ page }) => {
  await seeded(page);
  await page.goto(product.url);
  const activity = figure(page, "Atividade de Mensagens");
  await activity.getByRole("slider").focus();
  await page.keyboard.press("ArrowLeft");
  const yesterday = async () => {
    await expect(sum(page, "Tentativas")).toHaveText("71");
    await expect(sum(page, "Enviadas")).toHaveText("67");
    await expect(sum(page, "Entregues")).toHaveText("57");
    await expect(cards(page)).toHaveCount(2);
    await expect(cards(page).first()).toContainText("No período: 7 tentativas (7 enviadas) · 7 entregues");
    await expect(cards(page).last()).toContainText(
      "No período: 64 tentativas (60 enviadas, 4 erros) · 50 entregues",
    );
  };
  await follow(
    page,
    activity.getByRole("link", { name: "71 tentativas · 67 enviadas · 57 entregues" }),
    yesterday,
  );
  await follow(
    page,
    activity.getByRole("link", { name: "106 tentativas e 101 enviadas em 7 dias" }),
    async () => {
      await expect(sum(page, "Tentativas")).toHaveText("106");
      await expect(sum(page, "Enviadas")).toHaveText("101");
      await expect(page.getByLabel("Período")).toHaveValue("7");
    },
  );
  await activity.getByRole("tab", { name: "Tabela" }).click();
  await follow(page, activity.getByRole("row").nth(2).getByRole("link"), yesterday);
});

test("a quiet day leads to a list that says that there is nothing", async ({ page }) => {
  await seeded(page);
  await page.goto(`${product.url}/?ver=tabela`);
  await figure(page, "Atividade de Mensagens").getByRole("row").nth(4).getByRole("link").click();
  await expect(page.getByText("Nenhuma campanha combina com estes filtros.")).toBeVisible();
  await expect(sum(page, "Tentativas")).toHaveText("0");
  await page.getByRole("button", { name: "Limpar filtros" }).last().click();
  await expect(page).toHaveURL(`${product.url}/campaigns`);
  await expect(cards(page)).toHaveCount(5);
});

test("each status leads to as many campaigns as it counts", async ({ page }) => {
  await seeded(page);
  await page.goto(product.url);
  for (const [status, n] of [
    ["Concluída", 1],
    ["Concluída com falhas", 1],
    ["Em Andamento", 1],
    ["Agendada", 0],
    ["Rascunho", 1],
    ["Cancelada", 1],
  ] as const) {
    const link = figure(page, "Status das Campanhas").getByRole("link", {
      name: `${status} ${n}`,
      exact: true,
    });
    await follow(page, link, async () => {
      await expect(page.getByLabel("Status", { exact: true })).toHaveValue(/.+/);
      if (n === 0)
        await expect(page.getByText("Nenhuma campanha está com o status «Agendada».")).toBeVisible();
      else await expect(page.getByText(`${n} campanha encontrada`)).toBeVisible();
      await expect(cards(page)).toHaveCount(n);
    });
  }
  await figure(page, "Status das Campanhas").getByRole("link", { name: "5, ver todas" }).click();
  await expect(page.getByText("5 campanhas", { exact: true })).toBeVisible();
});

test("recent rows lead to their people, their rate and themselves", async ({ page }) => {
  await seeded(page);
  await page.goto(product.url);
  const row = (name: string) => figure(page, "Campanhas Recentes").getByRole("row").filter({ hasText: name });
  await follow(page, row("Óculos prontos").getByRole("link", { name: "100" }), async () => {
    const details = page.getByRole("dialog", { name: "Detalhes dos Envios" });
    await expect(details.getByRole("button", { name: "Todos 100" })).toBeVisible();
  });
  await follow(page, row("Óculos prontos").getByRole("link", { name: "94,0%" }), async () => {
    await expect(sum(page, "Taxa de entrega")).toHaveText("94,0%");
    await expect(cards(page)).toHaveCount(1);
  });
  await follow(page, row("Natal").getByRole("link", { name: "120" }), async () => {
    await expect(page.getByRole("main").getByText("120 contatos").first()).toBeVisible();
  });
});

test("what stopped before it began leads to no form that would say that it has begun", async ({ page }) => {
  const account = await accountOf(rows.db, await signUpUnseen(page, product.url));
  const listId = await listRow(rows.db, account, 120);
  const id = await campaignRow(rows.db, account, {
    name: "Perdida",
    status: "paused",
    cause: "missed",
    listId,
  });
  await sql`update campaign set started_at = null where id = ${id}`.execute(rows.db);
  await page.goto(`${product.url}/?campanha=${id}`);
  const row = figure(page, "Campanhas Recentes").getByRole("row").filter({ hasText: "Perdida" });
  await expect(row).toContainText("120");
  await expect(row.getByRole("link")).toHaveText(["Perdida"]);
  await expect(figure(page, "Contatos").getByRole("link")).toHaveCount(0);
  await page.goto(`${product.url}/campaigns/new?rascunho=${id}`);
  await expect(page.getByText("Esta campanha não pode mais ser alterada.")).toBeVisible();
  await expect(page.getByText("já foi iniciada")).toHaveCount(0);
});

test("with one campaign chosen, every figure leads to that campaign alone", async ({ page }) => {
  const { old } = await seeded(page);
  await page.goto(`${product.url}/?campanha=${old}`);
  await follow(page, figure(page, "Mensagens enviadas").getByRole("link", { name: "94" }), async () => {
    await expect(sum(page, "Enviadas")).toHaveText("94");
    await expect(cards(page)).toHaveCount(1);
  });
  await follow(page, figure(page, "Contatos").getByRole("link", { name: "100" }), async () => {
    await expect(page.getByRole("dialog").getByRole("button", { name: "Todos 100" })).toBeVisible();
  });
  const activity = figure(page, "Atividade de Mensagens");
  await activity.getByRole("slider").focus();
  await page.keyboard.press("ArrowLeft");
  await follow(
    page,
    activity.getByRole("link", { name: "64 tentativas · 60 enviadas · 50 entregues" }),
    async () => {
      await expect(sum(page, "Tentativas")).toHaveText("64");
      await expect(cards(page)).toHaveCount(1);
    },
  );
  const state = figure(page, "Status das Campanhas").getByRole("link", { name: "Concluída com falhas 1" });
  await follow(page, state, async () => {
    await expect(cards(page)).toHaveCount(1);
    await expect(cards(page)).toContainText("Óculos prontos");
  });
});

test("status, words, period and page of the list stand in the address, so that a view can be shared", async ({
  page,
}) => {
  const { account } = await seeded(page);
  for (let at = 0; at < 60; at += 1)
    await campaignRow(rows.db, account, { name: `Aviso ${at}`, people: { sent: 1 } });
  await page.goto(`${product.url}/campaigns`);
  await page.getByLabel("Buscar campanhas").fill("Aviso");
  await page.getByLabel("Status", { exact: true }).selectOption("Concluída");
  await expect(page.getByText("60 campanhas encontradas")).toBeVisible();
  await page.getByRole("button", { name: "Carregar mais campanhas" }).click();
  await expect(cards(page)).toHaveCount(48);
  await expect(page).toHaveURL(/busca=Aviso&filtro=completed&pagina=2/);
  await page.reload();
  await expect(cards(page)).toHaveCount(48);
  await page.getByLabel("Período").selectOption("Últimos 30 dias");
  await expect(page).toHaveURL(/filtro=completed&de=\d{4}-\d\d-\d\d&ate=\d{4}-\d\d-\d\d$/);
  await expect(page.getByText("Nenhuma campanha combina com estes filtros.")).toBeVisible();
  await page.getByLabel("Buscar campanhas").fill("");
  await expect(cards(page)).toHaveCount(1);
  await page.getByLabel("Período").selectOption("Escolher datas");
  const from = page.getByLabel("De", { exact: true });
  await from.focus();
  await page.keyboard.type("01012020");
  await expect(page).toHaveURL(/de=2020-01-01/);
  await expect(from).toBeFocused();
  await page.getByLabel("Até", { exact: true }).fill("2020-12-31");
  await expect(page).toHaveURL(/de=2020-01-01&ate=2020-12-31/);
  await expect(sums(page)).toContainText("mensagens de 01/01/2020 a 31/12/2020");
  await page.reload();
  await expect(from).toHaveValue("2020-01-01");
});

test("one step back from a campaign's details leads to the screen that led to them", async ({ page }) => {
  await seeded(page);
  await page.goto(product.url);
  await page.getByRole("link", { name: "Pesquisa" }).click();
  const details = page.getByRole("dialog", { name: "Detalhes dos Envios" });
  await details.getByRole("button", { name: /^Enviado/ }).click();
  await expect(page).toHaveURL(/detalhes=\d+&status=sent/);
  await page.goBack();
  await expect(page).toHaveURL(`${product.url}/`);
  await expect(page.getByRole("heading", { level: 1, name: "Painel de Controle" })).toBeVisible();
  await page.goForward();
  await expect(details).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(page).toHaveURL(`${product.url}/campaigns`);
  await page.getByRole("article", { name: "Pesquisa" }).getByRole("link", { name: "Ver Detalhes" }).click();
  await expect(details).toBeVisible();
  await page.goBack();
  await expect(details).toBeHidden();
  await expect(page).toHaveURL(`${product.url}/campaigns`);
  await page.goBack();
  await expect(page).toHaveURL(`${product.url}/`);
});
