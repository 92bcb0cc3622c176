import { expect, test } from "@playwright/test";
import { type Evolution, startEvolution } from "../../simulators/evolution/evolution.ts";
import { madeThere } from "../support/calls-there.ts";
import { type ProductServer, startProduct } from "../support/server.ts";
import { expectAccessible } from "./support/axe.ts";
import { colourOf } from "./support/colours.ts";
import {
  createInstance,
  fillInstance,
  newName,
  openScreen,
  register,
  WHERE,
} from "./support/evolution-screen.ts";
import { heldAnswer } from "./support/held-answer.ts";
import { signUp } from "./support/person.ts";
import { pressSays } from "./support/press-says.ts";
import { readQr } from "./support/qr.ts";

const PHONE = "5531907773055";
const SHOWN = "+55 31 90777-3055";

let gateway: Evolution;
let product: ProductServer;

test.beforeAll(async () => {
  gateway = await startEvolution();
  product = await startProduct({ env: { RECADO_PRIVATE_HOSTS: new URL(gateway.url).hostname } });
});
test.afterAll(async () => {
  await product.close();
  await gateway.close();
});
test.afterEach(async () => {
  gateway.world.faults.clear();
  gateway.world.license(false);
});

test("a server is registered with a wrong key, mended, and deleted @spec 2.9,2.63,8.10 @decision 3,20", async ({
  page,
}) => {
  await openScreen(page, product);
  await expect(page.getByText("Nenhuma evolution cadastrada.")).toBeVisible();
  await expect(page.getByText("Este produto usa a Evolution API.")).toBeVisible();
  await expectAccessible(page);

  await page.getByRole("button", { name: "Cadastrar evolution" }).click();
  const form = page.getByRole("dialog", { name: "Cadastrar evolution" });
  await form.getByRole("button", { name: "Cadastrar" }).click();
  await expect(form.getByText("Informe a URL do servidor.")).toBeVisible();
  await expect(form.getByText("Informe a API Key do servidor.")).toBeVisible();
  await form.getByLabel("URL").fill("http://10.0.0.7:8080");
  await form.getByLabel("API Key", { exact: true }).fill("qualquer-chave-12345");
  await form.getByRole("button", { name: "Cadastrar" }).click();
  await expect(form.getByText("Endereço interno não permitido pelo administrador.")).toBeVisible();
  await expectAccessible(page);
  await form.getByRole("button", { name: "Cancelar" }).click();

  await register(page, gateway, "a-key-that-is-not-the-one");
  const card = page.getByRole("region", { name: "Evolution escolhida" });
  await expect(card.getByText("Recusada, final -one")).toBeVisible();
  await expect(card.getByText("O servidor recusou a API Key.")).toBeVisible();
  const alert = page.getByRole("alert").filter({
    hasText: "Erro ao buscar instâncias. Verifique se a URL e API Key estão corretas.",
  });
  await expect(alert).toContainText("O gateway recusou a chave de API.");
  await expectAccessible(page);

  await card.getByRole("button", { name: `Ações de ${WHERE}` }).click();
  await page.getByRole("menuitem", { name: "Editar" }).click();
  const editing = page.getByRole("dialog", { name: `Editar ${WHERE}` });
  await editing.getByLabel("API Key", { exact: true }).fill(gateway.apiKey);
  await editing.getByRole("button", { name: "Salvar" }).click();
  await expect(editing).toBeHidden();
  for (const words of ["Responde", "2.3.7", "Em ordem", "Chegam ao Recado"])
    await expect(card.getByText(words, { exact: true })).toBeVisible();
  await expect(card.getByText(/^Aceita, final /)).toBeVisible();
  await expect(alert).toBeHidden();

  gateway.world.license(true);
  await card.getByRole("button", { name: "Testar" }).click();
  await expect(card.getByText("A licença deste servidor ainda não foi ativada.")).toBeVisible();
  await expect(card.getByRole("link", { name: "Ativar a licença" })).toHaveAttribute("href", /^https?:/);
  gateway.world.license(false);
  await card.getByRole("button", { name: "Testar" }).click();
  await expect(card.getByText("Em ordem")).toBeVisible();

  await card.getByRole("button", { name: `Ações de ${WHERE}` }).click();
  await page.getByRole("menuitem", { name: "Excluir" }).click();
  const question = page.getByRole("alertdialog");
  await expect(
    question.getByRole("heading", { name: `Tem certeza que deseja excluir a evolution "${WHERE}"?` }),
  ).toBeVisible();
  await question.getByRole("button", { name: "Excluir" }).click();
  await expect(page.getByText("Nenhuma evolution cadastrada.")).toBeVisible();
});

