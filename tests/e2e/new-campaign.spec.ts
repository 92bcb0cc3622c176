import { expect, type Page, test } from "@playwright/test";
import { sql } from "kysely";
import sharp from "sharp";
import { campaignRow, listRow } from "../support/campaign-rows.ts";
import type { ProductServer } from "../support/server.ts";
import { heldAnswer } from "./support/held-answer.ts";
import { confirmLook, createCampaign, lastLook } from "./support/last-look.ts";
import { signUpUnseen } from "./support/person.ts";
import { accountOf, heldConnection, type ProductRows } from "./support/product-rows.ts";
import { startedFor } from "./support/started.ts";

let product: ProductServer;
let rows: ProductRows;

startedFor((started) => {
  ({ product, rows } = started);
});

async function openForm(page: Page, state = "connected") {
  const account = await accountOf(rows.db, await signUpUnseen(page, product.url));
  const connectionId = await heldConnection(rows.db, account, state, "Matriz – Centro");
  const listId = await listRow(rows.db, account, 480, "Clientes VIP");
  await page.goto(`${product.url}/campaigns/new`);
  await expect(page.getByRole("heading", { level: 1, name: "Nova Campanha" })).toBeVisible();
  return { account, connectionId, listId };
}

const name = (page: Page) => page.getByLabel("Nome da campanha");
const text = (page: Page) => page.getByRole("textbox", { name: "Texto" });
const list = (page: Page) => page.getByLabel("Lista de contatos");
const date = (page: Page) => page.getByLabel("Data", { exact: true });
const time = (page: Page) => page.getByLabel("Hora", { exact: true });
const create = (page: Page) => page.getByRole("button", { name: "Criar Campanha" });
const saveDraft = (page: Page) => page.getByRole("button", { name: "Salvar Rascunho" });
const preview = (page: Page) => page.getByRole("complementary", { name: "Pré-visualização" });
const card = (page: Page, title: string) => page.getByRole("article", { name: title, exact: true });

async function fill(page: Page, title = "Black Friday") {
  await name(page).fill(title);
  await text(page).fill("Oi, {nome}! *40%* até domingo.");
  await list(page).selectOption("Clientes VIP (480)");
}

async function campaignsOf(account: string) {
  const { rows: found } = await sql<{ name: string; status: string; scheduled_at: Date | null }>`
    select name, status, scheduled_at from campaign where account_id = ${account}::uuid`.execute(rows.db);
  return found;
}

test("the chosen list shows how many it has and its first five @spec 2.6,2.45,9.7", async ({ page }) => {
  await openForm(page);
  const late = await heldAnswer(page, /\/api\/contact-lists\/\d+$/);
  await list(page).selectOption("Clientes VIP (480)");
  await late.asked;
  await expect(page.getByText("5 primeiros")).toBeVisible();
  await expect(page.getByText("receberão a mensagem")).toHaveCount(0);
  late.answer();
  await expect(page.getByText("480 contatos receberão a mensagem")).toBeVisible();
  const shown = page.getByRole("main").getByRole("listitem").filter({ hasText: "+55" });
  await expect(shown).toHaveCount(5);
  await expect(shown.first()).toContainText("Pessoa 0");
  await expect(shown.last()).toContainText("Pessoa 4");
  await expect(page.getByLabel("Intervalo entre mensagens")).toHaveValue("60");
});

test("errors are said in place, the first one has the keyboard, and nothing typed is lost @spec 2.43,5.3", async ({
  page,
}) => {
  await openForm(page);
  await create(page).click();
  await expect(name(page)).toBeFocused();
  await expect(name(page)).toHaveAccessibleDescription("Preencha este campo.");
  await expect(text(page)).toHaveAccessibleDescription("Escreva a mensagem.");
  await expect(list(page)).toHaveAccessibleDescription("Escolha uma lista de contatos.");
  await name(page).fill("Natal");
  await expect(page.getByText("Preencha este campo.")).toHaveCount(0);

  await page.getByText("Agendado", { exact: true }).click();
  await create(page).click();
  await expect(text(page)).toBeFocused();
  await text(page).fill("a".repeat(4097));
  await expect(text(page)).toHaveAccessibleDescription("Use no máximo 4.096 caracteres.");
  await text(page).fill("Oi");
  await list(page).selectOption({ index: 1 });
  await create(page).click();
  await expect(date(page)).toBeFocused();
  await date(page).fill("2020-01-01");
  await time(page).fill("08:00");
  await expect(date(page)).toHaveAccessibleDescription("A data do envio já passou.");
  const interval = page.getByLabel("Intervalo entre mensagens");
  await interval.fill("1,5");
  await interval.blur();
  await expect(interval).toHaveAccessibleDescription(/^Use um número inteiro de segundos/);
  await expect(name(page)).toHaveValue("Natal");
});

