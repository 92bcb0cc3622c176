import fs from "node:fs";
import { type Browser, expect, type Page, test } from "@playwright/test";
import { sql } from "kysely";
import { campaignRow, listRow } from "../support/campaign-rows.ts";
import type { ProductServer } from "../support/server.ts";
import { heldAnswer } from "./support/held-answer.ts";
import { logIn, newEmail, PASSWORD, signUp, signUpUnseen } from "./support/person.ts";
import { pressSays } from "./support/press-says.ts";
import { accountOf, heldConnection, type ProductRows } from "./support/product-rows.ts";
import { startedFor } from "./support/started.ts";

let product: ProductServer;
let rows: ProductRows;

startedFor((started) => {
  ({ product, rows } = started);
});

async function open(page: Page, tab: string): Promise<void> {
  await page.goto(`${product.url}/settings?aba=${tab}`);
  await expect(page.getByRole("heading", { level: 1, name: "Configurações" })).toBeVisible();
}

const form = (page: Page, name: string) => page.getByRole("form", { name });
const sections = (page: Page) => page.getByRole("navigation", { name: "Seções das configurações" });

async function elsewhere(
  browser: Browser,
  email: string,
  password = PASSWORD,
  title: string | RegExp = "Painel de Controle",
): Promise<Page> {
  const page = await (await browser.newContext()).newPage();
  await page.goto(`${product.url}/login`);
  await logIn(page, email, password);
  await expect(page.getByRole("heading", { level: 1, name: title })).toBeVisible({ timeout: 60_000 });
  return page;
}

test("the parts are places of their own, with a way back @spec 2.7,2.54", async ({ page }) => {
  await signUp(page, product.url);
  await page.getByRole("navigation", { name: "Mais" }).getByRole("link", { name: "Configurações" }).click();
  const links = sections(page).getByRole("link");
  await expect(links).toHaveText([
    "Geral",
    "Chaves de API",
    "Conexão do WhatsApp",
    "Notificações",
    "Uso",
    "Atividade",
  ]);
  await expect(links.nth(0)).toHaveAttribute("aria-current", "page");
  await links.nth(4).click();
  await expect(page).toHaveURL(/\/settings\?aba=uso$/);
  await expect(page.getByText("Esta conta não tem limite de mensagens.")).toBeVisible();
  await page.goBack();
  await expect(page.getByRole("heading", { name: "Perfil" })).toBeVisible();
  await page.goto(`${product.url}/settings?aba=nada`);
  await expect(page.getByRole("heading", { name: "Perfil" })).toBeVisible();
});

test("name, company and time zone are saved; what is unsaved is not lost by a stray click @spec 2.55 @decision 16,28", async ({
  page,
}) => {
  await signUpUnseen(page, product.url);
  await open(page, "geral");
  const profile = form(page, "Perfil");
  await profile.getByLabel("Nome completo").fill("");
  await profile.getByRole("button", { name: "Salvar alterações" }).click();
  await expect(profile.getByText("Informe seu nome.")).toBeVisible();
  await profile.getByLabel("Nome completo").fill("Ótica Aurora");
  await profile.getByLabel("Empresa").fill("Aurora Comércio Ltda.");
  await expect(profile.getByText("Alterações não salvas")).toBeVisible();

  await sections(page).getByRole("link", { name: "Uso" }).click();
  const question = page.getByRole("alertdialog", { name: "Sair sem salvar?" });
  await question.getByRole("button", { name: "Continuar aqui" }).click();
  await expect(page).toHaveURL(/aba=geral$/);
  await expect(profile.getByLabel("Nome completo")).toHaveValue("Ótica Aurora");

  const zone = profile.getByRole("combobox", { name: "Fuso horário" });
  await expect(zone).toHaveValue("Horário de Brasília · São Paulo");
  await zone.click();
  await expect(page.getByRole("listbox").getByRole("option").first()).toContainText(
    "São Paulo, Rio de Janeiro",
  );
  await page.keyboard.type("rio branco");
  await expect(page.getByRole("listbox").getByRole("option")).toHaveCount(1);
  await page.keyboard.press("Enter");
  await expect(zone).toHaveValue("Horário do Acre · Rio Branco");
  const save = profile.getByRole("button", { name: "Salvar alterações" });
  const late = await heldAnswer(page, /\/api\/settings\/profile$/);
  await save.click();
  await late.asked;
  await profile.getByLabel("Empresa").press("End");
  await profile.getByLabel("Empresa").pressSequentially(" Filial");
  late.answer();
  await expect(page.getByText("Alterações salvas")).toBeVisible();
  await expect(page.getByRole("banner").getByText("Ótica Aurora")).toBeVisible();
  await expect(profile.getByLabel("Empresa")).toHaveValue("Aurora Comércio Ltda. Filial");
  await expect(profile.getByLabel("Empresa")).toBeFocused();
  await profile.getByRole("button", { name: "Cancelar" }).click();
  await expect(profile.getByLabel("Empresa")).toHaveValue("Aurora Comércio Ltda.");
  await expect(profile.getByRole("button", { name: "Cancelar" })).toBeHidden();

  await profile.getByLabel("Empresa").fill("Outra");
  await profile.getByRole("button", { name: "Cancelar" }).click();
  await expect(profile.getByLabel("Empresa")).toHaveValue("Aurora Comércio Ltda.");
  await page.reload();
  await expect(profile.getByLabel("Nome completo")).toHaveValue("Ótica Aurora");
  await expect(zone).toHaveValue("Horário do Acre · Rio Branco");

  await profile.getByLabel("Empresa").fill("Outra");
  await sections(page).getByRole("link", { name: "Uso" }).click();
  await question.getByRole("button", { name: "Sair sem salvar" }).click();
  await expect(page).toHaveURL(/aba=uso$/);
});

