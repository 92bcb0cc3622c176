import { expect, type Locator, type Page, test } from "@playwright/test";
import { sql } from "kysely";
import { campaignRow } from "../support/campaign-rows.ts";
import { chatRow } from "../support/chat-rows.ts";
import type { ProductServer } from "../support/server.ts";
import { heldAnswer } from "./support/held-answer.ts";
import { signUpUnseen } from "./support/person.ts";
import { accountOf, heldConnection, type ProductRows } from "./support/product-rows.ts";
import { startedFor } from "./support/started.ts";

/* When a next page or a refetch fails, what is shown stays and the error is shown. */

let product: ProductServer;
let rows: ProductRows;

startedFor((started) => {
  ({ product, rows } = started);
});

const CAUSE = "O serviço está indisponível no momento. Tente novamente em instantes.";

async function arrive(page: Page) {
  const account = await accountOf(rows.db, await signUpUnseen(page, product.url));
  return { account, connectionId: await heldConnection(rows.db, account, "connected", "Matriz") };
}

type Paged = {
  within: Locator;
  items: Locator;
  more: string;
  asked: RegExp;
  words: string;
  counts: number[];
  duringError?: () => Promise<void>;
};

async function loseNextPage(page: Page, { within, items, more, asked, words, counts, duringError }: Paged) {
  const [first = 0, all = 0] = counts;
  await expect(items).toHaveCount(first);
  let lost = 0;
  page.on("requestfailed", (request) => {
    if (asked.test(request.url())) lost++;
  });
  await page.route(asked, (route) => route.abort());
  await within.getByRole("button", { name: more }).click();
  const error = within.getByRole("alert").filter({ hasText: words });
  await expect(error).toContainText("O servidor não respondeu.");
  await expect(error).toHaveCount(1);
  await expect(items).toHaveCount(first);
  await duringError?.();
  // It fails again with the message. Each request is sent twice, so the second must fail as well.
  await expect.poll(() => lost).toBeGreaterThan(1);
  const before = lost;
  const retry = error.getByRole("button", { name: "Tentar novamente" });
  await retry.click();
  await expect.poll(() => lost - before).toBeGreaterThan(1);
  await expect(retry).toBeEnabled();
  await page.unroute(asked);
  await retry.click();
  await expect(items).toHaveCount(all);
  await expect(error).toBeHidden();
  await expect(within.getByRole("button", { name: more })).toBeHidden();
}

test("lists of contacts: a next page that does not come is said, and comes when asked for again", async ({
  page,
}) => {
  const { account } = await arrive(page);
  await sql`insert into contact_list (account_id, name, contacts)
    select ${account}::uuid, 'Lista ' || n, 0 from generate_series(1, 30) n`.execute(rows.db);
  await page.goto(`${product.url}/contacts`);
  const within = page.getByRole("main");
  await loseNextPage(page, {
    within,
    items: within.getByRole("article"),
    more: "Mostrar mais listas",
    asked: /\/api\/contact-lists\?.*after=/,
    words: "Erro ao buscar contatos",
    counts: [24, 30],
    // A refetch after a change succeeds and leaves the next page's error.
    duringError: async () => {
      const refetch = await heldAnswer(page, /\/api\/contact-lists(?!.*after=)/);
      const body = { phone: "11 98888-7777" };
      expect((await page.request.post(`${product.url}/api/opt-outs`, { data: body })).ok()).toBe(true);
      await refetch.asked;
      await expect(within.getByRole("alert")).toHaveCount(1);
      refetch.answer();
    },
  });
});