test("a draft needs a name alone, opens as itself, and becomes a campaign @spec 1.1,2.48 @decision 10", async ({
  page,
}) => {
  const { account } = await openForm(page);
  await name(page).fill("Volta às aulas");
  const first = await heldAnswer(page, /\/api\/campaigns$/);
  await saveDraft(page).click();
  await first.asked;
  await text(page).fill("Oi, {nome}!");
  first.answer();
  await expect(page.getByText("Rascunho salvo")).toBeVisible();
  await expect(page.getByRole("heading", { level: 1, name: "Continuar rascunho" })).toBeVisible();
  await expect(page.getByText("Recuperamos o que você tinha escrito.")).toBeVisible();
  await expect(name(page)).toHaveValue("Volta às aulas");
  await expect(text(page)).toHaveValue("Oi, {nome}!");
  const second = await heldAnswer(page, /\/api\/campaigns\/\d+$/);
  await saveDraft(page).click();
  await second.asked;
  await text(page).fill("Oi, {nome}! *Mochilas*");
  second.answer();
  await expect(saveDraft(page)).toBeEnabled();
  await expect(text(page)).toBeFocused();
  await saveDraft(page).click();
  await expect(page).toHaveURL(`${product.url}/campaigns`);
  await expect(card(page, "Volta às aulas").getByText("Mochilas", { exact: true })).toHaveRole("strong");
  await card(page, "Volta às aulas").getByRole("link", { name: "Continuar" }).click();
  await expect(text(page)).toHaveValue("Oi, {nome}! *Mochilas*");
  await list(page).selectOption("Clientes VIP (480)");
  await createCampaign(page);
  await expect(page.getByText("Campanha criada: o envio começa agora")).toBeVisible();
  await expect(card(page, "Volta às aulas")).toContainText("Em Andamento");
  expect(await campaignsOf(account)).toHaveLength(1);
});

test("a scheduled campaign goes out at the wall time of the account's zone, and can be changed @spec 1.1,2.46,4.5,9.4 @decision 12", async ({
  page,
}) => {
  const { account } = await openForm(page);
  await fill(page, "Natal antecipado");
  await page.getByText("Agendado", { exact: true }).click();
  await expect(page.getByText("Horário de Brasília")).toBeVisible();
  // A day in the future and within a year, whenever this runs.
  const wall = new Date(Date.now() + 30 * 86_400_000).toISOString().slice(0, 10);
  const [year, month, day] = wall.split("-");
  await date(page).fill(wall);
  await time(page).fill("08:00");
  await expect(page.getByText("480 mensagens, cerca de 8 horas.")).toBeVisible();
  await expect(
    page.getByText(new RegExp(`Começa .+, ${day}/${month}, às 08:00 e termina às 16:00\\.`)),
  ).toBeVisible();
  await createCampaign(page);
  await expect(
    page.getByText(new RegExp(`Campanha agendada para .+, ${day}/${month}, às 08:00`)),
  ).toBeVisible();
  const [stored] = await campaignsOf(account);
  expect(stored).toMatchObject({
    status: "scheduled",
    scheduled_at: new Date(`${wall}T11:00:00.000Z`),
  });

  // With two connections it belongs to none: it takes the default one at its start, perhaps shared with
  // another.
  await heldConnection(rows.db, account, "connected", "Unidade Savassi");
  await page.goto(`${product.url}/campaigns/new`);
  await fill(page, "Ano novo");
  await page.getByText("Agendado", { exact: true }).click();
  await date(page).fill(wall);
  await time(page).fill("07:00");
  await expect(
    page.getByText(/às 07:00 e, se nenhuma outra usar a conexão, termina às 15:00\./),
  ).toBeVisible();
  await page.goto(`${product.url}/campaigns`);

  const scheduled = card(page, "Natal antecipado");
  await expect(scheduled).toContainText(`${day}/${month}/${year} 08:00, horário de Brasília`);
  await scheduled.getByRole("link", { name: "Editar" }).click();
  await expect(date(page)).toHaveValue(`${day}/${month}/${year}`);
  await time(page).fill("09:30");
  await page.getByRole("button", { name: "Salvar alterações" }).click();
  await expect(lastLook(page)).toContainText(`${day}/${month}, às 09:30`);
  await confirmLook(page);
  await expect(card(page, "Natal antecipado")).toContainText(`${day}/${month}/${year} 09:30`);
  await card(page, "Natal antecipado").getByRole("link", { name: "Editar" }).click();
  await page.getByRole("button", { name: "Transformar em rascunho" }).click();
  await expect(card(page, "Natal antecipado")).toContainText("Rascunho");
  expect(await campaignsOf(account)).toHaveLength(1);
});

