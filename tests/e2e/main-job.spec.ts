import { createHash } from "node:crypto";
import fs from "node:fs";
import { type ConsoleMessage, expect, type Page, type TestInfo } from "@playwright/test";
import type { MessageView } from "../../simulators/whatsapp/control-answers.ts";
import type { LocalSimulator } from "../../simulators/whatsapp/local.ts";
import type { CampaignPage } from "../../src/contract/campaigns.ts";
import type { ProductServer } from "../support/server.ts";
import { importAs } from "./support/import-steps.ts";
import { createCampaign } from "./support/last-look.ts";
import { readRisk, signUpByForm } from "./support/person.ts";
import { pictureDifference, testPicture } from "./support/pictures.ts";
import { productAs } from "./support/product.ts";
import { readQr } from "./support/qr.ts";

const DEVICE = "5531907773055";
const CAMPAIGN = "Semana do cliente";
const TEXT = "Oi, {nome}! Até sábado, *20% de desconto* na Ótica Horizonte.";

const PEOPLE = [
  ["Conceição Araújo", "(31) 90234-1187", "5531902341187"],
  ["José Antônio Simões", "31 90871-4420", "5531908714420"],
  ["Zélia Brandão", "+55 31 90562-0093", "5531905620093"],
  ["Íris Peçanha", "031 90417-5519", "5531904175519"],
  ["João Guimarães", "5511907361184", "5511907361184"],
  ["Otávio Leão", "31 8765-4321", "5531987654321"],
  ["Márcia Falcão", "(21) 90100 7719", "5521901007719"],
  ["", "85 90777-0001", "5585907770001"],
  ["Inês Assunção", "31 90333 2210", "5531903332210"],
  ["Cauã Teixeira", "37 90588-1402", "5537905881402"],
] as const;
const REPEATED = ["Conceição de novo;+55 (31) 90234-1187", "Cauã T.;37905881402"];
const REFUSED = ["Sem Número;", "Excel estragou;5,51199E+12", "Curto demais;90233-1"];

/**
 * As a person installs it, with its own PostgreSQL: it is killed. A lost acknowledgement is waited for 3 s
 * instead of 60; the campaign's interval is unchanged.
 */
const test = productAs(({ whatsapp }) => ({
  databaseUrl: null,
  preload: ["simulators/whatsapp/preload.ts"],
  env: { RECADO_SIMULATOR: whatsapp.controlUrl, RECADO_TIME_SCALE: "0.05" },
}));

let simulator: LocalSimulator;
let product: ProductServer;

test.use({ viewport: { width: 1440, height: 900 }, deviceScaleFactor: 2 });
test.beforeEach(({ whatsapp, product: started }) => {
  simulator = whatsapp;
  product = started;
});

test("26.20 the main job: a stranger signs up, and everybody on an Excel list gets the campaign once, though the server is killed midway @spec 0.1,1.1,2.1,2.3,4.5,4.8 @decision 5,8,10", async ({
  page,
}, info) => {
  const errors: string[] = [];
  page.on("pageerror", (error) => errors.push(error.message));
  const picture = await testPicture();

  await meetLogin(page);
  await signUpByForm(page);
  await readRisk(page);
  await connectByQr(page, info);
  await importFile(page, info);
  await writeCampaign(page, info, picture);
  await killMidway(page, info);
  const messages = await expectOneMessageEach(page, picture);
  await expectReceiptsShown(page, info, messages);
  await expectDashboard(page, info);
  expect(errors).toEqual([]);
  expect((await simulator.control.stats({})).problems).toEqual([]);
});

const shot = (page: Page, info: TestInfo, name: string) =>
  page.screenshot({ path: info.outputPath(`${name}.png`) });

const go = (page: Page, place: string) =>
  page.getByRole("navigation", { name: "Principal" }).getByRole("link", { name: place }).click();

async function meetLogin(page: Page): Promise<void> {
  const errors: string[] = [];
  const note = (message: ConsoleMessage) => void (message.type() === "error" && errors.push(message.text()));
  page.on("console", note);
  await page.goto("/");
  await expect(page).toHaveURL(/\/login$/);
  await expect(page.getByRole("button", { name: "Entrar" })).toBeVisible();
  expect(errors).toEqual([]);
  page.off("console", note);
}