test("the language is chosen at once, for the account and every browser of it", async ({ page, browser }) => {
  const email = await signUpUnseen(page, product.url);
  await open(page, "geral");
  await page.getByRole("combobox", { name: "Idioma das telas" }).selectOption("English");
  await expect(page.locator("html")).toHaveAttribute("lang", "en");
  await expect(page).toHaveURL(/\/settings\?aba=geral$/);
  const other = await elsewhere(browser, email, PASSWORD, /./);
  await expect(other.locator("html")).toHaveAttribute("lang", "en");
});

test("the zone is found by its name and chosen by keyboard alone; Esc leaves it as it was", async ({
  page,
}) => {
  await signUpUnseen(page, product.url);
  await open(page, "geral");
  const zone = form(page, "Perfil").getByRole("combobox", { name: "Fuso horário" });
  await zone.focus();
  await page.keyboard.press("ArrowDown");
  await expect(page.getByRole("listbox")).toBeVisible();
  await page.keyboard.type("japao");
  await expect(page.getByRole("listbox").getByRole("option")).toHaveText([/Horário do Japão/]);
  await page.keyboard.press("Escape");
  await expect(page.getByRole("listbox")).toBeHidden();
  await expect(zone).toHaveValue("Horário de Brasília · São Paulo");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await expect(zone).toHaveValue("Horário do Amazonas · Manaus");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.type("marte");
  await expect(page.getByText("Nenhum fuso encontrado.")).toBeVisible();
});

test("another e-mail asks for the password, and is the way in from then on @spec 2.55", async ({
  page,
  browser,
}) => {
  await signUpUnseen(page, product.url);
  await open(page, "geral");
  const profile = form(page, "Perfil");
  const email = newEmail();
  await profile.getByLabel("E-mail").fill(email);
  await profile.getByRole("button", { name: "Salvar alterações" }).click();
  await expect(profile.getByText("Informe a senha para trocar o e-mail.")).toBeVisible();
  await profile.getByLabel("Senha atual").fill("não é esta senha");
  await profile.getByRole("button", { name: "Salvar alterações" }).click();
  await expect(profile.getByRole("alert")).toBeVisible();
  await profile.getByLabel("Senha atual").fill(PASSWORD);
  await page.request.patch(`${product.url}/api/settings/profile`, { data: { company: "Aurora" } });
  await profile.getByRole("button", { name: "Salvar alterações" }).click();
  await expect(page.getByText("Alterações salvas")).toBeVisible();
  await expect(page.getByRole("banner").getByText(email)).toBeVisible();
  await expect(profile.getByLabel("Empresa")).toHaveValue("Aurora");
  await elsewhere(browser, email);
});