test("an instance is created, scanned, connected and deleted @spec 0.1,1.4,2.60,2.61,2.62,2.64,3.11,4.9,4.18,5.8,5.12 @decision 3,29", async ({
  page,
}) => {
  const name = newName("vendas");
  await openScreen(page, product);
  await register(page, gateway);
  const form = await fillInstance(page, name);
  await form.getByLabel("Evolution", { exact: true }).selectOption("");
  await form.getByLabel("Token", { exact: true }).fill("");
  await form.getByRole("button", { name: "Criar instância" }).click();
  await expect(form.getByText("Selecione uma evolution válida.")).toBeVisible();
  await expect(form.getByText("Informe o token.")).toBeVisible();
  await expectAccessible(page);
  await form.getByLabel("Evolution", { exact: true }).selectOption({ label: WHERE });
  await form.getByRole("button", { name: "Gerar token" }).click();
  await expect(form.getByLabel("Token", { exact: true })).toHaveValue(/^[0-9A-F]{32}$/);
  await form.getByRole("button", { name: "Criar instância" }).click();

  const dialog = page.getByRole("dialog", { name: "Escaneie o QR Code" });
  await expect(dialog).toContainText(`${name}, ${SHOWN}`);
  const picture = dialog.getByRole("img", { name: "QR Code para conectar o WhatsApp" });
  await expect(picture).toHaveAttribute("width", "220");
  await expect(dialog.getByText(/Novo código em 0:[0-4]\d/)).toBeVisible();
  await expect(dialog.getByRole("status")).toHaveText("Aguardando escaneamento do QR Code...");
  await expect(async () => expect(await readQr(picture)).toBe(gateway.world.qr(name)?.code)).toPass();
  // The QR code's margin is part of it, also in forced colours.
  await page.emulateMedia({ colorScheme: "dark", forcedColors: "active" });
  await expect(picture.locator("..")).toHaveCSS("background-color", "rgb(255, 255, 255)");
  await page.emulateMedia({ colorScheme: null, forcedColors: null });
  await expect(dialog.getByText(/^Código de pareamento [A-Z0-9]{4}-[A-Z0-9]{4}$/)).toBeVisible();
  const connecting = page.getByRole("article", { name, includeHidden: true }).getByText("Conectando");
  await expect.poll(() => colourOf(connecting)).toBe("yellow");
  await pressSays(dialog.getByRole("button", { name: "Copiar" }), "Copiado!");
  await expect(dialog.getByText("Copiado!")).toBeHidden();
  await expectAccessible(page);

  await gateway.world.scan(name, { phone: PHONE, profileName: "Ótica Horizonte – Vendas" });
  await expect(page.getByText("WhatsApp conectado com sucesso!")).toBeVisible();
  await expect(dialog).toBeHidden();
  const card = page.getByRole("article", { name: "Ótica Horizonte – Vendas" });
  await expect(card.getByText("Conectado", { exact: true })).toBeVisible();
  await expect.poll(() => colourOf(card.getByText("Conectado", { exact: true }))).toBe("green");
  await expect(card).toContainText(SHOWN);
  for (const label of ["Mensagens", "Contatos", "Chats"])
    await expect(card.getByText(label, { exact: true })).toBeVisible();
  await expect(card.getByText(/^Criada em \d\d\/\d\d\/\d{4} \d\d:\d\d$/)).toBeVisible();
  await expect(card.getByText(/^Último evento (hoje|ontem) às \d\d:\d\d$/)).toBeVisible();

  gateway.world.removeDevice(name);
  await expect(card.getByText("Desconectado", { exact: true })).toBeVisible({ timeout: 60_000 });
  await expect.poll(() => colourOf(card.getByText("Desconectado", { exact: true }))).toBe("red");
  await expect(card).toContainText("A sessão foi encerrada no celular.");
  await card.getByRole("button", { name: /^Gerar QR Code/ }).click();
  await expect(picture).toBeVisible();
  await gateway.world.scan(name, { phone: PHONE });
  await expect(dialog).toBeHidden();
  await expect(card.getByText("Conectado", { exact: true })).toBeVisible();

  await card.getByRole("button", { name: /^Excluir/ }).click();
  const question = page.getByRole("alertdialog");
  await expect(
    question.getByRole("heading", { name: `Tem certeza que deseja excluir a instância "${name}"?` }),
  ).toBeVisible();
  await expectAccessible(page);
  const late = await heldAnswer(page, /\/api\/gateways\/\d+\/instances$/);
  await question.getByRole("button", { name: "Excluir" }).click();
  await expect(page.getByText(`Instância ${name} excluída`)).toBeVisible();
  await expect(question).toBeHidden();
  await expect(card).toBeHidden();
  late.answer();
  await expect.poll(() => gateway.world.instances()).not.toContain(name);
});