test("campaigns: a next page that does not come is said, and comes when asked for again", async ({
  page,
}) => {
  const { account } = await arrive(page);
  const draft = await campaignRow(rows.db, account, { name: "Rascunho", status: "draft" });
  for (let n = 1; n <= 29; n++) await campaignRow(rows.db, account, { name: `Campanha ${n}` });
  await page.goto(`${product.url}/campaigns`);
  const within = page.getByRole("main");
  const items = within.getByRole("list", { name: "Campanhas" }).locator("> li");
  await loseNextPage(page, {
    within,
    items,
    more: "Carregar mais campanhas",
    asked: /\/api\/campaigns\?.*after=/,
    words: "Erro ao buscar campanhas",
    counts: [24, 30],
  });

  // While campaigns send, refetches are nearly always pending: they must not block the next page.
  await page.goto(`${product.url}/campaigns`);
  await expect(items).toHaveCount(24);
  const refetch = await heldAnswer(page, /\/api\/campaigns(\?(?!.*after=).*)?$/);
  expect((await page.request.delete(`${product.url}/api/campaigns/${draft}`)).ok()).toBe(true);
  await refetch.asked;
  await within.getByRole("button", { name: "Carregar mais campanhas" }).click();
  await expect.poll(() => items.count()).toBeGreaterThan(24);
  refetch.answer();
  await expect(items).toHaveCount(29);
});

test("activity: a next page that does not come is said, and comes when asked for again", async ({ page }) => {
  const { account } = await arrive(page);
  await sql`insert into audit_event (account_id, kind, actor)
    select ${account}::uuid, 'data_exported', 'session' from generate_series(1, 59)`.execute(rows.db);
  await page.goto(`${product.url}/settings?aba=atividade`);
  const within = page.getByRole("main");
  const items = within.getByRole("list", { name: "O que foi feito" }).getByRole("listitem");
  await loseNextPage(page, {
    within,
    items,
    more: "Mostrar mais",
    asked: /\/api\/audit\?.*after=/,
    words: "Não foi possível buscar a atividade.",
    counts: [50, 60],
  });
});

test("answers of an assistant: a next page that does not come is said, and comes when asked for again", async ({
  page,
}) => {
  const { account, connectionId } = await arrive(page);
  const chat = await chatRow(rows.db, { account, connectionId, phone: 5_511_987_654_321 });
  await sql`insert into agent_answer (account_id, connection_id, chat_id, message_id, question, chat_name, agent_id, agent_name, state, text)
    select ${account}::uuid, ${connectionId}, ${chat}, n, 'Pergunta ' || n, 'Ana', 'ag:1', 'Clara', 'sent', 'Resposta ' || n
    from generate_series(1, 60) n`.execute(rows.db);
  await page.goto(`${product.url}/whatsapp/connections`);
  await page.getByRole("button", { name: "Ações de Matriz" }).click();
  await page.getByRole("menuitem", { name: "Assistente" }).click();
  const within = page.getByRole("dialog", { name: "Assistente" });
  await within.getByRole("tab", { name: "Respostas" }).click();
  await loseNextPage(page, {
    within,
    items: within.getByText(/^Pergunta \d+$/),
    more: "Mostrar mais",
    asked: /\/answers\?cursor=/,
    words: "Erro ao buscar as respostas do assistente",
    counts: [50, 60],
  });
});

/** Without the live-update stream the page polls every few seconds. */
const pollsOnly = (page: Page) => page.route("**/api/events*", (route) => route.abort());

const answers = (page: Page, place: string | RegExp, status: number, code: string, error: string) =>
  page.route(place, (route) => route.fulfill({ status, json: { code, error } }));