test("a session elsewhere is seen and ended; a new password ends all others @spec 2.55 @decision 16", async ({
  page,
  browser,
}) => {
  const email = await signUpUnseen(page, product.url);
  const second = await elsewhere(browser, email);
  await open(page, "geral");
  const list = page.getByRole("list", { name: "Sessões" });
  await expect(list.getByRole("listitem")).toHaveCount(2);
  await expect(list.getByText("Este navegador")).toHaveCount(1);
  await expect(list.getByText("Chrome no Linux")).toHaveCount(2);
  await list.getByRole("button", { name: "Encerrar: Chrome no Linux" }).press("Enter");
  await expect(page.getByText("Sessão encerrada")).toBeVisible();
  await expect(list.getByRole("listitem")).toHaveCount(1);
  await expect(list).toBeFocused();
  await second.reload();
  await expect(second).toHaveURL(/\/login/);
  const left = await elsewhere(browser, email);
  await page.reload();
  await expect(list.getByRole("listitem")).toHaveCount(2);
  await left.request.post(`${product.url}/api/logout`, { headers: { origin: product.url } });
  await list.getByRole("button", { name: "Encerrar: Chrome no Linux" }).click();
  await expect(list.getByRole("listitem")).toHaveCount(1);

  const third = await elsewhere(browser, email);
  const password = form(page, "Senha");
  await password.getByLabel("Senha atual").fill("não é esta senha");
  await password.getByLabel("Nova senha", { exact: true }).fill("outra frase bem comprida");
  await password.getByLabel("Confirmar nova senha").fill("outra frase");
  await password.getByRole("button", { name: "Trocar senha" }).click();
  await expect(password.getByText("As senhas não coincidem.")).toBeVisible();
  await password.getByLabel("Confirmar nova senha").fill("outra frase bem comprida");
  await password.getByRole("button", { name: "Trocar senha" }).click();
  await expect(password.getByLabel("Senha atual")).toHaveAttribute("aria-invalid", "true");
  await expect(password.getByLabel("Senha atual")).toBeFocused();
  // A late answer, even a refusal, must not move the focus.
  const company = form(page, "Perfil").getByLabel("Empresa");
  const press = async () => {
    const late = await heldAnswer(page, /\/api\/settings\/password$/);
    await password.getByRole("button", { name: "Trocar senha" }).click();
    await late.asked;
    await company.focus();
    late.answer();
  };
  await password.getByLabel("Senha atual").fill("nem esta");
  await expect(password.getByLabel("Senha atual")).not.toHaveAttribute("aria-invalid");
  await press();
  await expect(password.getByLabel("Senha atual")).toHaveAttribute("aria-invalid", "true");
  await expect(password.getByRole("button", { name: "Trocar senha" })).toBeEnabled();
  await expect(company).toBeFocused();
  await password.getByLabel("Senha atual").fill(PASSWORD);
  await press();
  await expect(page.getByText("Senha trocada. 1 outra sessão encerrada.")).toBeVisible();
  await expect(password.getByLabel("Senha atual")).toHaveValue("");
  await expect(company).toBeFocused();
  await third.reload();
  await expect(third).toHaveURL(/\/login/);
  await open(page, "geral");
  await elsewhere(browser, email, "outra frase bem comprida");
});

test("everything of the account comes as one file", async ({ page }) => {
  const email = await signUpUnseen(page, product.url);
  const account = await accountOf(rows.db, email);
  await listRow(rows.db, account, 3, "Clientes de teste");
  await open(page, "geral");
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("link", { name: "Exportar dados" }).click(),
  ]);
  const text = fs.readFileSync(await download.path(), "utf8");
  const lines = text.trim().split("\n");
  expect(lines.map((line) => typeof JSON.parse(line))).not.toContain("string");
  expect(text).toContain(email);
  expect(text).toContain("Clientes de teste");
});