test("what fails at the server is said in its place, and nothing is lost by it @spec 8.12,8.13,8.14,8.15,8.16", async ({
  page,
}) => {
  const name = newName("balcao");
  await openScreen(page, product);
  await register(page, gateway);
  const card = await createInstance(page, name);

  const taken = await fillInstance(page, name);
  await taken.getByRole("button", { name: "Criar instância" }).click();
  await expect(
    taken.getByRole("heading", { name: "Erro ao criar instância. Verifique os dados." }),
  ).toBeVisible();
  await expect(taken.getByText("Já existe uma instância com este nome neste gateway.")).toHaveCount(2);
  await taken.getByLabel("Nome da instância").fill("loja do centro");
  await taken.getByRole("button", { name: "Criar instância" }).click();
  await expect(taken.getByText(/^Use de 1 a 60 letras/)).toBeVisible();
  await taken.getByRole("button", { name: "Cancelar" }).click();

  await page.route("**/webhook", (route) =>
    route.fulfill({
      status: 424,
      json: {
        code: "webhook_failed",
        error: "Erro ao configurar webhook. Tente novamente.",
        details: { cause: "gateway_unreachable", reason: "O gateway não respondeu." },
      },
    }),
  );
  await card.getByRole("button", { name: `Configurar webhook de ${name}` }).click();
  const hook = page.getByRole("dialog", { name: "Configurar webhook" });
  await hook.getByLabel("URL do webhook").fill("https://crm.exemplo.com.br/mensagens");
  await hook.getByRole("button", { name: "Salvar" }).click();
  const error = hook.getByRole("alert");
  await expect(
    error.getByRole("heading", { name: "Erro ao configurar webhook. Tente novamente." }),
  ).toBeVisible();
  await expect(error).toContainText("O gateway não respondeu.");
  await hook.getByRole("button", { name: "Cancelar" }).click();

  await page.route("**/reconnect", (route) =>
    route.fulfill({ status: 503, json: { code: "unavailable", error: "O serviço está indisponível." } }),
  );
  await page.route("**/api/connections", async (route) => {
    const answer = await route.fetch();
    const body = (await answer.json()) as { connections: object[] };
    const resting = { state: "disconnected", cause: "logged_out", qr: null, pairingCode: null };
    const connections = body.connections.map((each) => ({ ...each, ...resting }));
    await route.fulfill({ response: answer, json: { connections } });
  });
  await page.reload();
  await card.getByRole("button", { name: /^Gerar QR Code/ }).click();
  await expect(page.getByRole("heading", { name: "Erro ao gerar QR Code. Tente novamente." })).toBeVisible();
  await page.keyboard.press("Escape");

  await card.getByRole("button", { name: `Excluir ${name}` }).click();
  const question = page.getByRole("alertdialog");
  await gateway.world.goDown();
  try {
    await question.getByRole("button", { name: "Excluir" }).click();
    await expect(
      question.getByRole("heading", { name: "Erro ao excluir instância. Tente novamente." }),
    ).toBeVisible();
    await expect(question).toContainText("O gateway não respondeu.");
    await question.getByRole("button", { name: "Cancelar" }).click();
    await page.getByRole("button", { name: "Atualizar" }).click();
    await expect(page.getByRole("alert")).toContainText(
      "Erro ao buscar instâncias. Verifique se a URL e API Key estão corretas.",
    );
    await expect(card).toBeHidden();
  } finally {
    await gateway.world.comeBack();
  }
  const again = page.getByRole("button", { name: "Tentar novamente" });
  await expect(async () => {
    if (await again.isVisible()) await again.click({ timeout: 2_000 });
    await expect(card).toBeVisible({ timeout: 5_000 });
  }).toPass();
  await page.unrouteAll({ behavior: "wait" });
});

