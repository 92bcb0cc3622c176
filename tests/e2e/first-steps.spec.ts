import { expect, type Page, type TestInfo, test } from "@playwright/test";
import { type LocalSimulator, startLocalSimulator } from "../../simulators/whatsapp/local.ts";
import { quietSignal } from "../../simulators/whatsapp/quiet-signal.ts";
import type { Me } from "../../src/contract/accounts.ts";
import type { CampaignPage } from "../../src/contract/campaigns.ts";
import { listRow } from "../support/campaign-rows.ts";
import { type ProductServer, startProduct } from "../support/server.ts";
import { expectAccessible } from "./support/axe.ts";
import { heldAnswer } from "./support/held-answer.ts";
import { confirmLook } from "./support/last-look.ts";
import { signUpByForm, signUpUnread } from "./support/person.ts";
import { accountOf, heldConnection, type ProductRows, productRows } from "./support/product-rows.ts";
import { readQr } from "./support/qr.ts";

const DEVICE = "5531907773055";
const OTHER = "5531902341187";
const UNREGISTERED = "5531900000404";
const TEXT = "Oi, {nome}! Até sábado, *20% de desconto*.";

let simulator: LocalSimulator;
let product: ProductServer;
let rows: ProductRows;

test.use({ viewport: { width: 1440, height: 900 } });
test.beforeAll(async () => {
  quietSignal();
  simulator = await startLocalSimulator();
  product = await startProduct({
    preload: ["simulators/whatsapp/preload.ts"],
    env: { RECADO_TIME_SCALE: "0.05", RECADO_SIMULATOR: simulator.controlUrl },
  });
  rows = await productRows(product);
});
test.afterAll(async () => {
  await rows.close();
  await product.close();
  await simulator.stop();
});

const steps = (page: Page) => page.getByRole("region", { name: "Primeiros passos" });
const undone = (page: Page) => steps(page).getByRole("link");
const go = (page: Page, place: string) =>
  page.getByRole("navigation", { name: "Principal" }).getByRole("link", { name: place }).click();

async function expectUndone(page: Page, titles: readonly string[]): Promise<void> {
  await expect(undone(page).getByRole("heading")).toHaveText([...titles]);
  await expect(steps(page)).toContainText(`${4 - titles.length} de 4 concluídos`);
}

const shot = (page: Page, info: TestInfo, name: string) =>
  page.screenshot({ path: info.outputPath(`${name}.png`) });

test("a new account's first five minutes: each step ticks itself off, and then the list is gone", async ({
  page,
}, info) => {
  await signUpByForm(page, product.url);
  await expectUndone(page, [
    "Conecte um número",
    "Importe seus contatos",
    "Envie um teste para você",
    "Crie a primeira campanha",
  ]);
  await shot(page, info, "1-open");
  await connect(page);
  await importPeople(page);
  await sendTest(page, info);
  await createFirst(page, info);
  await go(page, "Dashboard");
  await expect(page.getByRole("heading", { name: "Campanhas Recentes" })).toBeVisible();
  await expect(steps(page)).toHaveCount(0);
  const me = async () => (await (await page.request.get(`${product.url}/api/me`)).json()) as Me;
  await expect.poll(async () => (await me()).stepsHidden).toBe(true);
  expect((await me()).riskRead).toBe(true);
});

async function connect(page: Page): Promise<void> {
  const dashboard = await page.context().newPage();
  await dashboard.goto(product.url);
  await undone(page).first().click();
  await page.getByLabel("Número do WhatsApp").fill("+55 31 90777-3055");
  await page.getByRole("button", { name: "Conectar", exact: true }).click();
  const code = page.getByRole("img", { name: "QR Code para conectar o WhatsApp" });
  await simulator.control.scan({ qr: await readQr(code), phone: DEVICE });
  await expect(page.getByText("WhatsApp conectado com sucesso!")).toBeVisible();
  await expectUndone(dashboard, [
    "Importe seus contatos",
    "Envie um teste para você",
    "Crie a primeira campanha",
  ]);
  await dashboard.close();
}

