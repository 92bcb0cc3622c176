import { expect, type Page, type Route, test } from "@playwright/test";
import { sql } from "kysely";
import { type Evolution, startEvolution } from "../../simulators/evolution/evolution.ts";
import { type MistralStandIn, startMistral } from "../../simulators/mistral/stand-in.ts";
import { madeThere } from "../support/calls-there.ts";
import { campaignRow, listRow } from "../support/campaign-rows.ts";
import { type ProductServer, startProduct } from "../support/server.ts";
import { fillInstance, newName, openScreen, register, WHERE } from "./support/evolution-screen.ts";
import { signUpUnseen } from "./support/person.ts";
import { accountOf, heldConnection, type ProductRows, productRows } from "./support/product-rows.ts";

let gateway: Evolution;
let mistral: MistralStandIn;
let product: ProductServer;
let rows: ProductRows;

test.beforeAll(async () => {
  [gateway, mistral] = [await startEvolution(), await startMistral()];
  product = await startProduct({ env: { RECADO_PRIVATE_HOSTS: new URL(gateway.url).hostname } });
  rows = await productRows(product);
});
test.afterAll(async () => {
  await rows.close();
  await product.close();
  await mistral.stop();
  await gateway.close();
});

const account = async (page: Page) => accountOf(rows.db, await signUpUnseen(page, product.url));

const overtake = (page: Page, method: string, url: string) =>
  page.route(url, async (route) => {
    if (route.request().method() === method) await route.fetch();
    return route.continue();
  });

const loseAnswer = (page: Page, method: string, url: string) =>
  page.route(url, async (route) => {
    if (route.request().method() !== method) return route.continue();
    await route.fetch();
    return route.abort();
  });

async function confirm(page: Page, verb: string) {
  const question = page.getByRole("alertdialog");
  await question.getByRole("button", { name: verb }).click();
  await expect(question).toBeHidden();
}

test("a list whose deletion was not heard of is deleted when that is pressed again", async ({ page }) => {
  await listRow(rows.db, await account(page), 3, "Clientes");
  await page.goto(`${product.url}/contacts`);
  await loseAnswer(page, "DELETE", "**/api/contact-lists/*");
  await page.getByRole("button", { name: "Excluir Lista: Clientes" }).click();
  const question = page.getByRole("alertdialog");
  await question.getByRole("button", { name: "Excluir" }).click();
  await expect(question.getByRole("alert")).toContainText("O servidor não respondeu.");
  await page.unrouteAll();
  await confirm(page, "Excluir");
  await expect(page.getByText("Lista «Clientes» excluída, 3 contatos")).toBeVisible();
  await expect(page.getByText("Nenhuma lista de contatos")).toBeVisible();
});

test("a draft that another window has deleted is deleted, and a campaign that it has cancelled is cancelled", async ({
  page,
}) => {
  const me = await account(page);
  await campaignRow(rows.db, me, { name: "Natal", status: "draft" });
  await campaignRow(rows.db, me, { name: "Páscoa", status: "paused", cause: "user", people: { pending: 2 } });
  await page.goto(`${product.url}/campaigns`);
  const card = (name: string) => page.getByRole("article", { name });
  const ask = async (name: string, what: string) => {
    await card(name)
      .getByRole("button", { name: `Mais ações de ${name}` })
      .click();
    await page.getByRole("menuitem", { name: what }).click();
  };
  await overtake(page, "DELETE", "**/api/campaigns/*");
  await ask("Natal", "Excluir rascunho");
  await confirm(page, "Excluir");
  await expect(page.getByText("Rascunho Natal excluído")).toBeVisible();
  await expect(card("Natal")).toHaveCount(0);

  await overtake(page, "POST", "**/api/campaigns/*/cancel");
  await ask("Páscoa", "Cancelar envio");
  await confirm(page, "Cancelar envio");
  await expect(page.getByText("Páscoa: envio cancelado")).toBeVisible();
  await expect(card("Páscoa")).toContainText("Cancelada");
});

