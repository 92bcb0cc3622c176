import { expect, type Page, test } from "@playwright/test";
import { sql } from "kysely";
import { campaignRow, listRow } from "../support/campaign-rows.ts";
import type { ProductServer } from "../support/server.ts";
import { confirmLook, createCampaign } from "./support/last-look.ts";
import { signUpUnseen } from "./support/person.ts";
import { accountOf, heldConnection, type ProductRows } from "./support/product-rows.ts";
import { startedFor } from "./support/started.ts";

let product: ProductServer;
let rows: ProductRows;

startedFor((started) => {
  ({ product, rows } = started);
});

async function office(page: Page) {
  const account = await accountOf(rows.db, await signUpUnseen(page, product.url));
  const matriz = await heldConnection(rows.db, account, "connected", "Matriz");
  const filial = await heldConnection(rows.db, account, "connected", "Filial");
  const listId = await listRow(rows.db, account, 3, "Clientes VIP");
  return { account, matriz, filial, listId };
}

const connection = (page: Page) => page.getByLabel("Conexão WhatsApp");
const list = (page: Page) => page.getByLabel("Lista de contatos");
const connectionGone = "A conexão desta campanha foi excluída. Escolha outra.";

test("a scheduled campaign whose connection and list were deleted says so, and goes through no other without a choice", async ({
  page,
}) => {
  const { account, matriz, filial, listId } = await office(page);
  const wall = new Date(Date.now() + 7 * 86_400_000).toISOString().slice(0, 10);
  const answer = await page.request.post(`${product.url}/api/campaigns`, {
    data: {
      name: "Natal",
      text: "Oi!",
      connectionId: filial,
      listId,
      intent: "create",
      schedule: { kind: "at", wall: `${wall}T10:00`, zone: "America/Sao_Paulo" },
    },
  });
  const { id } = (await answer.json()) as { id: number };
  await page.goto(`${product.url}/campaigns`);
  const card = page.getByRole("article", { name: "Natal" });
  await expect(card.getByText("Agendada", { exact: true })).toBeVisible();
  await expect(card.getByText("foi excluída")).toHaveCount(0);

  await sql`delete from connection where id = ${filial}`.execute(rows.db);
  expect((await page.request.delete(`${product.url}/api/contact-lists/${listId}`)).status()).toBe(200);
  const other = await listRow(rows.db, account, 2, "Outros");
  await page.reload();
  await expect(card).toContainText(
    "A conexão Filial foi excluída. A lista Clientes VIP foi excluída. Edite a campanha e escolha outra, ou ela não começa na hora marcada.",
  );

  await card.getByRole("link", { name: "Editar" }).click();
  await expect(page.getByText(connectionGone)).toBeVisible();
  await list(page).selectOption("Outros (2)");
  for (const button of ["Salvar alterações", "Transformar em rascunho"]) {
    await page.getByRole("button", { name: button }).click();
    await expect(connection(page)).toBeFocused();
    await expect(page).toHaveURL(/campaigns\/new/);
  }
  await connection(page).selectOption("Matriz");
  await expect(page.getByText(connectionGone)).toHaveCount(0);
  await page.getByRole("button", { name: "Salvar alterações" }).click();
  await confirmLook(page);
  await expect(page).toHaveURL(`${product.url}/campaigns`);
  await expect(card.getByText("foi excluída")).toHaveCount(0);
  const { rows: stored } = await sql`select connection_id as connection, list_id as list, status from campaign
    where id = ${id}`.execute(rows.db);
  expect(stored).toEqual([{ connection: matriz, list: other, status: "scheduled" }]);
});

test("a campaign stopped by the limit whose list was deleted says so and offers no continuation", async ({
  page,
}) => {
  const { account, matriz, listId } = await office(page);
  const id = await campaignRow(rows.db, account, {
    name: "Natal",
    status: "paused",
    cause: "limit",
    listId,
    connectionId: matriz,
  });
  await sql`update campaign set started_at = null, list_name = 'Clientes VIP' where id = ${id}`.execute(
    rows.db,
  );
  await page.goto(`${product.url}/campaigns`);
  const card = page.getByRole("article", { name: "Natal" });
  await expect(card.getByRole("button", { name: "Continuar" })).toBeVisible();
  expect((await page.request.delete(`${product.url}/api/contact-lists/${listId}`)).status()).toBe(200);
  await page.reload();
  await expect(card).toContainText(
    "A lista Clientes VIP foi excluída. Cancele este envio e, com Reutilizar, escolha outra.",
  );
  await expect(card.getByRole("button", { name: "Continuar" })).toHaveCount(0);
});