test("one of several servers is chosen; a card shows picture, name and number, or that there is none @spec 2.60,2.61,2.63", async ({
  page,
}) => {
  const [name, second] = [newName("ilustrada"), await startEvolution({ apiKey: gateway.apiKey })];
  await madeThere(gateway, name, { qrcode: true });
  await gateway.world.scan(name, { phone: PHONE, profileName: "Loja ilustrada", picture: true });
  await madeThere(second, "sem-numero", { qrcode: true });
  const third = await startEvolution({ apiKey: gateway.apiKey });
  await openScreen(page, product);
  try {
    for (const [title, { url }] of [
      ["Primeira", gateway],
      ["Segunda", second],
      ["Terceira", third],
    ] as const) {
      const data = { name: title, url, apiKey: gateway.apiKey };
      expect((await page.request.post(`${product.url}/api/gateways`, { data })).status()).toBe(201);
    }
    await page.reload();
    const servers = page.getByRole("region", { name: "Evolution escolhida" }).getByRole("combobox");
    await servers.selectOption({ label: "Primeira" });
    const card = page.getByRole("article", { name: "Loja ilustrada" });
    await expect(card).toContainText(SHOWN);
    await expect
      .poll(() =>
        card.locator("img[data-ui~=picture]").evaluate((node: HTMLImageElement) => node.naturalWidth),
      )
      .toBeGreaterThan(0);
    await servers.selectOption({ label: "Segunda" });
    await expect(card).toBeHidden();
    await expect(page.getByRole("article", { name: "sem-numero" })).toContainText("Número não definido");
    await servers.selectOption({ label: "Terceira" });
    await expect(page.getByText("Nenhuma instância encontrada.")).toBeVisible();
  } finally {
    await Promise.all([second.close(), third.close()]);
  }
});

test("the servers that cannot be fetched are said so, with a way on @spec 8.11", async ({ page }) => {
  await signUp(page, product.url);
  // Once the live-update stream is open the page refetches, and the error may vanish before the press.
  await page.route("**/api/events*", (route) => route.abort());
  await page.route("**/api/gateways", (route) => route.abort());
  await page.goto(`${product.url}/instances`);
  await expect(page.getByRole("alert")).toContainText("Erro ao buscar evolutions cadastradas.");
  await page.unroute("**/api/gateways");
  await page.getByRole("button", { name: "Tentar novamente" }).click();
  await expect(page.getByText("Nenhuma evolution cadastrada.")).toBeVisible();
});