test("a campaign that another window has paused, continued or confirmed is so", async ({ page }) => {
  const me = await account(page);
  const connectionId = await heldConnection(rows.db, me, "connected", "Matriz");
  const away = await heldConnection(rows.db, me, "disconnected", "Filial");
  const people = { pending: 2 } as const;
  const started = (name: string, at: number, status: string, cause: string | null = null) =>
    campaignRow(rows.db, me, { name, status, cause, connectionId: at, people });
  await started("Natal", connectionId, "sending");
  await started("Páscoa", connectionId, "paused", "user");
  await started("Outono", away, "paused", "user");
  await started("Inverno", connectionId, "paused", "missed");
  const scheduledAt = new Date(Date.now() + 86_400_000);
  const restored = { name: "Verão", status: "paused", cause: "restored", connectionId, scheduledAt, people };
  const waiting = await campaignRow(rows.db, me, restored);
  await sql`update campaign set started_at = null where id = ${waiting}`.execute(rows.db);
  await page.goto(`${product.url}/campaigns`);
  const card = (name: string) => page.getByRole("article", { name });

  await overtake(page, "POST", "**/api/campaigns/*/pause");
  await card("Natal").getByRole("button", { name: "Pausar" }).click();
  await expect(page.getByText("Natal: envio pausado")).toBeVisible();
  await expect(card("Natal")).toContainText("Pausada");

  await overtake(page, "POST", "**/api/campaigns/*/resume");
  await card("Páscoa").getByRole("button", { name: "Continuar" }).click();
  await expect(page.getByText("Páscoa: o envio continua", { exact: true })).toBeVisible();
  await card("Outono").getByRole("button", { name: "Continuar" }).click();
  await expect(page.getByText("Outono: o envio continua quando a conexão puder enviar")).toBeVisible();

  await card("Verão").getByRole("button", { name: "Continuar" }).click();
  await expect(page.getByText("Verão: o envio espera de novo pela hora marcada")).toBeVisible();
  await expect(card("Verão")).toContainText("Agendada");

  await overtake(page, "POST", "**/api/campaigns/*/confirm");
  await card("Inverno").getByRole("button", { name: "Confirmar" }).click();
  await confirm(page, "Enviar agora");
  await expect(page.getByText("Inverno: o envio começou")).toBeVisible();
});

test("a doubt that another window has decided alike is decided, and one decided otherwise says so", async ({
  page,
}) => {
  const me = await account(page);
  const connectionId = await heldConnection(rows.db, me, "connected", "Matriz");
  const id = await campaignRow(rows.db, me, { name: "Natal", connectionId, people: { uncertain: 4 } });
  await page.goto(`${product.url}/campaigns?detalhes=${id}&status=uncertain`);
  const doubts = page.getByRole("dialog").getByRole("button", { name: /^Resolver o envio/ });
  const decide = async (person: number, what: string) => {
    await expect(doubts).toHaveCount(4 - person);
    await page.getByRole("button", { name: `Resolver o envio para Pessoa ${person}` }).click();
    await page.getByRole("menuitem", { name: what }).click();
  };
  await overtake(page, "POST", "**/deliveries/*/*");
  await decide(0, "Marcar como enviado");
  await expect(page.getByText("Envio para Pessoa 0 marcado como enviado")).toBeVisible();
  await decide(1, "Ignorar");
  await expect(page.getByText("Envio para Pessoa 1 ignorado")).toBeVisible();
  await decide(2, "Reenviar mesmo assim");
  await confirm(page, "Reenviar mesmo assim");
  await expect(page.getByText("A mensagem para Pessoa 2 será enviada de novo")).toBeVisible();

  await page.unrouteAll();
  await page.route("**/deliveries/*/ignore*", async (route) => {
    await route.fetch({ url: route.request().url().replace("/ignore", "/mark-sent") });
    return route.continue();
  });
  await decide(3, "Ignorar");
  await expect(page.getByText("Este envio já foi resolvido.")).toBeVisible();
});

