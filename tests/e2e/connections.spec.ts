import { expect, type Page, test } from "@playwright/test";
import { sql } from "kysely";
import { campaignRow } from "../support/campaign-rows.ts";
import type { ProductServer } from "../support/server.ts";
import { colourOf } from "./support/colours.ts";
import { signUp, signUpUnseen } from "./support/person.ts";
import { accountOf, heldConnection, type ProductRows } from "./support/product-rows.ts";
import { startedFor } from "./support/started.ts";

let product: ProductServer;
let rows: ProductRows;

startedFor((started) => {
  ({ product, rows } = started);
});

const row = (page: Page, name: string) => page.getByRole("listitem").filter({ hasText: name });

test("each connection shows name, number, coloured state and menu; an unknown state is raw and grey @spec 2.11,2.69,4.12 @decision 19", async ({
  page,
}) => {
  const account = await accountOf(rows.db, await signUpUnseen(page, product.url));
  const states = [
    ["Verde", "connected", "Conectado", "green"],
    ["Vermelha", "disconnected", "Desconectado", "red"],
    ["Amarela", "pending", "Aguardando conexão", "yellow"],
    ["Cinza", "hibernating", "hibernating", "grey"],
    ["", "connected", "Conectado", "green"],
  ] as const;
  for (const [name, state] of states)
    await heldConnection(rows.db, account, state === "hibernating" ? "connected" : state, name);
  await page.route("**/api/connections", async (route) => {
    const answer = await route.fetch();
    const body = (await answer.json()) as { connections: { name: string; state: string }[] };
    for (const connection of body.connections)
      if (connection.name === "Cinza") connection.state = "hibernating";
    await route.fulfill({ response: answer, json: body });
  });
  await page.goto(`${product.url}/whatsapp/connections`);
  for (const [name, , label, colour] of states) {
    const shown = name || "Sem nome";
    const badge = row(page, shown).locator("[data-ui~=state]").getByText(label, { exact: true });
    await expect(row(page, shown)).toContainText(/55119\d{8}/);
    await expect.poll(() => colourOf(badge), shown).toBe(colour);
    await row(page, shown)
      .getByRole("button", { name: `Ações de ${shown}` })
      .click();
    for (const verb of ["Desconectar", "Excluir"])
      await expect(page.getByRole("menuitem", { name: verb })).toBeVisible();
    await page.keyboard.press("Escape");
  }
  await page.unrouteAll({ behavior: "wait" });
});

test("26.11 an instance has its device id below its name, here and in the settings @spec 2.69", async ({
  page,
}) => {
  const account = await accountOf(rows.db, await signUpUnseen(page, product.url));
  const instances = [
    ["loja", "loja", "Instância da Evolution · loja"],
    ["loja", "loja@7", "Instância da Evolution · loja@7"],
    ["5531907773055", "5531907773055@7", "Instância da Evolution · 5531907773055@7"],
  ] as const;
  for (const [name, deviceId] of instances) {
    const id = await heldConnection(rows.db, account, "connected", name);
    await sql`update connection set kind = 'instance', device_id = ${deviceId} where id = ${id}`.execute(
      rows.db,
    );
  }
  for (const place of ["/whatsapp/connections", "/settings?aba=conexao"]) {
    await page.goto(product.url + place);
    const people = page.getByRole("main").getByRole("listitem").locator("[data-ui~=person] > span");
    await expect(people).toHaveText(
      instances.map(([, , words]) => new RegExp(`^${words}( · Nenhum envio agora)?$`)),
    );
  }
});

test("while the list is being fetched something turns @spec 2.70", async ({ page }) => {
  await signUp(page, product.url);
  let go: () => void = () => undefined;
  const held = new Promise<void>((resolve) => {
    go = resolve;
  });
  await page.route("**/api/connections", async (route) => {
    await held;
    await route.continue();
  });
  await page.getByRole("navigation").getByRole("link", { name: "Conexões" }).click();
  const spinner = page.getByRole("main").locator("[class*=text_spin]");
  await expect(spinner).toBeVisible();
  go();
  await expect(page.getByText("Nenhuma conexão encontrada")).toBeVisible();
  await expect(spinner).toHaveCount(0);
});

