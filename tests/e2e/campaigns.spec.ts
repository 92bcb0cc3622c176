import { expect, type Page, test } from "@playwright/test";
import { sql } from "kysely";
import { DELIVERY } from "../../src/domain/delivery.ts";
import { campaignRow, imageRow, listRow } from "../support/campaign-rows.ts";
import type { ProductServer } from "../support/server.ts";
import { heldAnswer } from "./support/held-answer.ts";
import { signUpUnseen } from "./support/person.ts";
import { pressSays } from "./support/press-says.ts";
import { accountOf, heldConnection, type ProductRows } from "./support/product-rows.ts";
import { startedFor } from "./support/started.ts";

let product: ProductServer;
let rows: ProductRows;

startedFor((started) => {
  ({ product, rows } = started);
});

async function newAccount(page: Page): Promise<string> {
  return accountOf(rows.db, await signUpUnseen(page, product.url));
}

const open = (page: Page, place = "") => page.goto(`${product.url}/campaigns${place}`);
const card = (page: Page, name: string) => page.getByRole("article", { name, exact: true });

test("a new account is shown what to do first @spec 2.5,2.36,2.41", async ({ page }) => {
  await newAccount(page);
  await open(page);
  await expect(page.getByRole("heading", { level: 1, name: "Campanhas" })).toBeVisible();
  await expect(page.getByRole("heading", { name: "Nenhuma campanha encontrada" })).toBeVisible();
  await expect(page.getByRole("main").getByText("Nenhuma ainda")).toBeVisible();
  await page.getByRole("main").getByRole("link", { name: "Nova Campanha" }).last().click();
  await expect(page).toHaveURL(/\/campaigns\/new$/);
});

test("cards say the state of each campaign, and counts only once sending has begun @spec 2.39,4.6 @decision 10", async ({
  page,
}) => {
  const account = await newAccount(page);
  const { db } = rows;
  const up = await heldConnection(db, account, "connected", "Matriz – Centro");
  const down = await heldConnection(db, account, "disconnected", "Unidade Savassi", "network");
  await campaignRow(db, account, { name: "Rascunho de Natal", status: "draft", text: "" });
  await campaignRow(db, account, { name: "Vazia de erros", connectionId: up, people: { sent: 2, read: 3 } });
  await campaignRow(db, account, {
    name: "Com falhas",
    connectionId: up,
    people: { read: 3, error: 2, uncertain: 1 },
  });
  await campaignRow(db, account, {
    name: "Em curso",
    status: "sending",
    connectionId: up,
    people: { sent: 1212, pending: 38 },
  });
  await campaignRow(db, account, {
    name: "Sem conexão",
    status: "sending",
    connectionId: down,
    people: { sent: 5, pending: 151 },
  });
  await open(page);

  await expect(card(page, "Rascunho de Natal")).toContainText("Rascunho");
  await expect(card(page, "Rascunho de Natal")).toContainText("Apenas Texto");
  await expect(card(page, "Rascunho de Natal").getByText("Total")).toHaveCount(0);
  await expect(card(page, "Vazia de erros")).toContainText("Concluída");
  await expect(card(page, "Vazia de erros").getByRole("definition")).toHaveText(["5", "5", "3", "0"]);
  for (const [name, ...counts] of [
    ["Com falhas", "6", "3", "3", "2"],
    ["Em curso", "1.250", "1.212", "0", "0"],
    ["Sem conexão", "156", "5", "0", "0"],
  ] as const)
    await expect(card(page, name).getByRole("definition"), name).toHaveText(counts);
  const details = {
    "Vazia de erros": 1,
    "Com falhas": 1,
    "Em curso": 1,
    "Sem conexão": 1,
    "Rascunho de Natal": 0,
  };
  for (const [name, count] of Object.entries(details))
    await expect(card(page, name).getByRole("link", { name: "Ver Detalhes" }), name).toHaveCount(count);
  await expect(card(page, "Com falhas")).toContainText("Concluída com falhas");
  await expect(card(page, "Com falhas").getByRole("button", { name: "Reenviar falhas (2)" })).toBeVisible();
  await expect(card(page, "Com falhas").getByRole("link", { name: "1 a verificar" })).toBeVisible();
  await expect(card(page, "Em curso").getByRole("progressbar")).toHaveAttribute("aria-valuenow", "97");
  await expect(card(page, "Em curso")).toContainText("1.212 de 1.250");
  await expect(card(page, "Sem conexão")).toContainText("Pausada");
  await expect(card(page, "Sem conexão")).toContainText("A conexão Unidade Savassi caiu");
  await expect(card(page, "Sem conexão")).toContainText(
    "O envio continua sozinho quando ela voltar. Faltam 151 mensagens.",
  );
  await expect(card(page, "Sem conexão").getByRole("link", { name: "Ver conexão" })).toBeVisible();
});