test("«Reutilizar» opens a copy with everything in it, and leaves the old one alone @spec 2.6,2.42 @decision 10", async ({
  page,
}) => {
  const { account, connectionId, listId } = await openForm(page);
  await campaignRow(rows.db, account, {
    name: "Outubro",
    text: "Como foi seu atendimento?",
    connectionId,
    listId,
    intervalS: 90,
    people: { read: 3 },
  });
  await page.goto(`${product.url}/campaigns`);
  await card(page, "Outubro").getByRole("link", { name: "Reutilizar" }).click();
  await expect(page.getByText("Cópia de Outubro")).toBeVisible();
  await expect(name(page)).toHaveValue("Outubro (cópia)");
  await expect(text(page)).toHaveValue("Como foi seu atendimento?");
  await expect(page.getByLabel("Conexão WhatsApp")).toHaveValue(String(connectionId));
  await expect(list(page)).toHaveValue(String(listId));
  await expect(page.getByLabel("Intervalo entre mensagens")).toHaveValue("90");
  await createCampaign(page);
  await expect(page.getByRole("article")).toHaveCount(2);
  await expect(card(page, "Outubro")).toContainText("Concluída");
});

test("the preview shows what each of the first contacts gets @spec 2.47", async ({ page }) => {
  await openForm(page);
  await expect(preview(page)).toContainText("Escreva a mensagem para ver como ela chega.");
  await text(page).fill("Oi, .");
  await text(page).press("ArrowLeft");
  await page.evaluate(() => Object.assign(window, { requestAnimationFrame: () => 0 }));
  await page.getByRole("button", { name: "Inserir {nome}" }).click();
  await expect(text(page)).toHaveValue("Oi, {nome}.");
  await expect(text(page)).toBeFocused();
  await page.keyboard.type("! *40%* até _domingo_");
  await expect(page.getByText("32 de 4.096 caracteres")).toBeVisible();
  await expect(preview(page)).toContainText("Oi, Nome do contato! 40% até domingo.");
  await expect(preview(page).getByRole("strong")).toHaveText("40%");
  await list(page).selectOption("Clientes VIP (480)");
  await expect(page.getByText("480 contatos receberão a mensagem")).toBeVisible();
  await expect(page.getByRole("listitem").filter({ hasText: "Pessoa" })).toHaveCount(5);
  await expect(preview(page)).toContainText("Oi, Pessoa 0!");
  await preview(page).getByRole("button", { name: "Próximo contato" }).click();
  await expect(preview(page)).toContainText("2 de 480");
  await expect(preview(page)).toContainText("Oi, Pessoa 1!");
  await expect(page.getByLabel("Quando o contato não tem nome")).toBeVisible();
});