test("another connection is made the one that campaigns take without a choice @decision 27", async ({
  page,
}) => {
  const account = await accountOf(rows.db, await signUpUnseen(page, product.url));
  for (const name of ["Matriz", "Savassi"]) await heldConnection(rows.db, account, "connected", name);
  await page.goto(`${product.url}/whatsapp/connections`);
  for (const [name, other] of [
    ["Savassi", "Matriz"],
    ["Matriz", "Savassi"],
  ] as const) {
    await row(page, name)
      .getByRole("button", { name: `Ações de ${name}` })
      .click();
    await page.getByRole("menuitem", { name: "Tornar padrão" }).click();
    await expect(row(page, name).getByText("Padrão", { exact: true })).toBeVisible();
    await expect(row(page, other).getByText("Padrão", { exact: true })).toHaveCount(0);
  }
  await page.goto(`${product.url}/campaigns/new`);
  await expect(page.getByLabel("Conexão WhatsApp").getByRole("option").first()).toHaveText(
    "Conexão padrão (Matriz)",
  );
});

test("states beyond the specification's are said in words @decision 19", async ({ page }) => {
  const account = await accountOf(rows.db, await signUpUnseen(page, product.url));
  const states = [
    ["Caiu", "connecting", "network", "Reconectando"],
    ["Número antigo", "disconnected", "banned", "Banido"],
    ["Contido", "disconnected", "temp_banned", "Suspenso"],
    ["Alhures", "disconnected", "replaced", "Em uso em outro lugar"],
    ["Contida", "connected", "timelocked", "Restrito"],
    ["Sem prazo", "connected", "new_chats_refused", "Restrito"],
    ["Recusada", "connected", "devices_refused", "Envio recusado"],
    ["Sem imagens", "connected", "upload_failed", "Conectado"],
    ["De saída", "connecting", "ending", "Desconectando"],
  ] as const;
  for (const [name, state, cause] of states) await heldConnection(rows.db, account, state, name, cause);
  await sql`update connection set pairing = '5511900000003@s.whatsapp.net' where state_reason = 'network'
    and account_id = ${account}::uuid`.execute(rows.db);
  await sql`update connection set state_reason_until = now() + interval '3 hours'
    where state_reason in ('timelocked', 'new_chats_refused', 'temp_banned') and account_id = ${account}::uuid`.execute(
    rows.db,
  );
  await page.goto(`${product.url}/whatsapp/connections`);
  for (const [name, , , words] of states) await expect(row(page, name)).toContainText(words);
  await expect(row(page, "Contido")).toContainText("O WhatsApp suspendeu este número até");
  await expect(row(page, "Contida")).toContainText("Novas conversas bloqueadas até");
  await expect(row(page, "Sem prazo")).toContainText(/não diz até quando.* quando tentamos de novo/);
  await expect(row(page, "Recusada")).toContainText("O WhatsApp recusa as mensagens deste número");
  await expect(row(page, "Sem imagens")).toContainText("As imagens não estão chegando ao WhatsApp.");
  await expect(row(page, "De saída")).toContainText("o número pode continuar conectado lá");
});

test("a campaign over a number that WhatsApp restricts waits, and no page says that it is being sent", async ({
  page,
}) => {
  const account = await accountOf(rows.db, await signUpUnseen(page, product.url));
  const connectionId = await heldConnection(rows.db, account, "connected", "Contida", "timelocked");
  await sql`update connection set state_reason_until = now() + interval '3 hours' where id = ${connectionId}`.execute(
    rows.db,
  );
  await campaignRow(rows.db, account, {
    name: "Natal",
    status: "sending",
    connectionId,
    people: { sent: 1, pending: 9 },
  });
  await page.goto(`${product.url}/whatsapp/connections`);
  await expect(row(page, "Contida")).toContainText("1 campanha espera.");
  await expect(row(page, "Contida")).not.toContainText("Enviando");
  await page.goto(`${product.url}/campaigns`);
  await expect(page.getByText("O WhatsApp bloqueou novas conversas da conexão Contida até")).toBeVisible();
  await expect(page.getByText(/Quem já conversa com este número continua recebendo/)).toBeVisible();
});