test("a question answered in another window closes", async ({ page }) => {
  const me = await account(page);
  await heldConnection(rows.db, me, "connected", "Filial");
  const connectionId = await heldConnection(rows.db, me, "connected", "Matriz");
  const listId = await listRow(rows.db, me, 3);
  const ended = await campaignRow(rows.db, me, {
    name: "Óculos",
    connectionId,
    listId,
    people: { read: 1, error: 3 },
  });
  const headers = { origin: product.url };
  const question = page.getByRole("alertdialog");
  await page.goto(`${product.url}/campaigns`);
  const resend = page.getByRole("button", { name: "Reenviar falhas (3)" });
  await resend.click();
  await expect(question).toContainText("Reenviar para 3 pessoas?");
  await page.request.post(`${product.url}/api/campaigns/${ended}/resend-failures`, { headers });
  await expect(question).toBeHidden();
  await expect(page.getByRole("article")).toHaveCount(2);
  await expect(resend).toHaveCount(0);

  await page.goto(`${product.url}/whatsapp/connections`);
  await page.getByRole("button", { name: "Ações de Filial" }).click();
  await page.getByRole("menuitem", { name: "Desconectar" }).click();
  await expect(question).toContainText("Desconectar Filial?");
  await sql`update connection set desired = 'disconnected', state = 'disconnected', state_reason = 'disconnected_by_user'
    where account_id = ${me}::uuid and name = 'Filial'`.execute(rows.db);
  await page.request.post(`${product.url}/api/connections/${connectionId}/default`, { headers });
  await expect(question).toBeHidden();
  await expect(page.getByRole("button", { name: "Ações de Filial" })).toBeFocused();
});

test("what was agreed to stays to be read when its answer is lost, and is done once", async ({ page }) => {
  const me = await account(page);
  const connectionId = await heldConnection(rows.db, me, "connected", "Matriz");
  const listId = await listRow(rows.db, me, 3);
  await campaignRow(rows.db, me, { name: "Óculos", connectionId, listId, people: { read: 1, error: 3 } });
  await page.goto(`${product.url}/campaigns`);
  await loseAnswer(page, "POST", "**/resend-failures*");
  await page.getByRole("button", { name: "Reenviar falhas (3)" }).click();
  const question = page.getByRole("alertdialog");
  await question.getByRole("button", { name: "Reenviar" }).click();
  await expect(question.getByRole("alert")).toContainText("O servidor não respondeu.");
  await expect(page.getByText("Reenviar falhas (3)")).toHaveCount(0);
  await expect(question).toContainText("Reenviar para 3 pessoas?");
  await page.unrouteAll();
  await confirm(page, "Reenviar");
  await expect(page.getByRole("article")).toHaveCount(2);
});

test("a connection that another window has deleted is disconnected, and deleted", async ({ page }) => {
  const me = await account(page);
  await heldConnection(rows.db, me, "connected", "Filial");
  await heldConnection(rows.db, me, "connected", "Matriz");
  await page.goto(`${product.url}/whatsapp/connections`);
  const ask = async (name: string, what: string) => {
    await page.getByRole("button", { name: `Ações de ${name}` }).click();
    await page.getByRole("menuitem", { name: what, exact: true }).click();
  };
  // Their lanes have no owner here: a deletion would wait.
  const removed = (name: string) => async (route: Route) => {
    await sql`update connection set desired = 'removed' where account_id = ${me}::uuid and name = ${name}`.execute(
      rows.db,
    );
    return route.continue();
  };
  await page.route("**/api/whatsapp/session/*", removed("Filial"));
  await ask("Filial", "Desconectar");
  await page.getByRole("alertdialog").getByRole("button", { name: "Desconectar" }).click();
  await expect(page.getByText("Filial desconectada")).toBeVisible();
  await expect(page.getByRole("button", { name: "Ações de Filial" })).toHaveCount(0);

  await page.route("**/api/whatsapp/devices/*", removed("Matriz"));
  await ask("Matriz", "Excluir");
  await page.getByRole("alertdialog").getByRole("button", { name: "Excluir" }).click();
  await expect(page.getByText("Matriz excluída")).toBeVisible();
  await expect(page.getByText("Nenhuma conexão encontrada")).toBeVisible();
});

test("a person already let into campaigns by another window counts as let in", async ({ page }) => {
  await sql`insert into opt_out (account_id, phone, source) values (${await account(page)}::uuid, 5531987654321, 'manual')`.execute(
    rows.db,
  );
  await page.goto(`${product.url}/contacts`);
  await overtake(page, "DELETE", "**/api/opt-outs/*");
  await page.getByRole("button", { name: "Descadastrados (1)" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: /^Permitir de novo/ }).click();
  await expect(page.getByText("+55 31 98765-4321 pode receber campanhas de novo")).toBeVisible();
  await expect(dialog.getByText("Ninguém pediu para sair.")).toBeVisible();
  await expect(dialog.getByRole("alert")).toHaveCount(0);

  await dialog.getByLabel("Não enviar campanhas para").fill("31 98765-0001");
  await dialog.getByRole("button", { name: "Adicionar" }).click();
  await page.getByRole("button", { name: "Desfazer" }).click();
  await expect(page.getByText("+55 31 98765-0001 pode receber campanhas de novo")).toBeVisible();
  await expect(dialog.getByText("Ninguém pediu para sair.")).toBeVisible();
});