test("a picture is shown before it is sent, refused ones say why, and it can be removed @spec 1.1,2.44,3.18,5.3", async ({
  page,
}) => {
  await openForm(page);
  await text(page).fill("Veja só");
  const picker = page.locator("input[type=file]");
  await picker.setInputFiles({ name: "nota.pdf", mimeType: "application/pdf", buffer: Buffer.from("%PDF") });
  await expect(page.getByText("Use uma imagem JPG, PNG ou WebP.")).toBeVisible();
  await picker.setInputFiles({ name: "falsa.png", mimeType: "image/png", buffer: Buffer.from("<html>") });
  await expect(page.getByText("Use uma imagem JPG, PNG ou WebP.")).toBeVisible();
  const buffer = await sharp({ create: { width: 400, height: 200, channels: 3, background: "teal" } })
    .png()
    .toBuffer();
  await picker.setInputFiles({ name: "promo.png", mimeType: "image/png", buffer });
  await expect(page.getByText("promo.png")).toBeVisible();
  await expect(page.getByText(/^400 × 200, /)).toBeVisible();
  await expect(page.getByText("7 de 1.024 caracteres")).toBeVisible();
  const shown = preview(page).getByRole("img", { name: "Imagem da campanha" });
  await expect(shown).toBeVisible();
  await expect.poll(() => shown.evaluate((node: HTMLImageElement) => node.naturalWidth)).toBe(400);
  await text(page).fill("a".repeat(1025));
  await create(page).click();
  await expect(text(page)).toHaveAccessibleDescription("Com imagem, o texto vai até 1.024 caracteres.");
  await page.getByRole("button", { name: "Remover imagem" }).press("Enter");
  await expect(shown).toHaveCount(0);
  await expect(page.getByRole("button", { name: "Escolher imagem" })).toBeFocused();
  await expect(page.getByText("1.025 de 4.096 caracteres")).toBeVisible();
});

test("short intervals and a connection that is down are warned of, not forbidden @spec 2.46,5.3,9.3 @decision 13,27", async ({
  page,
}) => {
  await openForm(page, "disconnected");
  await expect(page.getByText("Nenhuma conexão padrão. Escolha uma conexão.")).toBeVisible();
  await page.getByLabel("Conexão WhatsApp").selectOption("Matriz – Centro (não conectada)");
  await expect(page.getByText("A conexão Matriz – Centro não está conectada.")).toBeVisible();
  const interval = page.getByLabel("Intervalo entre mensagens");
  await expect(interval).toHaveValue("60");
  await interval.fill("30");
  await expect(page.getByText("Abaixo de 60 segundos, cresce o risco de bloqueio do número.")).toBeVisible();
  await interval.fill("0");
  await expect(page.getByText(/^Sem intervalo, as mensagens saem uma atrás da outra/)).toBeVisible();
  await fill(page, "Espera");
  await expect(page.getByText("480 mensagens, no ritmo da conexão.")).toBeVisible();
  await createCampaign(page);
  await expect(page.getByText("Campanha criada: o envio começa quando a conexão puder enviar")).toBeVisible();
  await expect(card(page, "Espera")).toContainText("Pausada");
  await expect(card(page, "Espera")).toContainText("O envio continua sozinho quando ela voltar.");
});

test("a number that comes back by itself is named as the one that a campaign without a choice waits for", async ({
  page,
}) => {
  const { account, connectionId } = await openForm(page, "connecting");
  const none = page.getByText("Nenhuma conexão padrão. Escolha uma conexão.");
  await expect(none).toBeVisible();
  await sql`update connection set state_reason = 'network', pairing = 'phone' where id = ${connectionId}`.execute(
    rows.db,
  );
  await page.reload();
  await expect(page.getByLabel("Conexão WhatsApp")).toContainText("Conexão padrão (Matriz – Centro)");
  await expect(page.getByText("A conexão Matriz – Centro não está conectada.")).toBeVisible();
  await expect(none).toHaveCount(0);
  await page.getByRole("button", { name: "Enviar teste" }).click();
  await expect(page.getByLabel("Número que recebe")).toBeVisible();
  await fill(page, "Volta logo");
  await createCampaign(page);
  await expect(card(page, "Volta logo")).toContainText("A conexão Matriz – Centro caiu");
  const { rows: stored } = await sql`select connection_id as through from campaign
    where account_id = ${account}::uuid`.execute(rows.db);
  expect(stored).toEqual([{ through: connectionId }]);
});