test("an account is deleted only after its losses were shown, a word typed and the password given", async ({
  page,
  browser,
}) => {
  const email = await signUpUnseen(page, product.url);
  const other = await elsewhere(browser, email);
  const account = await accountOf(rows.db, email);
  const listId = await listRow(rows.db, account, 1250);
  const connectionId = await heldConnection(rows.db, account, "connected", "Matriz");
  await campaignRow(rows.db, account, { status: "sending", listId, connectionId, people: { pending: 2 } });
  await campaignRow(rows.db, account, { people: { read: 3 } });
  await open(page, "geral");
  await page.getByRole("button", { name: "Excluir conta" }).click();
  const dialog = page.getByRole("dialog", { name: "Tem certeza que deseja excluir sua conta?" });
  await expect(dialog.getByRole("listitem")).toHaveText([
    "2 campanhas com seus históricos de envios",
    "1.250 contatos das suas listas",
    "1 conexão do WhatsApp com suas conversas",
    "chaves de API, robôs vinculados e configurações",
  ]);
  await expect(dialog.getByText("1 campanha em andamento para de enviar na hora.")).toBeVisible();
  const verb = dialog.getByRole("button", { name: "Excluir conta para sempre" });
  await verb.click();
  await expect(dialog.getByText("Escreva EXCLUIR para confirmar.")).toBeVisible();
  await dialog.getByLabel("Para confirmar, escreva EXCLUIR").fill("excluir");
  await dialog.getByLabel("Senha", { exact: true }).fill("não é esta senha");
  await verb.click();
  await expect(dialog.getByRole("alert")).toBeVisible();
  await dialog.getByLabel("Senha", { exact: true }).fill(PASSWORD);
  await verb.click();
  await expect(page).toHaveURL(/\/login/);
  await expect(page.getByText("Sua conta foi excluída, com tudo o que era dela.")).toBeVisible();
  await expect(other.getByText("Sua sessão terminou.")).toBeVisible();
  await logIn(page, email);
  await expect(page.getByText("Falha ao fazer login. Por favor, verifique suas credenciais.")).toBeVisible();
});

const withKey = (key: string, path = "/api/whatsapp/devices", init: RequestInit = {}) =>
  product.fetch(path, {
    ...init,
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
  });

test("a name without a space stays inside the window that shows it", async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await signUpUnseen(page, product.url);
  await open(page, "chaves");
  await page.getByRole("button", { name: "Gerar nova chave" }).first().click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Nome").fill("Umapalavrasemespacos".repeat(3));
  await dialog.getByRole("button", { name: "Gerar chave" }).click();
  const title = dialog.getByRole("heading", { name: /^Chave «Umapalavra/ });
  await expect(title).toBeVisible();
  expect(await title.evaluate((it) => it.scrollWidth - it.clientWidth)).toBe(0);
});

test("a key is shown once, opens what its scope says, and nothing once revoked @spec 2.56 @decision 16", async ({
  page,
}) => {
  await signUpUnseen(page, product.url);
  await open(page, "chaves");
  await expect(page.getByText("Nenhuma chave de API")).toBeVisible();
  await page.getByRole("button", { name: "Gerar nova chave" }).first().click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: "Gerar chave" }).click();
  await expect(dialog.getByText("Informe o nome.")).toBeVisible();
  await dialog.getByLabel("Nome").fill("Painel da loja");
  await dialog.getByRole("radio", { name: "Só ler" }).check();
  await dialog.getByLabel("Validade").selectOption({ label: "90 dias" });
  await dialog.getByRole("button", { name: "Gerar chave" }).click();

  await expect(dialog.getByRole("heading", { name: "Chave «Painel da loja» gerada" })).toBeVisible();
  await expect(dialog.getByText("Copie a chave agora.")).toBeVisible();
  const field = dialog.getByLabel("Chave", { exact: true });
  await expect(field).toHaveAttribute("type", "password");
  await expect(field).toBeFocused();
  await dialog.getByRole("button", { name: "Mostrar a chave" }).click();
  await expect(field).toHaveAttribute("type", "text");
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await pressSays(dialog.getByRole("button", { name: "Copiar chave" }), "Copiado!");
  const key = await field.inputValue();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(key);
  await page.keyboard.press("Escape");
  await expect(dialog).toBeVisible();

  expect((await withKey(key)).status).toBe(200);
  const message = JSON.stringify({ deviceId: "5531907773055", number: "5531902341187", message: "Oi" });
  const refused = await withKey(key, "/api/whatsapp/send", { method: "POST", body: message });
  expect(refused.status).toBe(403);
  expect(await refused.json()).toMatchObject({ code: "forbidden_scope" });

  await dialog.getByRole("button", { name: "Já guardei a chave" }).click();
  await expect(dialog).toBeHidden();
  await expect(page.getByText(key)).toBeHidden();
  await page.reload();
  const row = page.getByRole("row", { name: /Painel da loja/ });
  await expect(row).toContainText("Só ler");
  await expect(row).toContainText("Ativa");
  await expect(row).toContainText(/(hoje|ontem) às/);
  expect(await page.content()).not.toContain(key);

  await row.getByRole("button", { name: "Revogar: Painel da loja" }).click();
  const question = page.getByRole("alertdialog", { name: "Revogar a chave «Painel da loja»?" });
  await expect(question.getByText("Ela foi usada pela última vez")).toBeVisible();
  await question.getByRole("button", { name: "Revogar" }).click();
  await expect(row.getByText("Revogada")).toBeVisible();
  expect((await withKey(key)).status).toBe(401);
});

