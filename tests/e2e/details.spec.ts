import { expect, type Page, type Route, test } from "@playwright/test";
import { sql } from "kysely";
import { campaignRow } from "../support/campaign-rows.ts";
import type { ProductServer } from "../support/server.ts";
import { signUpUnseen } from "./support/person.ts";
import { accountOf, heldConnection, type ProductRows } from "./support/product-rows.ts";
import { startedFor } from "./support/started.ts";

let product: ProductServer;
let rows: ProductRows;

startedFor((started) => {
  ({ product, rows } = started);
});

type Sketch = NonNullable<Parameters<typeof campaignRow>[2]>;

async function openDetails(page: Page, sketch: Sketch, more = "") {
  const account = await accountOf(rows.db, await signUpUnseen(page, product.url));
  const connectionId = await heldConnection(rows.db, account, "connected", "Matriz");
  const id = await campaignRow(rows.db, account, { connectionId, ...sketch });
  await page.goto(`${product.url}/campaigns?detalhes=${id}${more}`);
  const dialog = page.getByRole("dialog", { name: "Detalhes dos Envios" });
  await expect(dialog).toBeVisible();
  return { dialog, id, account };
}

const people = (dialog: ReturnType<Page["getByRole"]>) => dialog.getByRole("row").filter({ hasText: "+55" });

test("everybody is there, from the first to the last, and chips say how many @spec 2.40,4.1,9.8 @decision 11", async ({
  page,
}) => {
  const { dialog } = await openDetails(page, {
    name: "Óculos",
    people: { sent: 21, delivered: 57, read: 318, error: 14, uncertain: 2 },
  });
  await expect(dialog.getByRole("button", { name: "Todos 412" })).toHaveAttribute("aria-pressed", "true");
  for (const chip of ["Enviado 21", "Entregue 57", "Lido 318", "Erro 14", "A verificar 2"])
    await expect(dialog.getByRole("button", { name: chip })).toBeVisible();
  await expect(dialog.getByRole("columnheader")).toHaveText(["Contato", "Status", "Data do envio", "Erro"]);
  await expect(people(dialog).first()).toContainText("Pessoa 0");
  await expect(dialog.getByRole("table")).toHaveAttribute("aria-rowcount", "413");
  expect(await people(dialog).count()).toBeLessThan(40);
  await page.emulateMedia({ media: "print", colorScheme: "dark" });
  await expect(async () => {
    const drawn = await people(dialog).count();
    const said = dialog.getByText(`Impressas só as linhas 1 a ${drawn} desta lista.`);
    await expect(said).toBeVisible({ timeout: 500 });
  }).toPass();
  await expect(dialog).toHaveCSS("background-color", "rgb(255, 255, 255)");
  await expect(dialog.getByText("Fechar")).toBeHidden();
  await expect(page.locator("#root")).toBeHidden();
  await page.emulateMedia({ media: "screen", colorScheme: "light" });
  const box = dialog.getByRole("region", { name: "Envios" });
  expect(await box.evaluate((node) => node.clientHeight)).toBeLessThanOrEqual(400);
  await box.focus();
  await page.keyboard.press("End");
  await expect(dialog.getByText("Pessoa 411", { exact: true })).toBeVisible();
});

test("a filter is part of the address, and its people come page after page", async ({ page }) => {
  const { dialog, id } = await openDetails(page, { name: "Grande", people: { sent: 50, read: 700 } });
  await dialog.getByRole("button", { name: "Lido 700" }).click();
  await expect(page).toHaveURL(new RegExp(`detalhes=${id}&status=read`));
  await expect(people(dialog).first()).toContainText("Pessoa 50");
  const box = dialog.getByRole("region", { name: "Envios" });
  await expect(async () => {
    await box.evaluate((node) => node.scrollTo(0, node.scrollHeight));
    await expect(dialog.getByText("Pessoa 749", { exact: true })).toBeVisible({ timeout: 300 });
  }).toPass();
  await page.reload();
  await expect(dialog.getByRole("button", { name: "Lido 700" })).toHaveAttribute("aria-pressed", "true");
  await dialog.getByRole("button", { name: "Fechar" }).last().click();
  await expect(page).toHaveURL(`${product.url}/campaigns`);
});

test("people are found by name or phone, and an empty result is said", async ({ page }) => {
  const { dialog } = await openDetails(page, { name: "Busca", people: { read: 300 } });
  const search = dialog.getByPlaceholder("Buscar por nome ou telefone...");
  await search.fill("Pessoa 217");
  await expect(people(dialog)).toHaveCount(1);
  await search.fill("90000-0042");
  await expect(people(dialog)).toHaveCount(1);
  await expect(people(dialog)).toContainText("Pessoa 42");
  await search.fill("ninguém");
  await expect(dialog.getByRole("status").getByText("Nenhum contato encontrado")).toBeVisible();
  await dialog.getByRole("button", { name: "Limpar busca e filtro" }).click();
  await expect(people(dialog).first()).toContainText("Pessoa 0");
});