async function importPeople(page: Page): Promise<void> {
  await go(page, "Dashboard");
  await expectUndone(page, ["Importe seus contatos", "Envie um teste para você", "Crie a primeira campanha"]);
  await undone(page).first().click();
  await page.getByRole("button", { name: "Importar", exact: true }).first().click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Nome da lista").fill("Clientes");
  await dialog.getByRole("tab", { name: "Colar JSON" }).click();
  await dialog.getByLabel("Contatos em JSON").fill(`[{ "name": "Ana", "phone": "31 90234-1187" }]`);
  await dialog.getByRole("button", { name: "Importar" }).click();
  await dialog.getByRole("button", { name: "Concluir" }).click();
  await go(page, "Dashboard");
  await expectUndone(page, ["Envie um teste para você", "Crie a primeira campanha"]);
}

async function sendTest(page: Page, info: TestInfo): Promise<void> {
  await undone(page).first().click();
  const trial = page.getByRole("region", { name: "Enviar teste" });
  const number = trial.getByLabel("Número que recebe");
  const send = trial.getByRole("button", { name: /^Enviar (outro )?teste$/ });
  const result = trial.getByRole("status", { name: "Resultado do teste" });
  await expect(number).toHaveValue("+55 31 90777-3055");
  await expect(trial).toContainText("É o próprio número conectado");

  await send.click();
  await expect(trial.getByRole("alert")).toContainText("Corrija a mensagem antes de enviar o teste.");
  await expect(page.getByText("Escreva a mensagem.", { exact: true })).toBeVisible();

  await page.getByLabel("Texto", { exact: true }).fill(TEXT);
  await trial.getByLabel("No lugar de {nome}").fill("Bia");
  await send.click();
  await expect(result).toContainText(/Para \+55 31 90777-3055(Enviado|Entregue)/);
  const own = await simulator.control.messages({ to: DEVICE, atLeast: 1 });
  expect(own.messages.map(({ text }) => text)).toEqual([TEXT.replace("{nome}", "Bia")]);
  await shot(page, info, "2-sent");

  await number.fill("31 90234-1187");
  await send.click();
  await expect(result).toContainText("Para +55 31 90234-1187Entregue");
  const { messages } = await simulator.control.messages({ to: OTHER, atLeast: 1 });
  await simulator.control.receipts({
    from: OTHER,
    to: DEVICE,
    ids: [messages[0]?.id ?? ""],
    type: "read",
  });
  await expect(result).toContainText("Lido");
  await expect(result).toContainText("Foi lida");

  await simulator.control.people({ phones: [UNREGISTERED], settings: { onWhatsApp: false } });
  await number.fill(UNREGISTERED);
  await send.click();
  await expect(result).toContainText("Erro");
  await expect(result).toContainText("este número não tem WhatsApp");
  await number.fill("90234-1187");
  await send.click();
  await expect(trial).toContainText("Falta o DDD. Use DDD e número: 31 90234-1187");
  await trial.getByRole("button", { name: "Usar o número conectado, +55 31 90777-3055" }).click();
  await expect(number).toHaveValue("+55 31 90777-3055");
  const campaigns = await page.request.get(`${product.url}/api/campaigns`);
  expect(((await campaigns.json()) as CampaignPage).summary.total).toBe(0);
}