test("the state of every connection is there, with its cause, and moves by itself @spec 2.57 @decision 16", async ({
  page,
}) => {
  const email = await signUpUnseen(page, product.url);
  await open(page, "conexao");
  await expect(page.getByText("Nenhuma conexão encontrada")).toBeVisible();
  const account = await accountOf(rows.db, email);
  await heldConnection(rows.db, account, "connected", "Matriz – Centro");
  const away = await heldConnection(rows.db, account, "disconnected", "Unidade Savassi", "logged_out");
  await page.reload();
  const list = page.getByRole("list", { name: "Estado das conexões" });
  await expect(page.getByText("1 de 2 conexões conectadas")).toBeVisible();
  const savassi = list.getByRole("listitem").filter({ hasText: "Unidade Savassi" });
  await expect(savassi).toContainText("Desconectado");
  await expect(savassi).toContainText("A sessão foi encerrada no celular.");
  await sql`update connection set state = 'connected', state_reason = null where id = ${away}`.execute(
    rows.db,
  );
  await sql`select pg_notify('recado_changes', ${JSON.stringify([{ a: account, t: "connections", i: away }])})`.execute(
    rows.db,
  );
  await expect(page.getByText("2 de 2 conexões conectadas")).toBeVisible();
  await page.getByRole("link", { name: "Gerenciar conexões" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "Conexões WhatsApp" })).toBeVisible();
});

test("the month's messages stand against the limit, the months before in a table @spec 2.59,9.16 @decision 16", async ({
  page,
}) => {
  await page.clock.install();
  const email = await signUpUnseen(page, product.url);
  const account = await accountOf(rows.db, email);
  const campaign = await campaignRow(rows.db, account, { people: { read: 4, delivered: 3, error: 2 } });
  await sql`insert into campaign_day (campaign_id, day, accepted, failed)
    values (${campaign}, (now() at time zone 'America/Sao_Paulo')::date, 7, 2)`.execute(rows.db);
  await sql`insert into direct_message_usage (account_id, day, messages) values
    (${account}::uuid, (now() at time zone 'America/Sao_Paulo')::date, 2),
    (${account}::uuid, (now() at time zone 'America/Sao_Paulo' - interval '1 month')::date, 840)`.execute(
    rows.db,
  );
  await sql`update account set monthly_limit = 10 where id = ${account}::uuid`.execute(rows.db);
  await open(page, "uso");
  await expect(page.getByRole("progressbar", { name: "Uso do limite do mês" })).toHaveAttribute(
    "aria-valuetext",
    "9 de 10 mensagens",
  );
  await expect(page.getByText("1 mensagem resta neste mês")).toBeVisible();
  await expect(page.getByText("90,0% do limite já foi usado.")).toBeVisible();
  await expect(page.getByRole("definition")).toHaveText(["7", "2"]);
  const before = page.getByRole("table", { name: "Meses anteriores" });
  await expect(before.getByRole("row").nth(1)).toContainText("840");
  await sql`update account set monthly_limit = 9 where id = ${account}::uuid`.execute(rows.db);
  await page.clock.runFor(15_000);
  await expect(page.getByText("O limite do mês foi atingido.")).toBeVisible();
});