test("an error is cut at 40 characters, and whole on hover, focus and tap @spec 2.40,9.8 @decision 29,32", async ({
  page,
}) => {
  const sketch = { name: "Erros", people: { error: 1 }, error: "no_session" };
  const { dialog } = await openDetails(page, sketch, "&status=error");
  const whole = "não foi possível criptografar a mensagem para este número";
  await dialog.getByRole("button", { name: "ver linhas" }).click();
  await expect(dialog.getByRole("textbox", { name: "Falhas de envio de Erros" })).toHaveValue(
    `Falha ao enviar mensagem para 5511900000000: ${whole}`,
  );
  const cut = dialog.getByRole("button", { name: `Erro completo: ${whole}` });
  await expect(cut).toHaveText(`${whole.slice(0, 40).trimEnd()}…`);
  const tip = page.getByRole("tooltip");
  await cut.hover();
  await expect(tip).toHaveText(whole);
  await page.mouse.move(0, 0, { steps: 5 });
  await expect(tip).toHaveCount(0);
  await page.emulateMedia({ reducedMotion: "reduce" });
  await cut.hover();
  await expect(tip).toHaveText(whole);
  await page.mouse.move(0, 0, { steps: 5 });
  await expect(tip).toHaveCount(0);
  await cut.focus();
  await expect(tip).toHaveText(whole);
  await dialog.getByRole("region", { name: "Envios" }).focus();
  await expect(tip).toHaveCount(0);
  await cut.click();
  await expect(tip).toHaveText(whole);
});

test("a name too long for its column is whole on focus and tap", async ({ page }) => {
  const { dialog, id } = await openDetails(page, { name: "Nomes", people: { read: 2 } });
  const name = "Maria Aparecida de Albuquerque Cavalcanti e Silva dos Santos Pereira";
  await sql`update delivery set name = ${name} where campaign_id = ${id} and seq = 1`.execute(rows.db);
  await page.reload();
  const cut = dialog.getByRole("button", { name });
  await expect(dialog.getByText("Pessoa 0")).toBeVisible();
  await cut.focus();
  await expect(page.getByRole("tooltip")).toHaveText(name);
  await dialog.getByRole("region", { name: "Envios" }).focus();
  await expect(page.getByRole("tooltip")).toHaveCount(0);
  await cut.click();
  await expect(page.getByRole("tooltip")).toHaveText(name);
  await expect(dialog.getByRole("button", { name: "Pessoa 0" })).toHaveCount(0);
});

test("doubtful messages are settled by hand, and sending again warns first @decision 9,11", async ({
  page,
}) => {
  const { dialog, id } = await openDetails(
    page,
    { name: "Dúvidas", people: { read: 5, uncertain: 3 } },
    "&status=uncertain",
  );
  await expect(dialog).toContainText("A verificar: o WhatsApp não confirmou este envio.");
  await dialog.getByRole("button", { name: "Resolver o envio para Pessoa 5" }).click();
  await expect(page.getByRole("menuitem")).toHaveText([
    "Reenviar mesmo assim",
    "Marcar como enviado",
    "Ignorar",
  ]);
  await page.getByRole("menuitem", { name: "Marcar como enviado" }).click();
  await expect(dialog.getByRole("button", { name: "Enviado 1" })).toBeVisible();
  await expect(people(dialog)).toHaveCount(2);

  await dialog.getByRole("button", { name: "Resolver o envio para Pessoa 6" }).click();
  await page.getByRole("menuitem", { name: "Ignorar" }).click();
  await expect(dialog.getByRole("button", { name: "Ignorado 1" })).toBeVisible();
  // Its row moves up: a press would begin on the button and end below it.
  await expect(people(dialog)).toHaveCount(1);

  const asked = page.getByRole("alertdialog", { name: "Reenviar mesmo assim?" });
  const ask = async () => {
    await dialog.getByRole("button", { name: "Resolver o envio para Pessoa 7" }).click();
    await page.getByRole("menuitem", { name: "Reenviar mesmo assim" }).click();
    await expect(asked).toContainText("recebe a mesma mensagem duas vezes");
  };
  await ask();
  await sql`update delivery set at = now() where campaign_id = ${id} and seq = 7`.execute(rows.db);
  await asked.getByRole("button", { name: "Reenviar mesmo assim" }).click();
  await expect(asked).toContainText("Este envio já foi resolvido.");
  await asked.getByRole("button", { name: "Cancelar" }).click();
  await ask();
  await asked.getByRole("button", { name: "Reenviar mesmo assim" }).click();
  await expect(asked).toBeHidden();
  await expect(dialog.getByRole("button", { name: "Pendente 1" })).toBeVisible();
});