test("an own webhook is set, shown again, and ended @spec 0.1,1.4,2.62,2.64,4.18,5.9,8.16 @decision 21,29", async ({
  page,
}) => {
  const name = newName("suporte");
  await openScreen(page, product);
  await register(page, gateway);
  const card = await createInstance(page, name);
  const open = () => card.getByRole("button", { name: `Configurar webhook de ${name}` }).click();
  await open();
  const dialog = page.getByRole("dialog", { name: "Configurar webhook" });
  await expect(dialog.getByLabel("URL do webhook")).toHaveAttribute("type", "url");
  await dialog.getByRole("button", { name: "Salvar" }).click();
  await expect(dialog.getByText("Por favor, informe a URL do webhook")).toBeVisible();
  await dialog.getByLabel("URL do webhook").fill("crm.exemplo.com.br");
  await dialog.getByRole("button", { name: "Salvar" }).click();
  await expect(dialog.getByText(/^Use um endereço completo/)).toBeVisible();
  await expectAccessible(page);
  await dialog.getByLabel("URL do webhook").fill("https://crm.exemplo.com.br/mensagens");
  await dialog.getByRole("button", { name: "Salvar" }).click();
  await expect(page.getByText("Webhook configurado com sucesso!")).toBeVisible();
  await expect(card).toContainText("https://crm.exemplo.com.br/mensagens Nada repassado ainda");
  await open();
  await expect(dialog.getByLabel("URL do webhook")).toHaveValue("https://crm.exemplo.com.br/mensagens");
  await page.keyboard.press("Escape");
  await expect(card.getByRole("button", { name: `Configurar webhook de ${name}` })).toBeFocused();
  await page.keyboard.press("Enter");
  await dialog.getByRole("button", { name: "Parar de repassar" }).click();
  await expect(page.getByText("O repasse parou")).toBeVisible();
  await expect(card).not.toContainText("crm.exemplo.com.br");

  const path = `${product.url}/api/gateways/${new URL(page.url()).searchParams.get("evolution")}`;
  const headers = { origin: product.url };
  await open();
  const data = { url: "https://outro.exemplo.com.br/" };
  expect((await page.request.put(`${path}/instances/${name}/webhook`, { headers, data })).ok()).toBe(true);
  await expect(dialog.getByRole("button", { name: "Parar de repassar" })).toBeVisible();
  await expect(dialog.getByLabel("URL do webhook")).toHaveValue(data.url);
  expect((await page.request.delete(`${path}/instances/${name}`, { headers })).ok()).toBe(true);
  await expect(dialog).toBeHidden();
  await expect(page.getByText(`${name} não está mais no Recado: foi excluída.`)).toBeVisible();
  await expect(card).toHaveCount(0);
  await page.getByRole("button", { name: `Ações de ${WHERE}` }).click();
  await page.getByRole("menuitem", { name: "Editar" }).click();
  expect((await page.request.delete(path, { headers })).ok()).toBe(true);
  await expect(page.getByText("Nenhuma evolution cadastrada.")).toBeVisible();
  await expect(page.getByRole("dialog")).toHaveCount(0);
  await expect(page.getByText(`${WHERE} não está mais no Recado: foi excluída.`)).toBeVisible();
});

test("an instance that exists is taken into use; its former webhook is kept and shown @decision 21", async ({
  page,
}) => {
  const name = newName("antiga");
  const former = "https://crm.exemplo.com.br/antes";
  const webhook = { enabled: true, url: former, headers: {}, byEvents: false, base64: true, events: [] };
  await madeThere(gateway, name, { token: `tok-${name}`, webhook, qrcode: true });
  await gateway.world.scan(name, { phone: "5531902341187", profileName: "Loja antiga" });
  await openScreen(page, product);
  await register(page, gateway);
  const card = page.getByRole("article", { name: "Loja antiga" });
  await expect(card).toContainText("Existe no servidor e ainda não é usada no Recado.");
  await card.getByRole("button", { name: "Usar no Recado" }).click();
  const question = page.getByRole("alertdialog");
  await expect(question).toContainText("O webhook dela passa a ser o do Recado");
  await expectAccessible(page);
  await question.getByRole("button", { name: "Usar no Recado" }).click();
  await expect(card).toContainText(`Webhook de antes, guardado: ${former}`);
  await expect(card.getByText("Conectado", { exact: true })).toBeVisible();
  await card.getByRole("button", { name: /^Configurar webhook/ }).click();
  const dialog = page.getByRole("dialog", { name: "Configurar webhook" });
  await dialog.getByRole("button", { name: "Usar este endereço" }).click();
  await expect(dialog.getByLabel("URL do webhook")).toHaveValue(former);
  await dialog.getByRole("button", { name: "Cancelar" }).click();
  await page
    .getByRole("button", { name: /^Gerar QR Code/ })
    .first()
    .click();
});

for (const colorScheme of ["light", "dark"] as const)
  test(`the screen fits every width and can be read by everybody, ${colorScheme}`, async ({ page }) => {
    const name = newName("larga");
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    await openScreen(page, product);
    await register(page, gateway);
    await createInstance(page, name);
    for (const width of [360, 768, 1024, 1280, 1920]) {
      await page.setViewportSize({ width, height: 900 });
      if (width === 360 || width === 1280) await expectAccessible(page);
      const over = () =>
        page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
      await expect.poll(over, `${width} px`).toBe(0);
    }
  });
