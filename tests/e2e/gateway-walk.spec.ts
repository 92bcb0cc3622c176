import { expect, type Page, type TestInfo } from "@playwright/test";
import type { Evolution } from "../../simulators/evolution/evolution.ts";
import type { MistralStandIn } from "../../simulators/mistral/stand-in.ts";
import { OPT_OUT_CONFIRMATION } from "../../src/contract/error-messages.ts";
import { importAs } from "./support/import-steps.ts";
import { createCampaign } from "./support/last-look.ts";
import { readRisk, signUpByForm } from "./support/person.ts";
import { test } from "./support/product.ts";
import { readQr } from "./support/qr.ts";
import { field, log, thread } from "./support/talks.ts";

const INSTANCE = "vendas";
const NUMBER = "5531907773055";
const LIST = "Clientes Savassi";
const AGENT = "Atendente da Ótica";
const ANA = { name: "Ana Beatriz Rocha", phone: "5531902341187" };
const BRUNO = { name: "Bruno Carvalho", phone: "5531905620001" };
const RITA = { name: "Rita Moura", phone: "5511907361184" };
const GONE = { name: "Número Desligado", phone: "5521901007719" };
const PEOPLE = [ANA, BRUNO, RITA, GONE];

let gateway: Evolution;
let mistral: MistralStandIn;

test.use({ viewport: { width: 1440, height: 900 }, deviceScaleFactor: 2 });
test.beforeEach(({ simulators, mistral: emptied }) => {
  gateway = simulators.evolution;
  mistral = emptied;
});

test("a business brings its gateway, sends through it, answers people, and lets an assistant answer @spec 1.5,2.71,7.32 @decision 15,22", async ({
  page,
}, info) => {
  const errors: string[] = [];
  page.on("pageerror", (error) => errors.push(error.message));

  await signUpByForm(page);
  await readRisk(page);
  await registerGateway(page, info);
  await createInstance(page, info);
  gateway.world.person({ phone: GONE.phone, onWhatsApp: false });
  await importPeople(page);
  await sendCampaign(page, "Semana do cliente");
  await expectReceipts(page, info);
  await answerInChat(page, info);
  await linkAgent(page, info);
  await assistantAnswers(page, info);
  await personTakesOver(page, info);
  await personLeaves(page, info);
  expect(errors).toEqual([]);
  // 204 for a test, 503 for an event of a pending instance: the gateway repeats it.
  const answers = gateway.world.webhooks.map(({ status }) => status ?? 0);
  expect(answers.filter((status) => ![200, 204, 503].includes(status))).toEqual([]);
});

const shot = (page: Page, info: TestInfo, name: string) =>
  page.screenshot({ path: info.outputPath(`${name}.png`) });

const go = (page: Page, place: string) =>
  page.getByRole("complementary", { name: "Menu" }).getByRole("link", { name: place }).click();

const takenFor = ({ phone }: { phone: string }) =>
  gateway.world.accepted.filter((each) => each.phone === phone).map(({ text }) => text);

const said = (page: Page, text: string) => log(page).getByRole("article").filter({ hasText: text });

async function registerGateway(page: Page, info: TestInfo): Promise<void> {
  await go(page, "Evolution");
  await expect(page.getByText("Nenhuma evolution cadastrada.")).toBeVisible();
  await page.getByRole("button", { name: "Cadastrar evolution" }).click();
  const dialog = page.getByRole("dialog", { name: "Cadastrar evolution" });
  await dialog.getByLabel("URL").fill(gateway.url);
  await dialog.getByLabel("API Key", { exact: true }).fill("chave-de-outro-servidor");
  await dialog.getByLabel("Nome").fill("Servidor da loja");
  await dialog.getByRole("button", { name: "Cadastrar", exact: true }).click();
  await expect(page.getByText("O servidor recusou a API Key.")).toBeVisible();
  await shot(page, info, "01-wrong-key");

  await page.getByRole("button", { name: "Ações de Servidor da loja" }).click();
  await page.getByRole("menuitem", { name: "Editar" }).click();
  const edit = page.getByRole("dialog", { name: "Editar Servidor da loja" });
  await edit.getByLabel("API Key", { exact: true }).fill(gateway.apiKey);
  await edit.getByRole("button", { name: "Salvar" }).click();
  const found = page.getByLabel("O que o teste de Servidor da loja encontrou");
  await expect(found).toContainText("Aceita");
  await page.getByRole("button", { name: "Testar" }).click();
  await expect(found).toContainText(/Responde.*Aceita, final d-in.*2\.3\.7.*Em ordem.*Chegam ao Recado/s);
  await expect(page.getByText("Nenhuma instância encontrada.")).toBeVisible();
  await shot(page, info, "02-registered");
}