test("a doubt of what was cancelled, or has lost its connection, is not offered to be sent again", async ({
  page,
}) => {
  const { dialog, id } = await openDetails(page, { status: "cancelled", people: { uncertain: 1 } });
  const offered = async (...entries: string[]) => {
    await dialog.getByRole("button", { name: "Resolver o envio para Pessoa 0" }).click();
    await expect(page.getByRole("menuitem")).toHaveText(entries);
    await page.keyboard.press("Escape");
  };
  await offered("Marcar como enviado", "Ignorar");
  await sql`update campaign set status = 'ended', cursor = total where id = ${id}`.execute(rows.db);
  await page.reload();
  await offered("Reenviar mesmo assim", "Marcar como enviado", "Ignorar");
  await sql`update campaign set connection_id = null where id = ${id}`.execute(rows.db);
  await page.reload();
  await offered("Marcar como enviado", "Ignorar");
});

test("a filtered list moves and is read on, also where changes come faster than its answers", async ({
  page,
}) => {
  const { dialog, id } = await openDetails(
    page,
    { name: "Dúvidas", people: { uncertain: 230 } },
    "&status=uncertain",
  );
  await expect(dialog.getByText("Pessoa 0", { exact: true })).toBeVisible();
  const held: Route[] = [];
  const asked = /\/deliveries\?.*status=uncertain/;
  await page.route(asked, (route) => void held.push(route));
  const ignored = async (place: number) => {
    const address = `${product.url}/api/campaigns/${id}/deliveries`;
    const { items } = (await (await page.request.get(`${address}?search=Pessoa ${place}`)).json()) as {
      items: { seq: number; name: string }[];
    };
    const seq = items.find(({ name }) => name === `Pessoa ${place}`)?.seq;
    await page.request.post(`${address}/${seq}/ignore`, { headers: { origin: product.url } });
    await expect(dialog.getByRole("button", { name: `Ignorado ${place + 1}` })).toBeVisible();
  };
  await ignored(0);
  await expect.poll(() => held.length).toBe(1);
  await ignored(1);
  await held[0]?.continue();
  await expect(dialog.getByText("Pessoa 0", { exact: true })).toHaveCount(0);
  await expect.poll(() => held.length).toBe(2);
  const box = dialog.getByRole("region", { name: "Envios" });
  await box.evaluate((node) => node.scrollTo(0, node.scrollHeight));
  await expect.poll(() => held.length).toBe(3);
  await held[2]?.continue();
  await page.unroute(asked);
  await expect(async () => {
    await box.evaluate((node) => node.scrollTo(0, node.scrollHeight));
    await expect(dialog.getByText("Pessoa 229", { exact: true })).toBeVisible({ timeout: 300 });
  }).toPass();
});

test("a menu stays with the person it was opened for while others leave the list", async ({ page }) => {
  const { dialog, id } = await openDetails(
    page,
    { name: "Dúvidas", people: { uncertain: 3 } },
    "&status=uncertain",
  );
  await dialog.getByRole("button", { name: "Resolver o envio para Pessoa 1" }).hover();
  await page.mouse.down();
  await expect(page.getByRole("menuitem", { name: "Ignorar" })).toBeVisible();
  const { items } = (await (
    await page.request.get(`${product.url}/api/campaigns/${id}/deliveries?status=uncertain`)
  ).json()) as { items: { seq: number; name: string }[] };
  const first = items.find(({ name }) => name === "Pessoa 0");
  const done = await page.request.post(`${product.url}/api/campaigns/${id}/deliveries/${first?.seq}/ignore`, {
    headers: { origin: product.url },
  });
  expect(done.ok()).toBe(true);
  await expect(dialog.getByText("Pessoa 0", { exact: true })).toHaveCount(0);
  // The menu moves with its row: the press ends over an entry that was not pressed.
  await page.getByRole("menuitem", { name: "Marcar como enviado" }).hover();
  await page.mouse.up();
  await page.getByRole("menuitem", { name: "Ignorar" }).click();
  await expect(dialog.getByText("Pessoa 1", { exact: true })).toHaveCount(0);
  await expect(dialog.getByText("Pessoa 2", { exact: true })).toBeVisible();
});