async function createFirst(page: Page, info: TestInfo): Promise<void> {
  const create = page.getByRole("button", { name: "Criar Campanha" });
  const notice = page.getByRole("dialog", { name: "Antes da primeira campanha" });
  await create.click();
  await expect(page.getByText("Preencha este campo.")).toBeVisible();
  await expect(notice).toHaveCount(0);
  await page.getByLabel("Nome da campanha").fill("Semana do cliente");
  await page.getByRole("button", { name: "Salvar Rascunho" }).click();
  await expect(page.getByText("Rascunho salvo")).toBeVisible();
  await page.getByRole("link", { name: "Continuar" }).click();
  await page.getByLabel("Lista de contatos").selectOption({ label: "Clientes (1)" });
  await page.getByLabel("Intervalo entre mensagens").fill("1");
  await create.click();
  await expect(notice).toContainText("O WhatsApp pode bloquear o número que envia em massa");
  await expect(notice.getByRole("link", { name: /^Política de mensagens/ })).toHaveAttribute(
    "href",
    "https://business.whatsapp.com/policy",
  );
  await expectAccessible(page);
  await shot(page, info, "3-notice");
  await notice.getByRole("button", { name: "Cancelar" }).click();
  await expect(create).toBeFocused();
  expect((await simulator.control.messages({ to: OTHER })).total).toBe(1);
  await create.click();
  await notice.getByRole("button", { name: "Entendi, criar campanha" }).click();
  await confirmLook(page);
  await expect(page.getByText("Campanha criada: o envio começa agora")).toBeVisible();
  const { messages } = await simulator.control.messages({ to: OTHER, atLeast: 2 });
  expect(messages.map(({ text }) => text)).toContain(TEXT.replace("{nome}", "Ana"));
}

test("the list is put away, comes back by «Desfazer» or from the settings, and stays away over a reload", async ({
  page,
}) => {
  await signUpUnread(page, product.url);
  const putAway = steps(page).getByRole("button", { name: "Dispensar os primeiros passos" });
  const late = await heldAnswer(page, /\/api\/settings\/profile$/);
  await putAway.click();
  await late.asked;
  await putAway.click();
  late.answer();
  await expect(steps(page)).toHaveCount(0);
  await page.getByRole("button", { name: "Desfazer" }).click();
  await expect(steps(page)).toBeVisible();
  await putAway.press("Enter");
  await expect(steps(page)).toHaveCount(0);
  await expect(page.getByRole("main")).toBeFocused();
  await page.reload();
  await expect(page.getByRole("heading", { name: "Nenhuma campanha ainda" })).toBeVisible();
  await expect(steps(page)).toHaveCount(0);
  await page.goto(`${product.url}/settings`);
  await page.getByRole("button", { name: "Mostrar no painel" }).click();
  await expect(page.getByText("Os primeiros passos voltaram ao painel.")).toBeVisible();
  await go(page, "Dashboard");
  await expectUndone(page, [
    "Conecte um número",
    "Importe seus contatos",
    "Envie um teste para você",
    "Crie a primeira campanha",
  ]);
});

// Each theme and each size once: an error of one is not hidden by the other.
for (const [colorScheme, width] of [
  ["light", 1440],
  ["dark", 390],
] as const) {
  test(`first steps and test are accessible, ${colorScheme}, ${width} px`, async ({ page }, info) => {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height: 900 });
    const email = await signUpUnread(page, product.url);
    await expect(steps(page)).toBeVisible();
    await expectAccessible(page);
    await shot(page, info, `steps-${width}-${colorScheme}`);
    await page.goto(`${product.url}/campaigns/new?teste=true`);
    const trial = page.getByRole("region", { name: "Enviar teste" });
    await expect(trial).toContainText("Conecte um número de WhatsApp para enviar um teste.");
    await expectAccessible(page);

    const account = await accountOf(rows.db, email);
    await heldConnection(rows.db, account, "connected", "Matriz");
    await listRow(rows.db, account, 12, "Clientes");
    await page.reload();
    await page.getByLabel("Nome da campanha").fill("Semana do cliente");
    await page.getByLabel("Texto", { exact: true }).fill(TEXT);
    await page.getByLabel("Lista de contatos").selectOption({ label: "Clientes (12)" });
    await trial.getByRole("button", { name: "Enviar teste" }).click();
    // No lane runs for this connection: a test message waits, and the page says so.
    await expect(trial).toContainText("Ainda na fila desta conexão.", { timeout: 60_000 });
    await expectAccessible(page);
    await trial.scrollIntoViewIfNeeded();
    await shot(page, info, `test-${width}-${colorScheme}`);
    await page.getByRole("button", { name: "Criar Campanha" }).click();
    await expect(page.getByRole("dialog", { name: "Antes da primeira campanha" })).toBeVisible();
    await expectAccessible(page);
    await shot(page, info, `risk-${width}-${colorScheme}`);
  });
}