test("what shares the connection, or keeps it from sending, is said before a campaign is created", async ({
  page,
}) => {
  const { account, connectionId, listId } = await openForm(page);
  await list(page).selectOption("Clientes VIP (480)");
  await expect(page.getByText(/^480 mensagens, cerca de 8 horas\. Começa ao criar e termina /)).toBeVisible();
  await campaignRow(rows.db, account, { status: "sending", connectionId, listId, people: { pending: 500 } });
  await page.reload();
  await list(page).selectOption("Clientes VIP (480)");
  const shared = "480 mensagens, no ritmo da conexão, dividido com 1 campanha em andamento.";
  await expect(page.getByText(`${shared} Começa ao criar a campanha.`)).toBeVisible();
  const held = page.getByText("A conexão Matriz – Centro não está enviando agora.");
  await expect(held).toHaveCount(0);
  await sql`update connection set state_reason = 'timelocked' where id = ${connectionId}`.execute(rows.db);
  await page.reload();
  await list(page).selectOption("Clientes VIP (480)");
  await expect(held).toBeVisible();
  await expect(page.getByText(`${shared} Começa quando a conexão puder enviar.`)).toBeVisible();
  await fill(page, "Contida");
  await createCampaign(page);
  await expect(page.getByText("Campanha criada: o envio começa quando a conexão puder enviar")).toBeVisible();
});

test("a lost answer and a second press make one campaign, and what was typed survives a reload", async ({
  page,
}) => {
  const { account } = await openForm(page);
  await fill(page, "Uma só");
  await page.route("**/api/campaigns", async (route) => {
    if (route.request().method() !== "POST") return route.continue();
    await route.fetch();
    return route.abort();
  });
  await createCampaign(page);
  await expect(page.getByRole("alert")).toContainText("Não foi possível criar a campanha. Tente novamente.");
  await expect(text(page)).toHaveValue("Oi, {nome}! *40%* até domingo.");
  expect(await campaignsOf(account)).toHaveLength(1);
  await page.unrouteAll();

  await page.reload();
  await expect(page.getByText("Recuperamos o que você tinha escrito.")).toBeVisible();
  await expect(name(page)).toHaveValue("Uma só");
  await create(page).dblclick();
  await confirmLook(page);
  await expect(page).toHaveURL(`${product.url}/campaigns`);
  expect(await campaignsOf(account)).toHaveLength(1);
  await page.goto(`${product.url}/campaigns/new`);
  await expect(name(page)).toHaveValue("");
});

test("a campaign that has started is not opened for editing", async ({ page }) => {
  const { account, connectionId } = await openForm(page);
  const id = await campaignRow(rows.db, account, {
    name: "Já foi",
    status: "sending",
    connectionId,
    people: { sent: 1, pending: 2 },
  });
  await page.goto(`${product.url}/campaigns/new?rascunho=${id}`);
  await expect(page.getByText("Esta campanha já foi iniciada e não pode ser alterada.")).toBeVisible();
  await page.goto(`${product.url}/campaigns/new?rascunho=99999`);
  const gone = page.getByRole("alert").filter({ hasText: "Campanha não encontrada" });
  await expect(gone.getByRole("link", { name: "Ver campanhas" })).toBeVisible();
});

test("the connection is the default one until another is chosen, and «Voltar» leads back to the campaigns @spec 2.43,2.48,9.9 @decision 27", async ({
  page,
}) => {
  const { account, connectionId, listId } = await openForm(page);
  const connection = page.getByLabel("Conexão WhatsApp");
  await expect(connection).toHaveValue("default");
  await expect(connection.getByRole("option")).toHaveText([
    "Conexão padrão (Matriz – Centro)",
    "Matriz – Centro",
  ]);
  await fill(page, "Pela padrão");
  await createCampaign(page);
  await expect(card(page, "Pela padrão")).toContainText("Em Andamento");
  const made = () =>
    sql`select connection_id, list_id from campaign where account_id = ${account}::uuid`.execute(rows.db);
  // It is in progress at its start, and takes its connection then.
  await expect
    .poll(async () => (await made()).rows)
    .toEqual([{ connection_id: connectionId, list_id: listId }]);
  await page.goto(`${product.url}/campaigns/new`);
  await page.getByRole("link", { name: "Voltar", exact: true }).click();
  await expect(page).toHaveURL(`${product.url}/campaigns`);
});

test("an account without connections and lists is shown what is missing", async ({ page }) => {
  await signUpUnseen(page, product.url);
  await page.goto(`${product.url}/campaigns/new`);
  const main = page.getByRole("main");
  await expect(main.getByText("Nenhum número conectado ainda.")).toBeVisible();
  await expect(main.getByText("Nenhuma lista de contatos ainda.")).toBeVisible();
  await main.getByRole("link", { name: "Importar contatos" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "Contatos" })).toBeVisible();
});