test("data whose refetch fails stays on every screen, marked as possibly old", async ({ page }) => {
  test.slow();
  const { account } = await arrive(page);
  await sql`insert into contact_list (account_id, name, contacts) values (${account}::uuid, 'Clientes', 0)`.execute(
    rows.db,
  );
  await sql`insert into gateway (account_id, name, url, api_key, key_hint)
    values (${account}::uuid, 'Casa', 'http://127.0.0.1:9', '\\x00', 'a')`.execute(rows.db);
  const key = { name: "Painel", scope: "read" };
  expect((await page.request.post(`${product.url}/api/settings/api-keys`, { data: key })).ok()).toBe(true);
  await page.clock.install();
  await pollsOnly(page);
  const later = async () => {
    await page.clock.runFor(31_000);
    await page.evaluate(() => window.dispatchEvent(new Event("visibilitychange")));
    await page.clock.runFor(1_000);
  };
  const stays = async (place: string, shown: Locator, asked: RegExp, words: string) => {
    await page.goto(`${product.url}${place}`);
    await expect(shown).toBeVisible();
    await answers(page, asked, 503, "unavailable", CAUSE);
    await later();
    const error = page.getByRole("main").getByRole("alert").filter({ hasText: words });
    await expect(error).toContainText(CAUSE);
    await expect(shown).toBeVisible();
    await page.unroute(asked);
    await later();
    await expect(error).toBeHidden();
  };
  const list = page.getByRole("article", { name: "Clientes" });
  await stays("/contacts", list, /\/api\/contact-lists\?/, "Erro ao buscar contatos");
  const connection = page.getByRole("main").getByRole("listitem").filter({ hasText: "Matriz" });
  await stays("/whatsapp/connections", connection, /\/api\/connections$/, "Erro ao buscar conexões");
  const server = page.getByRole("region", { name: "Evolution escolhida" });
  await stays("/instances", server, /\/api\/gateways$/, "Erro ao buscar evolutions cadastradas.");

  const listed = (label: string) => page.getByRole("list", { name: label }).getByRole("listitem").first();
  const part = (name: string, shown: Locator, asked: RegExp, words: string) =>
    stays(`/settings?aba=${name}`, shown, asked, words);
  const month = page.getByRole("heading", { name: /^Mensagens de/ });
  await part("uso", month, /\/settings\/usage$/, "Não foi possível buscar o uso.");
  const keys = page.getByRole("cell").getByText("Painel", { exact: true });
  await part("chaves", keys, /\/settings\/api-keys$/, "Não foi possível buscar as chaves.");
  const states = listed("Estado das conexões");
  await part("conexao", states, /\/api\/connections$/, "Não foi possível buscar as conexões.");
  const sessions = listed("Sessões");
  await part("geral", sessions, /\/settings\/sessions$/, "Não foi possível buscar as sessões.");
  const done = listed("O que foi feito");
  await part("atividade", done, /\/api\/audit/, "Não foi possível buscar a atividade.");
});

test("details of a campaign that cannot be asked for stay, and of one deleted elsewhere nothing does; both are said", async ({
  page,
}) => {
  const { account } = await arrive(page);
  const id = await campaignRow(rows.db, account, { name: "Óculos", people: { read: 3 } });
  await pollsOnly(page);
  await page.goto(`${product.url}/campaigns?detalhes=${id}`);
  const dialog = page.getByRole("dialog", { name: "Detalhes dos Envios" });
  await expect(dialog.getByText("Pessoa 0", { exact: true })).toBeVisible();
  const one = new RegExp(`/api/campaigns/${id}$`);
  await answers(page, one, 503, "unavailable", CAUSE);
  const error = dialog.getByRole("alert").filter({ hasText: "Erro ao buscar a campanha" });
  await expect(error).toContainText(CAUSE);
  await expect(dialog.getByText("Pessoa 0", { exact: true })).toBeVisible();
  await page.unroute(one);
  await expect(error).toBeHidden();

  const draft = await campaignRow(rows.db, account, { name: "Rascunho", status: "draft" });
  await page.goto(`${product.url}/campaigns?detalhes=${draft}`);
  const emptyNotice = dialog.getByText("Nenhum envio encontrado para esta campanha.");
  await expect(emptyNotice).toBeVisible();
  expect((await page.request.delete(`${product.url}/api/campaigns/${draft}`)).ok()).toBe(true);
  await expect(dialog.getByRole("heading", { name: "Campanha não encontrada" })).toBeVisible();
  await expect(emptyNotice).toBeHidden();
});