test("a missed campaign whose list was deleted says so and offers no sending", async ({ page }) => {
  const { account, matriz, listId } = await office(page);
  const at = new Date(Date.now() - 3 * 3_600_000);
  const id = await campaignRow(rows.db, account, {
    name: "Natal",
    status: "paused",
    cause: "missed",
    listId,
    connectionId: matriz,
    scheduledAt: at,
  });
  await sql`update campaign set started_at = null, list_name = 'Clientes VIP' where id = ${id}`.execute(
    rows.db,
  );
  await page.goto(`${product.url}/campaigns`);
  const card = page.getByRole("article", { name: "Natal" });
  await expect(card.getByRole("button", { name: "Confirmar" })).toBeVisible();
  expect((await page.request.delete(`${product.url}/api/contact-lists/${listId}`)).status()).toBe(200);
  await page.reload();
  await expect(card).toContainText(
    "A lista Clientes VIP foi excluída. Cancele este envio e, com Reutilizar, escolha outra.",
  );
  await expect(card.getByRole("button", { name: "Confirmar" })).toHaveCount(0);
});

test("nor does one whose connection was deleted offer to be sent through none", async ({ page }) => {
  const { account, matriz, listId } = await office(page);
  const at = new Date(Date.now() - 3 * 3_600_000);
  const id = await campaignRow(rows.db, account, {
    name: "Páscoa",
    status: "paused",
    cause: "missed",
    listId,
    connectionId: matriz,
    scheduledAt: at,
  });
  await sql`update campaign set started_at = null, connection_name = 'Matriz' where id = ${id}`.execute(
    rows.db,
  );
  await page.goto(`${product.url}/campaigns`);
  const card = page.getByRole("article", { name: "Páscoa" });
  await expect(card.getByRole("button", { name: "Confirmar" })).toBeVisible();
  await sql`delete from connection where id = ${matriz}`.execute(rows.db);
  await page.reload();
  await expect(card).toContainText(
    "A conexão Matriz foi excluída. Cancele este envio e, com Reutilizar, escolha outra.",
  );
  await expect(card.getByRole("button", { name: "Confirmar" })).toHaveCount(0);
});

test("a copy of a campaign whose connection is gone asks for another one", async ({ page }) => {
  const { account, filial, listId } = await office(page);
  const id = await campaignRow(rows.db, account, { name: "Outubro", listId, people: { read: 3 } });
  await sql`update campaign set connection_name = 'Filial' where id = ${id}`.execute(rows.db);
  await sql`delete from connection where id = ${filial}`.execute(rows.db);
  await page.goto(`${product.url}/campaigns/new?reutilizar=${id}`);
  await expect(page.getByText(connectionGone)).toBeVisible();
  await connection(page).selectOption("Conexão padrão (Matriz)");
  await createCampaign(page);
  await expect(page).toHaveURL(`${product.url}/campaigns`);
});

test("a list that another window deletes is missed in the open form", async ({ page }) => {
  const { listId } = await office(page);
  await page.goto(`${product.url}/campaigns/new`);
  await list(page).selectOption("Clientes VIP (3)");
  await expect(page.getByText("3 contatos receberão a mensagem")).toBeVisible();
  const preview = page.getByRole("complementary", { name: "Pré-visualização" });
  await expect(preview).toContainText("+55");
  expect((await page.request.delete(`${product.url}/api/contact-lists/${listId}`)).status()).toBe(200);
  await expect(page.getByText("A lista escolhida foi excluída. Escolha outra.")).toBeVisible();
  await expect(preview).not.toContainText("+55");
  await expect(preview).toContainText("Nome do contato");
});