async function connectByQr(page: Page, info: TestInfo): Promise<void> {
  await page.goto("/baileys");
  await page.getByLabel("Número do WhatsApp").fill("+55 31 90777-3055");
  await page.getByLabel("Nome da Conexão").fill("Matriz – Centro");
  await page.getByRole("button", { name: "Conectar", exact: true }).click();
  const code = page.getByRole("img", { name: "QR Code para conectar o WhatsApp" });
  await expect(code).toBeVisible();
  await shot(page, info, "1-qr");
  await simulator.control.scan({ qr: await readQr(code), phone: DEVICE });
  await expect(page.getByText("WhatsApp conectado com sucesso!")).toBeVisible();
  await expect(code).toBeHidden();
  await expect(page.getByRole("status").getByText("Conectado", { exact: true })).toBeVisible();
  await shot(page, info, "2-connected");
}

function excelFile(): Buffer {
  const rows = PEOPLE.map(([name, phone]) => `${name};${phone}`);
  return Buffer.from(`${["Nome;Telefone", ...rows, ...REPEATED, ...REFUSED].join("\r\n")}\r\n`, "latin1");
}

async function importFile(page: Page, info: TestInfo): Promise<void> {
  await go(page, "Contatos");
  await page.getByRole("button", { name: "Importar", exact: true }).first().click();
  const dialog = page.getByRole("dialog");
  const chooser = page.waitForEvent("filechooser");
  await dialog.getByRole("button", { name: "Escolher arquivo" }).click();
  await (await chooser).setFiles({
    name: "clientes.csv",
    mimeType: "application/vnd.ms-excel",
    buffer: excelFile(),
  });
  await importAs(dialog, "Clientes Savassi");

  await expect(dialog.getByRole("heading", { name: "Importação concluída" })).toBeVisible();
  await expect(dialog).toContainText("Clientes Savassi, 15 linhas");
  for (const sum of ["importados10", "repetidos, unidos2", "recusados3"])
    await expect(dialog.locator("dl")).toContainText(sum);
  await expect(dialog.getByText("1 celular antigo: nono dígito acrescentado.")).toBeVisible();
  const refused = dialog.getByRole("region", { name: "Linhas recusadas" }).getByRole("row");
  await expect(refused).toHaveText([
    /Linha/,
    /^14Sem Número\(vazio\)Falta o telefone/,
    /^15Excel estragou5,51199E\+12Telefone em notação científica/,
    /^16Curto demais90233-1Faltam dígitos/,
  ]);
  await shot(page, info, "3-import-report");
  const download = page.waitForEvent("download");
  await dialog.getByRole("link", { name: "Baixar linhas recusadas" }).click();
  const rows = fs
    .readFileSync(await (await download).path(), "utf8")
    .trim()
    .split(/\r?\n/);
  expect(rows).toHaveLength(1 + REFUSED.length);
  for (const [at, row] of REFUSED.entries()) expect(rows[at + 1]?.replaceAll('"', "")).toContain(row);
  await dialog.getByRole("button", { name: "Concluir" }).click();
  const list = page.getByRole("article", { name: "Clientes Savassi" });
  await expect(list).toContainText("10 contatos");
  await expect(list).toContainText("Conceição Araújo+55 31 90234-1187");
}

async function writeCampaign(page: Page, info: TestInfo, picture: Buffer): Promise<void> {
  await go(page, "Campanhas");
  await page.getByRole("main").getByRole("link", { name: "Nova Campanha" }).first().click();
  await page.getByLabel("Nome da campanha").fill(CAMPAIGN);
  await page.getByLabel("Texto", { exact: true }).fill(TEXT);
  await page.getByLabel("Quando o contato não tem nome").fill("cliente");
  const chooser = page.waitForEvent("filechooser");
  await page.getByRole("button", { name: "Escolher arquivo" }).click();
  await (await chooser).setFiles({ name: "oferta.png", mimeType: "image/png", buffer: picture });
  await page.getByLabel("Lista de contatos").selectOption({ label: "Clientes Savassi (10)" });
  await page.getByLabel("Intervalo entre mensagens").fill("1");
  const preview = page.getByRole("complementary", { name: "Pré-visualização" });
  await expect(preview).toContainText(
    "Oi, Conceição Araújo! Até sábado, 20% de desconto na Ótica Horizonte.",
  );
  await expect(preview.getByRole("img", { name: "Imagem da campanha" })).toBeVisible();
  await preview.getByRole("button", { name: "Próximo contato" }).click();
  await expect(preview).toContainText("Oi, José Antônio Simões!");
  await shot(page, info, "4-new-campaign");
  await createCampaign(page);
  await expect(page.getByText("Campanha criada: o envio começa agora")).toBeVisible();
  await expect(card(page)).toContainText("Em Andamento");
}