test("a card shows text, date, template and connection; only drafts and ended ones can be used again @spec 2.39,2.42 @decision 10,28", async ({
  page,
}) => {
  const account = await newAccount(page);
  const { db } = rows;
  const connectionId = await heldConnection(db, account, "connected", "Matriz – Centro");
  const text = "Venha nos ver no sábado.";
  const id = await campaignRow(db, account, { name: "Com foto", text, connectionId, people: { read: 1 } });
  const imageId = await imageRow(db, account);
  await sql`update campaign set image_id = ${imageId}, created_at = '2026-11-19T14:30:00Z',
    started_at = '2026-11-19T14:30:00Z', first_sent_at = '2026-11-19T14:30:00Z' where id = ${id}`.execute(db);
  await campaignRow(db, account, { name: "Só rascunho", status: "draft" });
  await campaignRow(db, account, {
    name: "Em curso",
    status: "sending",
    connectionId,
    people: { pending: 9 },
  });
  const scheduledAt = new Date(Date.now() + 86_400_000);
  await campaignRow(db, account, { name: "Marcada", status: "scheduled", scheduledAt, connectionId });
  await open(page);
  for (const shown of [text, "19/11/2026 11:30", "Com Imagem", "Matriz – Centro", "Concluída"])
    await expect(card(page, "Com foto")).toContainText(shown);
  await expect(card(page, "Com foto").getByRole("term")).toHaveText(["Total", "Enviados", "Lidos", "Erros"]);
  await expect(card(page, "Só rascunho")).toContainText("Apenas Texto");
  const reusable = { "Com foto": 1, "Só rascunho": 1, "Em curso": 0, Marcada: 0 };
  for (const [name, count] of Object.entries(reusable))
    await expect(card(page, name).getByRole("link", { name: "Reutilizar" }), name).toHaveCount(count);
});

test("search and filter are kept in the address, and finding nothing offers a way back @spec 2.37,2.38 @decision 10", async ({
  page,
}) => {
  const account = await newAccount(page);
  await campaignRow(rows.db, account, { name: "Natal antecipado", people: { read: 1 } });
  await campaignRow(rows.db, account, { name: "Páscoa", status: "draft", text: "ovos de natal" });
  await campaignRow(rows.db, account, { name: "Volta às aulas", status: "draft" });
  await open(page);
  const filter = page.getByLabel("Status");
  await expect(filter.getByRole("option")).toHaveText([
    "Todos",
    "Rascunho",
    "Agendada",
    "Em Andamento",
    "Concluída",
    "Pausada",
    "Concluída com falhas",
    "Falhou",
    "Cancelada",
    "Arquivadas",
  ]);
  await expect(page.getByRole("article")).toHaveCount(3);
  const natal = await heldAnswer(page, /\/api\/campaigns\?.*natal/);
  await page.getByPlaceholder("Buscar campanhas...").fill("natal");
  await natal.asked;
  await expect(page.getByRole("list", { name: "Campanhas" })).toHaveAttribute("aria-busy", "true");
  expect(await page.getByText(/\d campanhas? encontrada/).count()).toBe(0);
  natal.answer();
  await expect(page.getByRole("article")).toHaveCount(2);
  await expect(page.getByText("2 campanhas encontradas")).toBeVisible();
  await filter.selectOption("Rascunho");
  await expect(page.getByRole("article")).toHaveCount(1);
  await expect(page).toHaveURL(/busca=natal&filtro=draft/);
  await page.reload();
  await expect(card(page, "Páscoa")).toBeVisible();
  await page.getByPlaceholder("Buscar campanhas...").fill("não existe");
  await expect(page.getByRole("status").getByText("tem «não existe» no nome ou no texto.")).toBeVisible();
  const { asked, answer } = await heldAnswer(page, /\/api\/campaigns\?.*aulas/);
  await page.getByPlaceholder("Buscar campanhas...").fill("aulas");
  await asked;
  expect(await page.getByText("no nome ou no texto.").count()).toBe(0);
  answer();
  await expect(card(page, "Volta às aulas")).toBeVisible();
  await page.getByPlaceholder("Buscar campanhas...").fill("não existe");
  await page.getByRole("button", { name: "Limpar busca" }).press("Enter");
  await expect(page.getByRole("article")).toHaveCount(3);
  await expect(page.getByPlaceholder("Buscar campanhas...")).toBeFocused();
});