test("opted-out people are not counted as recipients", async ({ page }) => {
  const { account, listId } = await office(page);
  for (const phone of ["5511900000000", "5511900000002"])
    await sql`insert into opt_out (account_id, phone, source) values (${account}::uuid, ${phone}::bigint, 'manual')`.execute(
      rows.db,
    );
  await page.goto(`${product.url}/campaigns/new`);
  await list(page).selectOption(String(listId));
  await expect(page.getByText("1 contato receberá a mensagem")).toBeVisible();
  await expect(
    page.getByText("2 contatos da lista não querem receber campanhas e ficam de fora."),
  ).toBeVisible();
  await expect(page.getByRole("listitem").filter({ hasText: "Pessoa 0" })).toContainText(
    "Não quer campanhas",
  );
  await expect(page.getByText("1 mensagem, 1 min.")).toBeVisible();
  expect((await page.request.delete(`${product.url}/api/opt-outs/5511900000002`)).status()).toBe(200);
  await expect(page.getByText("2 contatos receberão a mensagem")).toBeVisible();
  await expect(page.getByText("1 contato da lista não quer receber campanhas e fica de fora.")).toBeVisible();
});

test("a list is not deleted without a word about the campaigns that wait for it, or are under way", async ({
  page,
}) => {
  const { account, listId, matriz: connectionId } = await office(page);
  const others = await listRow(rows.db, account, 2, "Outros");
  const people = { sent: 1, pending: 1 };
  await campaignRow(rows.db, account, { status: "sending", listId: others, connectionId, people });
  const at = new Date(Date.now() + 86_400_000);
  await campaignRow(rows.db, account, { status: "scheduled", listId, scheduledAt: at });
  await campaignRow(rows.db, account, { status: "draft", listId });
  await page.goto(`${product.url}/contacts`);
  await page.getByRole("button", { name: "Excluir Lista: Clientes VIP" }).click();
  const asked = page.getByRole("alertdialog", {
    name: "Tem certeza que deseja excluir esta lista de contatos?",
  });
  await expect(asked).toContainText("1 campanha agendada usa esta lista e não começa sem ela.");
  await asked.getByRole("button", { name: "Cancelar" }).click();
  const missed = await campaignRow(rows.db, account, { status: "paused", cause: "missed", listId });
  await sql`update campaign set started_at = null where id = ${missed}`.execute(rows.db);
  await campaignRow(rows.db, account, { status: "paused", cause: "user", listId, people: { pending: 1 } });
  await page.getByRole("button", { name: "Excluir Lista: Clientes VIP" }).click();
  await expect(asked).toContainText("2 campanhas que ainda não começaram usam esta lista");
  await asked.getByRole("button", { name: "Cancelar" }).click();
  await page.getByRole("button", { name: "Excluir Lista: Outros" }).click();
  await expect(asked).toContainText("Os 2 contatos saem da lista «Outros»");
  // The deletion cannot be confirmed before the waiting campaigns are known.
  await expect(asked.getByRole("button", { name: "Excluir", exact: true })).toBeEnabled();
  await expect(asked).toContainText("1 campanha em andamento continua enviando a estes contatos até ser");
  await expect(asked).not.toContainText(/usam? esta lista/);
});

test("failures that go out through another connection than before are not sent without a word about it", async ({
  page,
}) => {
  const { account, matriz: connectionId } = await office(page);
  const people = { read: 1, error: 2 };
  const id = await campaignRow(rows.db, account, { name: "Óculos", connectionId, people });
  await sql`update campaign set connection_name = 'Matriz' where id = ${id}`.execute(rows.db);
  await page.goto(`${product.url}/campaigns`);
  const button = page.getByRole("button", { name: "Reenviar falhas (2)" });
  const asked = page.getByRole("alertdialog", { name: "Reenviar para 2 pessoas?" });
  await button.click();
  await expect(asked).toBeVisible();
  await expect(asked).not.toContainText("excluída");
  // The list is deleted while the request is pending: nothing is sent, and the question is updated.
  await page.route(
    /\/resend-failures/,
    async (route) => {
      await sql`delete from connection where id = ${connectionId}`.execute(rows.db);
      await route.continue();
    },
    { times: 1 },
  );
  const press = asked.getByRole("button", { name: "Reenviar" });
  await press.click();
  await expect(asked).toContainText("Esta campanha foi alterada depois que você a abriu.");
  await expect(asked).toContainText("A conexão Matriz foi excluída: o reenvio sai pela conexão padrão.");
  await press.click();
  await expect(page.getByText("Óculos (reenvio) criada: o envio começa agora")).toBeVisible();
});