const card = (page: Page, name: string) => page.getByRole("article", { name });

async function createInstance(page: Page, info: TestInfo): Promise<void> {
  await page.getByRole("button", { name: "Nova Instância" }).first().click();
  const dialog = page.getByRole("dialog", { name: "Nova Instância" });
  await dialog.getByLabel("Nome da instância").fill(INSTANCE);
  await dialog.getByLabel("Número", { exact: true }).fill("31 90777-3055");
  await dialog.getByRole("button", { name: "Gerar token" }).click();
  await dialog.getByRole("button", { name: "Criar instância" }).click();

  const qr = page.getByRole("dialog", { name: "Escaneie o QR Code" });
  const code = qr.getByRole("img", { name: "QR Code para conectar o WhatsApp" });
  await expect(code).toBeVisible();
  await expect(qr.getByText("Código de pareamento")).toBeVisible();
  await shot(page, info, "03-qr");
  await expect(async () => expect(await readQr(code)).toBe(gateway.world.qr(INSTANCE)?.code)).toPass();
  await gateway.world.scan(INSTANCE, { phone: NUMBER, profileName: "Ótica Horizonte" });
  await expect(page.getByText("WhatsApp conectado com sucesso!")).toBeVisible();
  await expect(qr).toBeHidden();
  const linked = card(page, "Ótica Horizonte");
  await expect(linked).toContainText(/\+55 31 90777-3055.*vendas.*Conectado.*Último evento/s);
  await shot(page, info, "04-connected");
}

async function importPeople(page: Page): Promise<void> {
  await go(page, "Contatos");
  await page.getByRole("button", { name: "Importar", exact: true }).first().click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("tab", { name: "Colar JSON" }).click();
  await dialog.getByLabel("Contatos em JSON").fill(JSON.stringify(PEOPLE));
  await importAs(dialog, LIST);
  await dialog.getByRole("button", { name: "Concluir" }).click();
  await expect(card(page, LIST)).toContainText("4 contatos");
}

async function sendCampaign(page: Page, name: string): Promise<void> {
  await go(page, "Campanhas");
  await page.getByRole("main").getByRole("link", { name: "Nova Campanha" }).first().click();
  await page.getByLabel("Nome da campanha").fill(name);
  await page.getByLabel("Conexão WhatsApp").selectOption({ label: INSTANCE });
  await page.getByLabel("Texto", { exact: true }).fill(`Oi, {nome}! ${name}: *20% de desconto*.`);
  await page.getByLabel("Lista de contatos").selectOption({ label: `${LIST} (4)` });
  await page.getByLabel("Intervalo entre mensagens").fill("1");
  await createCampaign(page);
  await expect(page.getByText(/^Campanha criada: o envio começa/)).toBeVisible();
}

async function openDetails(page: Page, campaign: string) {
  await card(page, campaign).getByRole("link", { name: "Ver Detalhes" }).click();
  const dialog = page.getByRole("dialog", { name: "Detalhes dos Envios" });
  return {
    chip: (status: string) => dialog.getByRole("button", { name: new RegExp(`^${status} \\d`) }),
    row: ({ name }: { name: string }) => dialog.getByRole("row").filter({ hasText: name }),
    close: () => dialog.getByRole("button", { name: "Fechar", exact: true }).last().click(),
  };
}