test("an assistant that another window has taken away is away, and a bot that it has deleted is gone", async ({
  page,
}) => {
  const id = await heldConnection(rows.db, await account(page), "connected", "Matriz");
  const key = { apiKey: mistral.keys[0], baseUrl: mistral.url };
  await page.request.put(`${product.url}/api/mistral/settings`, { data: key });
  const make = async (name: string) => {
    const data = { name, instructions: "Você responde sobre óculos." };
    const made = await page.request.post(`${product.url}/api/mistral/agents`, { data });
    return ((await made.json()) as { id: string }).id;
  };
  const [agentId] = [await make("Clara"), await make("Davi")];
  await page.request.put(`${product.url}/api/connections/${id}/assistant`, { data: { agentId } });

  await page.goto(`${product.url}/whatsapp/connections`);
  await overtake(page, "DELETE", "**/api/connections/*/assistant");
  await page.getByRole("button", { name: "Ações de Matriz" }).click();
  await page.getByRole("menuitem", { name: "Assistente" }).click();
  const linked = page.getByRole("dialog", { name: "Assistente" }).getByRole("region", { name: "Clara" });
  await linked.getByRole("button", { name: "Remover" }).click();
  await expect(page.getByText("Assistente removido")).toBeVisible();
  await expect(linked).toHaveCount(0);

  await page.goto(`${product.url}/chatbot`);
  await overtake(page, "DELETE", "**/api/mistral/agents/*");
  await page.getByRole("button", { name: "Excluir: Clara" }).click();
  await confirm(page, "Excluir");
  await expect(page.getByRole("button", { name: /^Excluir: / })).toHaveAccessibleName("Excluir: Davi");
});

test("an instance deleted at its server goes, and so does a server deleted in another window", async ({
  page,
}) => {
  const name = newName("alheia");
  await madeThere(gateway, name);
  await openScreen(page, product);
  await register(page, gateway);
  await overtake(page, "DELETE", "**/api/gateways/*/instances/*");
  await page.getByRole("button", { name: `Excluir ${name}` }).click();
  await confirm(page, "Excluir");
  await expect(page.getByRole("article", { name })).toHaveCount(0);

  await overtake(page, "DELETE", "**/api/gateways/*");
  await page.getByRole("button", { name: `Ações de ${WHERE}` }).click();
  await page.getByRole("menuitem", { name: "Excluir" }).click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Excluir" }).click();
  await expect(page.getByText(`${WHERE} excluída`)).toBeVisible();
  await expect(page.getByText("Nenhuma evolution cadastrada.")).toBeVisible();
});

test("a server, and an instance, whose making was not heard of is there when that is pressed again", async ({
  page,
}) => {
  await openScreen(page, product);
  await loseAnswer(page, "POST", "**/api/gateways");
  await page.getByRole("button", { name: "Cadastrar evolution" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("URL").fill(gateway.url);
  await dialog.getByLabel("API Key", { exact: true }).fill(gateway.apiKey);
  await dialog.getByLabel("Nome").fill(WHERE);
  await dialog.getByRole("button", { name: "Cadastrar" }).click();
  await expect(dialog.getByRole("alert")).toContainText("O servidor não respondeu.");
  await page.unrouteAll();
  await dialog.getByRole("button", { name: "Cadastrar" }).click();
  await expect(page.getByText(`${WHERE} cadastrada`)).toBeVisible();
  await expect(dialog).toBeHidden();

  const name = newName("de-novo");
  await loseAnswer(page, "POST", "**/api/gateways/*/instances");
  const form = await fillInstance(page, name);
  await form.getByRole("button", { name: "Criar instância" }).click();
  await expect(form.getByRole("alert")).toContainText("O servidor não respondeu.");
  await page.unrouteAll();
  await form.getByRole("button", { name: "Criar instância" }).click();
  await expect(page.getByRole("dialog", { name: "Escaneie o QR Code" })).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(page.getByRole("article", { name })).toHaveCount(1);
  expect(gateway.world.instances().filter((each) => each === name)).toEqual([name]);
});