test("a number that could not be disconnected yet is not said to be", async ({ page }) => {
  const account = await accountOf(rows.db, await signUpUnseen(page, product.url));
  await heldConnection(rows.db, account, "connected", "Matriz");
  await page.goto(`${product.url}/whatsapp/connections`);
  await page.getByRole("button", { name: "Ações de Matriz" }).click();
  await page.getByRole("menuitem", { name: "Desconectar" }).click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Desconectar" }).click();
  await expect(
    page.getByText("Matriz ainda não foi desconectada. Tentamos de novo automaticamente."),
  ).toBeVisible();
});

test("a number whose phone cannot be reached is not said to leave the phone's devices", async ({ page }) => {
  const account = await accountOf(rows.db, await signUpUnseen(page, product.url));
  const leaves = "deixa de ser um dispositivo conectado no celular";
  const stays = "o celular pode continuar a mostrá-la em Dispositivos conectados: remova-a também lá";
  const cases = [
    ["Matriz", "connected", null, leaves, stays],
    ["Sem rede", "connecting", "network", stays, leaves],
    ["Parada", "disconnected", "replaced", stays, leaves],
    ["Encerrada", "disconnected", "logged_out", leaves, stays],
    ["Desligada", "disconnected", "disconnected_by_user", "Se o celular ainda a mostrar", leaves],
    ["Nunca lida", "pending", null, "com as conversas que estão aqui. As campanhas", "celular"],
    ["Sem código", "connecting", "network", "com as conversas que estão aqui. As campanhas", "celular"],
  ] as const;
  for (const [name, state, cause] of cases) await heldConnection(rows.db, account, state, name, cause);
  await sql`update connection set pairing = 'linked' where account_id = ${account}::uuid
    and name not in ('Nunca lida', 'Sem código')`.execute(rows.db);
  await page.goto(`${product.url}/whatsapp/connections`);
  const window = page.getByRole("alertdialog");
  const ask = async (name: string, item: string) => {
    await page.getByRole("button", { name: `Ações de ${name}` }).click();
    await page.getByRole("menuitem", { name: item }).click();
  };
  for (const [name, , , said, not] of cases) {
    await ask(name, "Excluir");
    await expect(window).toContainText(said);
    await expect(window).not.toContainText(not);
    await window.getByRole("button", { name: "Cancelar" }).click();
    await expect(window).toHaveCount(0);
  }
  const shows = "o celular pode continuar a mostrar este aparelho em Dispositivos conectados";
  await ask("Sem rede", "Desconectar");
  await expect(window).toContainText(shows);
  await window.getByRole("button", { name: "Cancelar" }).click();
  await ask("Matriz", "Desconectar");
  await expect(window).toContainText("será preciso ler um novo QR Code");
  await expect(window).not.toContainText(shows);
});

test("a dialog about a connection deleted in another window closes and says why", async ({ page }) => {
  const account = await accountOf(rows.db, await signUpUnseen(page, product.url));
  const gone = await heldConnection(rows.db, account, "connected", "Loja");
  const other = await heldConnection(rows.db, account, "connected", "Matriz");
  await page.goto(`${product.url}/whatsapp/connections`);
  await page.getByRole("button", { name: "Ações de Loja" }).click();
  await page.getByRole("menuitem", { name: "Assistente" }).click();
  await expect(page.getByRole("dialog", { name: "Assistente" })).toBeVisible();
  await sql`delete from connection where id = ${gone}`.execute(rows.db);
  expect((await page.request.post(`${product.url}/api/connections/${other}/default`)).ok()).toBe(true);
  await expect(page.getByRole("dialog")).toHaveCount(0);
  await expect(page.getByText("Loja não existe mais: foi excluída.")).toBeVisible();
});