const card = (page: Page) => page.getByRole("article", { name: CAMPAIGN });
const figures = (page: Page) => card(page).getByRole("definition");
const sentShown = async (page: Page) => Number(await figures(page).nth(1).textContent());

async function killMidway(page: Page, info: TestInfo): Promise<void> {
  await page.evaluate(() => Object.assign(window, { sameDocument: true }));
  await expect.poll(() => sentShown(page), { intervals: [100] }).toBeGreaterThanOrEqual(3);
  const { control } = simulator;
  // No receipts for now: only the resend can settle that message.
  await control.clock({ hold: true });
  await control.faults({ dropAcks: 1 });
  await expect.poll(async () => (await control.stats({})).acksDropped, { intervals: [20] }).toBe(1);
  await product.kill9();
  const reached = (await control.messages({ from: DEVICE })).total;
  expect(reached).toBeGreaterThan(await sentShown(page));
  expect(reached).toBeLessThan(PEOPLE.length);
  await shot(page, info, "5-killed-midway");

  await product.start();
  await expect(card(page)).toContainText("Concluída");
  await expect(card(page)).not.toContainText("Concluída com falhas");
  await expect(figures(page)).toHaveText(["10", "10", "0", "0"]);
  await control.clock({ hold: false });
  expect(await page.evaluate(() => "sameDocument" in window)).toBe(true);
  await shot(page, info, "6-completed");
}

async function expectOneMessageEach(page: Page, picture: Buffer): Promise<MessageView[]> {
  const { control } = simulator;
  const campaigns = await page.request.get("/api/campaigns");
  const { items } = (await campaigns.json()) as CampaignPage;
  const stored = await page.request.get(`/api/attachments/${items[0]?.attachment?.id}`);
  const bytes = await stored.body();
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  expect(await pictureDifference(bytes, picture)).toBeLessThan(3);

  const held: MessageView[] = [];
  for (const [name, , phone] of PEOPLE) {
    const { messages } = await control.messages({ to: phone });
    expect(messages.map(({ text }) => text)).toEqual([TEXT.replace("{nome}", name || "cliente")]);
    expect(messages[0]?.image).toMatchObject({ sha256, width: 640, height: 480 });
    held.push(...messages);
  }
  expect((await control.messages({ shown: false })).total).toBe(PEOPLE.length);
  expect(held.map(({ accepted }) => accepted).sort()).toEqual([...Array(PEOPLE.length - 1).fill(1), 2]);
  return held;
}

async function expectReceiptsShown(page: Page, info: TestInfo, messages: MessageView[]): Promise<void> {
  await card(page).getByRole("link", { name: "Ver Detalhes" }).click();
  const dialog = page.getByRole("dialog", { name: "Detalhes dos Envios" });
  const chip = (status: string) => dialog.getByRole("button", { name: new RegExp(`^${status} \\d`) });
  const rows = dialog.getByRole("row").filter({ hasText: "+55" });
  await expect(chip("Entregue")).toHaveText("Entregue 10");
  await expect(rows.first()).toContainText("Conceição Araújo+55 31 90234-1187Entregue");
  const readers = messages.slice(0, 4);
  for (const { id, to } of readers)
    await simulator.control.receipts({ from: to, to: DEVICE, ids: [id], type: "read" });
  await expect(chip("Lido")).toHaveText("Lido 4");
  await expect(chip("Entregue")).toHaveText("Entregue 6");
  for (const [at, status] of ["Lido", "Lido", "Lido", "Lido", "Entregue"].entries())
    await expect(rows.nth(at)).toContainText(status);
  await shot(page, info, "7-details-read");
  await dialog.getByRole("button", { name: "Fechar", exact: true }).last().click();
  await expect(figures(page)).toHaveText(["10", "10", "4", "0"]);
}

async function expectDashboard(page: Page, info: TestInfo): Promise<void> {
  await go(page, "Dashboard");
  const figure = (name: string) => page.getByRole("region", { name }).locator("[data-ui~=figure]");
  await expect(figure("Mensagens enviadas")).toHaveText("10");
  await expect(figure("Contatos")).toHaveText("10");
  await expect(figure("Taxa de entrega")).toHaveText("100,0%");
  const gauge = page.getByRole("region", { name: "Taxa de entrega" }).getByRole("definition");
  await expect(gauge).toHaveText(["10", "10", "4", "0", "0"]);
  const recent = page.getByRole("table", { name: "Campanhas Recentes" }).getByRole("row");
  await expect(recent).toHaveCount(2);
  await expect(recent.nth(1)).toContainText(new RegExp(`${CAMPAIGN}.*Concluída.*10.*100,0%`));
  await shot(page, info, "8-dashboard");
}