async function expectReceipts(page: Page, info: TestInfo): Promise<void> {
  const { world } = gateway;
  await expect(card(page, "Semana do cliente")).toContainText("Concluída com falhas");
  const details = await openDetails(page, "Semana do cliente");
  await expect(details.chip("Entregue")).toHaveText("Entregue 3");
  await expect(details.row(GONE)).toContainText("Erro");
  world.readBy(ANA.phone);
  await expect(details.chip("Lido")).toHaveText("Lido 1");
  await expect(details.row(ANA)).toContainText("Lido");
  await expect(details.row(BRUNO)).toContainText("Entregue");
  await shot(page, info, "05-receipts");
  await details.close();
  for (const person of [ANA, BRUNO, RITA])
    expect(takenFor(person)).toEqual([`Oi, ${person.name}! Semana do cliente: *20% de desconto*.`]);
  expect(takenFor(GONE)).toEqual([]);
}

async function answerInChat(page: Page, info: TestInfo): Promise<void> {
  const { world } = gateway;
  await go(page, "Chat");
  await expect(page.getByText("Nenhuma conversa")).toBeVisible();
  world.reply(INSTANCE, BRUNO.phone, "QUERO", { pushName: "brunão" });
  await expect(page.getByRole("heading", { level: 2, name: BRUNO.name })).toBeVisible();
  world.reply(INSTANCE, ANA.phone, "Vale para óculos de sol?");
  await expect(thread(page, /Ana Beatriz/)).toContainText(/Vale para óculos de sol\?.*1 mensagem não lida/s);
  await shot(page, info, "06-unread");

  await thread(page, /Ana Beatriz/).click();
  await expect(said(page, "20% de desconto")).toContainText("Campanha «Semana do cliente»");
  await expect(thread(page, /Ana Beatriz/)).not.toContainText("não lida");
  await field(page).fill("Vale sim, para toda a loja.");
  await field(page).press("Enter");
  const answer = said(page, "Vale sim");
  await expect(answer).toContainText("Entregue");
  expect(takenFor(ANA).at(-1)).toBe("Vale sim, para toda a loja.");
  world.readBy(ANA.phone);
  await expect(answer).toContainText("Lido");
  await shot(page, info, "07-answered");
}

async function linkAgent(page: Page, info: TestInfo): Promise<void> {
  await go(page, "Meus Robôs");
  await page.getByRole("button", { name: "Cadastrar chave" }).click();
  await page.getByRole("textbox", { name: "Chave de API" }).fill("mistral-key-1");
  await page.getByRole("button", { name: "Testar e guardar" }).click();
  await page.getByRole("link", { name: "Criar robô" }).first().click();
  await page.getByLabel("Nome").fill(AGENT);
  await page.getByLabel("Instruções").fill("Você atende a Ótica Horizonte. Seja breve.");
  await page.getByRole("button", { name: "Criar Robô" }).click();
  await expect(page.getByText("Robô criado com sucesso!")).toBeVisible();

  await go(page, "Evolution");
  await page.getByRole("button", { name: "Vincular assistente a Ótica Horizonte" }).click();
  const dialog = page.getByRole("dialog", { name: "Assistente" });
  await dialog.getByRole("button", { name: `Vincular ${AGENT}` }).click();
  await expect(dialog.getByRole("region", { name: AGENT })).toContainText("Ativo");
  await shot(page, info, "08-linked");
  await dialog.getByRole("button", { name: "Fechar", exact: true }).last().click();
  await expect(card(page, "Ótica Horizonte")).toContainText(`${AGENT} responde`);
}

async function openAnswers(page: Page) {
  await page.getByRole("button", { name: "Respostas do assistente" }).click();
  return page.getByRole("dialog", { name: "Respostas do assistente" });
}