test("nothing is said to be sent by what is pressed while the connection sends nothing", async ({ page }) => {
  const account = await newAccount(page);
  const { db } = rows;
  const connectionId = await heldConnection(db, account, "connecting", "Matriz", "network");
  const listId = await listRow(db, account, 3, "Clientes");
  await campaignRow(db, account, {
    name: "Pausada antes",
    status: "paused",
    cause: "user",
    connectionId,
    people: { sent: 1, pending: 2 },
  });
  await campaignRow(db, account, { name: "Com falhas", connectionId, people: { read: 1, error: 2 } });
  const missed = await campaignRow(db, account, {
    name: "Perdida",
    status: "paused",
    cause: "missed",
    listId,
    connectionId,
    scheduledAt: new Date(Date.now() - 3 * 3_600_000),
  });
  await sql`update campaign set started_at = null where id = ${missed}`.execute(db);
  await open(page);
  const said = (text: string) => expect(page.getByText(text, { exact: true })).toBeVisible();
  await card(page, "Pausada antes").getByRole("button", { name: "Continuar" }).click();
  await said("Pausada antes: o envio continua quando a conexão puder enviar");
  await card(page, "Perdida").getByRole("button", { name: "Confirmar" }).click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Enviar agora" }).click();
  await said("Perdida: o envio começa quando a conexão puder enviar");
  await card(page, "Com falhas").getByRole("button", { name: "Reenviar falhas (2)" }).click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Reenviar" }).click();
  await said("Com falhas (reenvio) criada: o envio começa quando a conexão puder enviar");
});

test("a running campaign is paused, goes on and is cancelled only after being asked @decision 10", async ({
  page,
}) => {
  const account = await newAccount(page);
  const up = await heldConnection(rows.db, account, "connected", "Matriz");
  const people = { sent: 612, pending: 638 };
  await campaignRow(rows.db, account, { name: "Black Friday", status: "sending", connectionId: up, people });
  await open(page);
  const black = card(page, "Black Friday");
  await black.getByRole("button", { name: "Pausar" }).click();
  await expect(black).toContainText("Envio pausado");
  await expect(black.getByRole("button", { name: "Continuar" })).toBeFocused();
  await black.getByRole("button", { name: "Continuar" }).click();
  await expect(black).toContainText("Em Andamento");

  await black.getByRole("button", { name: "Mais ações de Black Friday" }).click();
  await page.getByRole("menuitem", { name: "Cancelar envio" }).click();
  const asked = page.getByRole("alertdialog", { name: "Cancelar o envio de Black Friday?" });
  await expect(asked).toContainText("638 pessoas não recebem a mensagem.");
  // Uncertain or in flight: these may still get it.
  await sql`update campaign set pending_count = 636, waiting_count = 2 where account_id = ${account}::uuid`.execute(
    rows.db,
  );
  await page.reload();
  await black.getByRole("button", { name: "Mais ações de Black Friday" }).click();
  await page.getByRole("menuitem", { name: "Cancelar envio" }).click();
  await expect(asked).toContainText("638 pessoas não recebem a mensagem, a não ser que ela já tenha saído.");
  await expect(asked).toContainText("As 612 mensagens já enviadas continuam no histórico.");
  await expect(asked.getByRole("button", { name: "Voltar" })).toBeFocused();
  await asked.getByRole("button", { name: "Cancelar envio" }).click();
  await expect(asked).toBeHidden();
  await expect(black).toContainText("Cancelada");
  await expect(black.getByRole("link", { name: "Reutilizar" })).toBeVisible();
});

test("a draft is deleted only after being asked @decision 10", async ({ page }) => {
  const account = await newAccount(page);
  await campaignRow(rows.db, account, { name: "Sobra", status: "draft" });
  await open(page);
  await page.getByRole("button", { name: "Mais ações de Sobra" }).click();
  await page.getByRole("menuitem", { name: "Excluir rascunho" }).click();
  await page
    .getByRole("alertdialog", { name: "Excluir o rascunho Sobra?" })
    .getByRole("button", { name: "Excluir" })
    .click();
  await expect(page.getByRole("heading", { name: "Nenhuma campanha encontrada" })).toBeVisible();
});