test("Esc closes, and focus goes back to what opened it @spec 2.40", async ({ page }) => {
  const { dialog } = await openDetails(page, { name: "Foco", people: { read: 3 } });
  await page.keyboard.press("Escape");
  await expect(dialog).toBeHidden();
  const opener = page.getByRole("article", { name: "Foco" }).getByRole("link", { name: "Ver Detalhes" });
  await opener.click();
  await expect(dialog).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(dialog).toBeHidden();
  await expect(opener).toBeFocused();
});

test("Esc in a search clears its words first, and only then closes the window that it stands in", async ({
  page,
}) => {
  const { dialog } = await openDetails(page, { name: "Busca", people: { read: 30 } });
  const search = dialog.getByPlaceholder("Buscar por nome ou telefone...");
  await search.fill("Pessoa 17");
  await expect(people(dialog)).toHaveCount(1);
  await page.keyboard.press("Escape");
  await expect(search).toHaveValue("");
  await expect(people(dialog)).not.toHaveCount(1);
  await expect(search).toBeFocused();
  await page.keyboard.press("Escape");
  await expect(dialog).toBeHidden();
});

test("Back closes the details and stays in the list, however they were opened", async ({ page }) => {
  const { dialog } = await openDetails(page, { name: "Volta", people: { read: 2, error: 1 } });
  await page.goBack();
  await expect(dialog).toBeHidden();
  await expect(page).toHaveURL(`${product.url}/campaigns`);
  const card = page.getByRole("article", { name: "Volta" });
  for (const _ of ["first", "again"]) {
    await card.getByRole("link", { name: "Ver Detalhes" }).click();
    await dialog.getByRole("button", { name: "Erro 1" }).click();
    await expect(page).toHaveURL(/detalhes=\d+&status=error/);
    await page.goBack();
    await expect(dialog).toBeHidden();
    await expect(page).toHaveURL(`${product.url}/campaigns`);
  }
  await expect(card).toBeVisible();
});

test("who was left out is said to be, with the reason @spec 5.5 @decision 7,11", async ({ page }) => {
  const { dialog, id } = await openDetails(page, { name: "Repetidos", people: { read: 1, skipped: 1 } });
  await sql`update delivery set error = 'duplicate' where campaign_id = ${id} and seq = 1`.execute(rows.db);
  await page.reload();
  await expect(people(dialog).last()).toContainText("Ignorado (repetido)");
});

test("all people come as a file", async ({ page }) => {
  const { dialog } = await openDetails(page, { name: "Arquivo", people: { read: 3, error: 1 } });
  const download = page.waitForEvent("download");
  await dialog.getByRole("link", { name: "Exportar CSV" }).click();
  expect((await download).suggestedFilename()).toMatch(/\.csv$/);
});

test("a campaign without people says so @spec 2.41", async ({ page }) => {
  const { dialog } = await openDetails(page, { name: "Nova", status: "draft" });
  await expect(dialog).toContainText("Nenhum envio encontrado para esta campanha.");
});

test("a campaign that was cancelled before its hour does not promise to begin, nor one whose hour has passed", async ({
  page,
}) => {
  const day = 86_400_000;
  const { dialog, id } = await openDetails(page, {
    name: "Natal",
    status: "cancelled",
    scheduledAt: new Date(Date.now() + day),
  });
  await sql`update campaign set started_at = null where id = ${id}`.execute(rows.db);
  await page.reload();
  await expect(dialog).toContainText("Esta campanha foi cancelada antes de começar.");
  await expect(dialog).not.toContainText("quando a campanha começar");
  await sql`update campaign set status = 'paused', pause_reason = 'missed', scheduled_at = now() - interval '3 hours' where id = ${id}`.execute(
    rows.db,
  );
  await page.reload();
  await expect(dialog).toContainText("Os envios aparecem aqui quando a campanha começar.");
});

test("a campaign that is not there is said to be gone, and is not asked for again", async ({ page }) => {
  await signUpUnseen(page, product.url);
  await page.goto(`${product.url}/campaigns?detalhes=999999`);
  const dialog = page.getByRole("dialog", { name: "Detalhes dos Envios" });
  await expect(dialog.getByRole("heading", { name: "Campanha não encontrada" })).toBeVisible();
  await expect(dialog.getByRole("button", { name: "Tentar novamente" })).toHaveCount(0);
});

test("a question asked from a menu gives the keyboard back to the menu's button", async ({ page }) => {
  await openDetails(page, { name: "Menu", status: "sending", people: { sent: 3, pending: 3 } });
  await page.keyboard.press("Escape");
  const more = page.getByRole("button", { name: "Mais ações de Menu" });
  await more.focus();
  await page.keyboard.press("Enter");
  await page.getByRole("menuitem", { name: "Cancelar envio" }).press("Enter");
  await expect(page.getByRole("alertdialog")).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(page.getByRole("alertdialog")).toBeHidden();
  await expect(more).toBeFocused();
});