async function assistantAnswers(page: Page, info: TestInfo): Promise<void> {
  const { world } = gateway;
  mistral.answers(() => "Abrimos aos sábados, das 9h às 13h.");
  await go(page, "Chat");
  await thread(page, /Ana Beatriz/).click();
  await expect(page.getByText(`${AGENT} responde nesta conversa`)).toBeVisible();
  world.reply(INSTANCE, ANA.phone, "Vocês abrem no sábado?");
  const answer = said(page, "Abrimos aos sábados");
  await expect(answer).toContainText(/Assistente.*Entregue/s);
  expect(takenFor(ANA).at(-1)).toBe("Abrimos aos sábados, das 9h às 13h.");
  expect(world.presences).toMatchObject([{ instance: INSTANCE, presence: "composing" }]);
  const [asked] = mistral.completions();
  expect(asked?.messages.map(({ role, content }) => [role, content])).toEqual([
    ["assistant", `Oi, ${ANA.name}! Semana do cliente: *20% de desconto*.`],
    ["user", "Vale para óculos de sol?"],
    ["assistant", "Vale sim, para toda a loja."],
    ["user", "Vocês abrem no sábado?"],
  ]);
  await shot(page, info, "09-assistant-answered");
  const answers = await openAnswers(page);
  await expect(answers.getByRole("listitem")).toContainText([
    /Respondida.*Vocês abrem no sábado\?.*Abrimos aos sábados/s,
  ]);
  await shot(page, info, "10-trace");
  await page.keyboard.press("Escape");
}

async function personTakesOver(page: Page, info: TestInfo): Promise<void> {
  const { world } = gateway;
  world.typedOnPhone(INSTANCE, ANA.phone, "Ana, aqui é a Marina. Deixa comigo!");
  await expect(said(page, "Deixa comigo")).toContainText("Celular");
  await expect(page.getByText(/em pausa até .*: alguém respondeu aqui/)).toBeVisible();
  const before = takenFor(ANA);
  world.reply(INSTANCE, ANA.phone, "Oba, obrigada!");
  await expect(said(page, "Oba, obrigada!")).toBeVisible();
  world.reply(INSTANCE, BRUNO.phone, "E domingo?");
  await expect(thread(page, /Bruno Carvalho/)).toContainText("Assistente: Abrimos aos sábados");
  expect(takenFor(ANA)).toEqual(before);
  expect(mistral.completions().map(({ messages }) => messages.at(-1)?.content)).toEqual([
    "Vocês abrem no sábado?",
    "QUERO\nE domingo?",
  ]);
  await expect(page.getByText(/em pausa até .*: alguém respondeu aqui/)).toBeVisible();
  await shot(page, info, "11-paused");
}

async function personLeaves(page: Page, info: TestInfo): Promise<void> {
  const { world } = gateway;
  world.reply(INSTANCE, BRUNO.phone, "Sair.");
  await expect.poll(() => takenFor(BRUNO).at(-1)).toBe(OPT_OUT_CONFIRMATION);
  await thread(page, /Bruno Carvalho/).click();
  await expect(page.getByText("Não quer receber campanhas")).toBeVisible();
  await expect(said(page, OPT_OUT_CONFIRMATION)).toContainText(/Confirmação automática.*Entregue/s);
  world.reply(INSTANCE, BRUNO.phone, "SAIR");
  await expect(log(page).getByText("SAIR", { exact: true })).toBeVisible();
  await shot(page, info, "12-left");

  await go(page, "Contatos");
  await expect(card(page, LIST)).toContainText("Não quer campanhas");
  await shot(page, info, "13-contact");
  await sendCampaign(page, "Última chamada");

  await expect(card(page, "Última chamada")).toContainText("2 enviados + 2 ignorados");
  await expect(card(page, "Última chamada")).toContainText("Concluída");
  const details = await openDetails(page, "Última chamada");
  await expect(details.row(BRUNO)).toContainText("Ignorado (saiu)—este contato pediu para não receber");
  await expect(details.chip("Entregue")).toHaveText("Entregue 2");
  await shot(page, info, "14-left-out");
  expect(takenFor(BRUNO)).toEqual([
    `Oi, ${BRUNO.name}! Semana do cliente: *20% de desconto*.`,
    "Abrimos aos sábados, das 9h às 13h.",
    OPT_OUT_CONFIRMATION,
  ]);
  expect(mistral.completions()).toHaveLength(2);
}