test("failures stand there in the product's lines and can all be copied @spec 8.5 @decision 32", async ({
  page,
  context,
}) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  const account = await newAccount(page);
  await campaignRow(rows.db, account, { name: "Falhou", people: { error: 30 } });
  await open(page);
  const lines = page.getByRole("textbox", { name: "Falhas de envio de Falhou" });
  await expect(lines).toHaveValue(
    /^Falha ao enviar mensagem para 5511900000000: este número não tem WhatsApp\n/,
  );
  expect((await lines.inputValue()).split("\n")).toHaveLength(20);
  await pressSays(page.getByRole("button", { name: "copiar todas" }), "Copiado!");
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  expect(copied.trim().split("\n")).toHaveLength(30);
});

test("failures are sent again as a campaign of their own, after being asked", async ({ page }) => {
  const account = await newAccount(page);
  const up = await heldConnection(rows.db, account, "connected", "Matriz");
  const list = await listRow(rows.db, account, 3);
  await campaignRow(rows.db, account, {
    name: "Óculos",
    connectionId: up,
    listId: list,
    people: { read: 5, error: 14 },
  });
  await sql`insert into opt_out (account_id, phone, source)
    select ${account}::uuid, phone, 'manual' from delivery join campaign c on c.id = campaign_id
    where c.account_id = ${account}::uuid and delivery.status = ${DELIVERY.error} order by seq limit 2`.execute(
    rows.db,
  );
  await open(page);
  await card(page, "Óculos").getByRole("button", { name: "Reenviar falhas (12)" }).click();
  const asked = page.getByRole("alertdialog", { name: "Reenviar para 12 pessoas?" });
  await expect(asked).toContainText("Quem já recebeu em outro reenvio, ou não quer campanhas, também não.");
  await asked.getByRole("button", { name: "Reenviar" }).click();
  await expect(asked).toBeHidden();
  await expect(page.getByRole("article")).toHaveCount(2);
  await expect(page.getByRole("article").first()).toContainText("Reenvio de falhas");
});

test("a change made elsewhere appears by itself", async ({ page }) => {
  const account = await newAccount(page);
  const up = await heldConnection(rows.db, account, "connected", "Matriz");
  const id = await campaignRow(rows.db, account, {
    name: "Ao vivo",
    status: "sending",
    connectionId: up,
    people: { sent: 1, pending: 9 },
  });
  await open(page);
  await expect(card(page, "Ao vivo")).toContainText("Em Andamento");
  const answer = await page.request.post(`${product.url}/api/campaigns/${id}/pause`, {
    headers: { origin: product.url },
  });
  expect(answer.ok()).toBe(true);
  await expect(card(page, "Ao vivo")).toContainText("Pausada");
});

test("a day is typed by keyboard as it is meant, and the two of a period the wrong way round are turned", async ({
  page,
}) => {
  await campaignRow(rows.db, await newAccount(page), { name: "Aqui", people: { read: 1 } });
  await open(page, "?de=2026-11-20&ate=2026-11-25");
  const [from, to] = [page.getByLabel("De", { exact: true }), page.getByLabel("Até", { exact: true })];
  const shows = async (de: string, ate: string) => {
    await expect(page).toHaveURL(new RegExp(`\\?de=${de}&ate=${ate}$`));
    await expect(from).toHaveValue(de);
    await expect(to).toHaveValue(ate);
  };
  await shows("2026-11-20", "2026-11-25");
  await to.focus();
  await page.keyboard.type("12122026");
  await shows("2026-11-20", "2026-12-12");
  await to.fill("2026-10-10");
  await from.focus();
  await shows("2026-10-10", "2026-11-20");
  await open(page, "?de=2026-11-20&ate=2026-11-20");
  await to.fill("2026-11-11");
  await page.getByLabel("Status").focus();
  await shows("2026-11-11", "2026-11-20");
  await from.fill("2026-12-12");
  await page.getByLabel("Status").focus();
  await shows("2026-11-20", "2026-12-12");
});

test("a list that cannot be fetched says why and offers another try @spec 8.7 @decision 29", async ({
  page,
}) => {
  const account = await newAccount(page);
  await campaignRow(rows.db, account, { name: "Chegou", people: { read: 1 } });
  // Once the live-update stream is open the page refetches, and the error may vanish before the press.
  await page.route("**/api/events*", (route) => route.abort());
  await page.route("**/api/campaigns?*", (route) => route.abort());
  await page.route("**/api/campaigns", (route) => route.abort());
  await open(page);
  const error = page.getByRole("alert");
  await expect(error).toContainText("Erro ao buscar campanhas");
  await expect(error).toContainText("Seus envios não são afetados");
  await page.unroute("**/api/campaigns?*");
  await page.unroute("**/api/campaigns");
  await error.getByRole("button", { name: "Tentar novamente" }).click();
  await expect(card(page, "Chegou")).toBeVisible();
});

test("more campaigns than one page holds are fetched when asked for", async ({ page }) => {
  const account = await newAccount(page);
  await sql`insert into campaign (account_id, name, zone, nonce)
    select ${account}::uuid, 'Campanha ' || n, 'America/Sao_Paulo', 4000000 + n from generate_series(1, 30) n`.execute(
    rows.db,
  );
  await open(page);
  await expect(page.getByText("30 campanhas")).toBeVisible();
  await expect(page.getByRole("article")).toHaveCount(24);
  await page.getByRole("button", { name: "Carregar mais campanhas" }).click();
  await expect(page.getByRole("article")).toHaveCount(30);
  await expect(page.getByRole("button", { name: "Carregar mais campanhas" })).toHaveCount(0);
});

test("a list of more pages than its address tells is read on all the same", async ({ page }) => {
  const account = await newAccount(page);
  await sql`insert into campaign (account_id, name, zone, nonce)
    select ${account}::uuid, 'Campanha ' || n, 'America/Sao_Paulo', 5000000 + n from generate_series(1, 42) n`.execute(
    rows.db,
  );
  await page.route(/\/api\/campaigns(\?|$)/, (route) => {
    const url = new URL(route.request().url());
    url.searchParams.set("limit", "1");
    return route.continue({ url: url.href });
  });
  await open(page, "?pagina=40");
  await expect(page.getByRole("article")).toHaveCount(40);
  const more = page.getByRole("button", { name: "Carregar mais campanhas" });
  for (const count of [41, 42]) {
    await more.click();
    await expect(page.getByRole("article")).toHaveCount(count);
  }
  await expect(more).toHaveCount(0);
});

test("26.15 a campaign that is over is archived and brought back, and deleted after a question that says what is lost", async ({
  page,
}) => {
  const account = await newAccount(page);
  const connectionId = await heldConnection(rows.db, account, "connected", "Matriz");
  await campaignRow(rows.db, account, { name: "Fica", people: { read: 1 }, connectionId });
  await campaignRow(rows.db, account, { name: "Vai", people: { read: 1, sent: 2, error: 1 }, connectionId });
  await open(page);
  const choose = async (entry: string) => {
    await card(page, "Vai").getByRole("button", { name: "Mais ações de Vai" }).click();
    await page.getByRole("menuitem", { name: entry }).click();
  };
  await choose("Arquivar");
  await expect(card(page, "Vai")).toHaveCount(0);
  await page.getByRole("button", { name: "Desfazer" }).click();
  await expect(card(page, "Vai")).toBeVisible();
  await choose("Arquivar");
  await expect(card(page, "Vai")).toHaveCount(0);
  await page.getByLabel("Status").selectOption({ label: "Arquivadas" });
  await expect(page).toHaveURL(/arquivadas=true/);
  await expect(card(page, "Fica")).toHaveCount(0);
  await choose("Desarquivar");
  await expect(page.getByText("Nenhuma campanha está arquivada.")).toBeVisible();
  await page.getByRole("button", { name: "Ver todas" }).click();
  await choose("Excluir campanha");
  const asked = page.getByRole("alertdialog", { name: "Excluir a campanha Vai?" });
  await expect(asked).toContainText(
    "O texto e o que aconteceu com 4 pessoas se perdem, também nas conversas. As mensagens enviadas continuam no WhatsApp de quem recebeu e contam no uso do mês. As falhas não podem mais ser reenviadas.",
  );
  await asked.getByRole("button", { name: "Excluir" }).click();
  await expect(card(page, "Vai")).toHaveCount(0);
  await expect(card(page, "Fica")).toBeVisible();
});

test("26.15 campaigns stand as a list where it was chosen, and do so at the next visit", async ({ page }) => {
  const account = await newAccount(page);
  for (const name of ["Uma", "Outra"]) await campaignRow(rows.db, account, { name, people: { read: 1 } });
  await page.setViewportSize({ width: 1440, height: 900 });
  await open(page);
  const places = async () => [
    (await card(page, "Uma").boundingBox())?.x,
    (await card(page, "Outra").boundingBox())?.x,
  ];
  await expect(card(page, "Uma")).toBeVisible();
  expect(new Set(await places()).size).toBe(2);
  await page.getByRole("button", { name: "Lista", exact: true }).click();
  await expect.poll(async () => new Set(await places()).size).toBe(1);
  await page.reload();
  await expect(card(page, "Uma")).toBeVisible();
  expect(new Set(await places()).size).toBe(1);
});
