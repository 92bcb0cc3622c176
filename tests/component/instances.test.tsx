import { expect, test, vi } from "vitest";
import { commands, page, userEvent } from "vitest/browser";
import { colourOf } from "./support/colour.ts";
import type { FakeServer } from "./support/fake-server.ts";
import {
  failed,
  fillInstance,
  gatewayServer,
  instanceCard,
  oneInstance,
  openScreen,
  PHONE_SHOWN,
  PICTURE,
  question,
  scan,
  WHERE,
} from "./support/gateways.ts";
import { gateway, instance, minutesAgo } from "./support/rows.ts";
import { button, count, dialog, pick, press, pressKey, shows } from "./support/screen.ts";

const codeWindow = dialog("Escaneie o QR Code");
const picture = codeWindow.getByRole("img", { name: PICTURE });
const hookWindow = dialog("Configurar webhook");
const hookAddress = hookWindow.getByLabelText("URL do webhook");

async function createdWithAll() {
  const form = await fillInstance("vendas");
  const server = form.getByLabelText("Evolution", { exact: true });
  const token = form.getByLabelText("Token", { exact: true });
  await server.selectOptions("");
  await token.fill("");
  await button("Criar instância", form).click();
  await expect.element(form.getByText("Selecione uma evolution válida.")).toBeVisible();
  await expect.element(form.getByText("Informe o token.")).toBeVisible();
  await server.selectOptions(WHERE);
  await button("Gerar token", form).click();
  await expect.poll(() => (token.element() as HTMLInputElement).value).toMatch(/^[0-9A-F]{32}$/);
  await button("Criar instância", form).click();
}

async function expectCode() {
  await expect.element(codeWindow).toMatchTextContent(`vendas, ${PHONE_SHOWN}`);
  await expect.element(picture).toHaveAttribute("width", "220");
  await expect.element(codeWindow.getByText(/Novo código em 0:[0-4]\d/)).toBeVisible();
  await expect
    .element(codeWindow.getByRole("status"))
    .toHaveTextContent("Aguardando escaneamento do QR Code...");
  // The QR code's margin is part of it, also in forced colours.
  await commands.emulateMedia({ colorScheme: "dark", forcedColors: "active" });
  const frame = picture.element().parentElement;
  await expect.poll(() => frame && getComputedStyle(frame).backgroundColor).toBe("rgb(255, 255, 255)");
  await commands.emulateMedia({ colorScheme: null, forcedColors: null });
  await expect.element(codeWindow.getByText(/^Código de pareamento ABCD-1234$/)).toBeVisible();
  const connecting = page
    .getByRole("article", { name: "vendas", includeHidden: true })
    .getByText("Conectando");
  await expect.poll(() => colourOf(connecting.element())).toBe("yellow");
  const copied = vi.spyOn(navigator.clipboard, "writeText").mockResolvedValue();
  await button("Copiar", codeWindow).click();
  await expect.element(codeWindow.getByText("Copiado!")).toBeVisible();
  expect(copied).toHaveBeenCalledWith("ABCD1234");
  await expect.element(codeWindow.getByText("Copiado!")).not.toBeInTheDocument();
}

async function endedOnPhone(server: FakeServer) {
  const [made] = server.world.instances[server.world.gateways[0]?.id ?? 0] ?? [];
  const [line] = server.world.connections;
  if (!made || !line) throw new Error("no instance");
  await scan(server, made, "Ótica Horizonte – Vendas");
  await shows("WhatsApp conectado com sucesso!");
  await expect.element(codeWindow).not.toBeInTheDocument();
  const card = instanceCard("Ótica Horizonte – Vendas");
  const state = (words: string) => card.getByText(words, { exact: true });
  await expect.element(state("Conectado")).toBeVisible();
  expect(colourOf(state("Conectado").element())).toBe("green");
  await expect.element(card).toMatchTextContent(PHONE_SHOWN);
  for (const label of ["Mensagens", "Contatos", "Chats"]) await expect.element(state(label)).toBeVisible();
  await expect.element(card.getByText(/^Criada em \d\d\/\d\d\/\d{4} \d\d:\d\d$/)).toBeVisible();
  await expect.element(card.getByText(/^Último evento (hoje|ontem) às \d\d:\d\d$/)).toBeVisible();

  Object.assign(made, { status: "close", cause: "logged_out" });
  Object.assign(line, { state: "disconnected", cause: "logged_out" });
  await server.publish("connections");
  await expect.element(state("Desconectado")).toBeVisible();
  expect(colourOf(state("Desconectado").element())).toBe("red");
  await expect.element(card).toMatchTextContent("A sessão foi encerrada no celular.");
  return { card, made, state };
}

test("an instance is created, scanned, connected and deleted @spec 0.1,1.4,2.60,2.61,2.62,2.64,3.11,4.9,4.18,5.8,5.12 @decision 3,29", async () => {
  const { server } = gatewayServer({ gateways: [gateway()] });
  await openScreen();
  await createdWithAll();
  await expectCode();
  const { card, made, state } = await endedOnPhone(server);
  await button(/^Gerar QR Code/, card).click();
  await expect.element(picture).toBeVisible();
  await scan(server, made, made.profileName);
  await expect.element(codeWindow).not.toBeInTheDocument();
  await expect.element(state("Conectado")).toBeVisible();

  await button(/^Excluir/, card).click();
  const asked = 'Tem certeza que deseja excluir a instância "vendas"?';
  await expect.element(question.getByRole("heading", { name: asked })).toBeVisible();
  const late = server.hold("GET /api/gateways/{id}/instances");
  await button("Excluir", question).click();
  await shows("Instância vendas excluída");
  await expect.element(question).not.toBeInTheDocument();
  await expect.element(card).not.toBeInTheDocument();
  late.release();
});

async function refusedForms() {
  const taken = await fillInstance("balcao");
  await button("Criar instância", taken).click();
  const heading = { name: "Erro ao criar instância. Verifique os dados." };
  await expect.element(taken.getByRole("heading", heading)).toBeVisible();
  await count(taken.getByText("Já existe uma instância com este nome neste gateway."), 2);
  await taken.getByLabelText("Nome da instância").fill("loja do centro");
  await button("Criar instância", taken).click();
  await expect.element(taken.getByText(/^Use de 1 a 60 letras/)).toBeVisible();
  await button("Cancelar", taken).click();
}

test("what fails at the server is said in its place, and nothing is lost by it @spec 8.12,8.13,8.14,8.15,8.16", async () => {
  const { server, remote, line } = oneInstance("balcao");
  await openScreen();
  const card = instanceCard("balcao");
  await refusedForms();

  server.on("PUT /api/gateways/{id}/instances/{name}/webhook", () => {
    throw failed("webhook_failed", "gateway_unreachable");
  });
  await button("Configurar webhook de balcao", card).click();
  await hookAddress.fill("https://crm.exemplo.com.br/mensagens");
  await button("Salvar", hookWindow).click();
  const error = hookWindow.getByRole("alert");
  const heading = { name: "Erro ao configurar webhook. Tente novamente." };
  await expect.element(error.getByRole("heading", heading)).toBeVisible();
  await expect.element(error).toMatchTextContent("O gateway não respondeu.");
  await button("Cancelar", hookWindow).click();

  Object.assign(line, { state: "disconnected", cause: "logged_out", qr: null, pairingCode: null });
  await server.publish("connections");
  server.refuse("POST /api/connections/{id}/reconnect", "unavailable");
  await button(/^Gerar QR Code/, card).click();
  const noCode = { name: "Erro ao gerar QR Code. Tente novamente." };
  await expect.element(page.getByRole("heading", noCode)).toBeVisible();
  await userEvent.keyboard("{Escape}");

  await button("Excluir balcao", card).click();
  remote.state = "unreachable";
  server.on("DELETE /api/gateways/{id}/instances/{name}", () => {
    throw failed("instance_delete_failed", "gateway_unreachable");
  });
  await button("Excluir", question).click();
  const kept = { name: "Erro ao excluir instância. Tente novamente." };
  await expect.element(question.getByRole("heading", kept)).toBeVisible();
  await expect.element(question).toMatchTextContent("O gateway não respondeu.");
  await button("Cancelar", question).click();
  await press("Atualizar");
  const notFetched = "Erro ao buscar instâncias. Verifique se a URL e API Key estão corretas.";
  await expect.element(page.getByRole("alert").filter({ hasText: notFetched })).toBeVisible();
  await expect.element(card).not.toBeInTheDocument();
  remote.state = null;
  await press("Tentar novamente");
  await expect.element(card).toBeVisible();
});

const CRM = "https://crm.exemplo.com.br/mensagens";

test("an own webhook is set, shown again, and ended @spec 0.1,1.4,2.62,2.64,4.18,5.9,8.16 @decision 21,29", async () => {
  oneInstance("suporte");
  await openScreen();
  const card = instanceCard("suporte");
  const opens = button("Configurar webhook de suporte", card);
  await opens.click();
  await expect.element(hookAddress).toHaveAttribute("type", "url");
  await button("Salvar", hookWindow).click();
  await expect.element(hookWindow.getByText("Por favor, informe a URL do webhook")).toBeVisible();
  await hookAddress.fill("crm.exemplo.com.br");
  await button("Salvar", hookWindow).click();
  await expect.element(hookWindow.getByText(/^Use um endereço completo/)).toBeVisible();
  await hookAddress.fill(CRM);
  await button("Salvar", hookWindow).click();
  await shows("Webhook configurado com sucesso!");
  await expect.element(card).toMatchTextContent(`${CRM} Nada repassado ainda`);
  await opens.click();
  await expect.element(hookAddress).toHaveValue(CRM);
  await userEvent.keyboard("{Escape}");
  await expect.element(opens).toHaveFocus();
  await userEvent.keyboard("{Enter}");
  await button("Parar de repassar", hookWindow).click();
  await shows("O repasse parou");
  await expect.element(card).not.toMatchTextContent("crm.exemplo.com.br");
});

test("what another window changed of a webhook is shown in the open one; what it removed closes it and is said", async () => {
  const { server, made, where } = oneInstance("suporte");
  await openScreen();
  const card = instanceCard("suporte");
  await button("Configurar webhook de suporte", card).click();
  const url = "https://outro.exemplo.com.br/";
  made.relay = { url, at: null, status: null, error: null, waiting: 0 };
  await server.publish("connections");
  await expect.element(button("Parar de repassar", hookWindow)).toBeVisible();
  await expect.element(hookAddress).toHaveValue(url);
  server.world.instances[where.id] = [];
  server.world.connections = [];
  await server.publish("connections");
  await expect.element(hookWindow).not.toBeInTheDocument();
  await shows("suporte não está mais no Recado: foi excluída.");
  await expect.element(card).not.toBeInTheDocument();
  await press(`Ações de ${WHERE}`);
  await pick("Editar");
  await expect.element(dialog(`Editar ${WHERE}`)).toBeVisible();
  server.world.gateways = [];
  await server.publish("connections");
  await shows("Nenhuma evolution cadastrada.");
  await expect.element(page.getByRole("dialog")).not.toBeInTheDocument();
  await shows(`${WHERE} não está mais no Recado: foi excluída.`);
});

test("an instance that exists is taken into use; its former webhook is kept and shown @decision 21", async () => {
  const former = "https://crm.exemplo.com.br/antes";
  const where = gateway();
  const old = instance({ gatewayId: where.id, name: "antiga", profileName: "Loja antiga", hook: "unset" });
  const { server } = gatewayServer({ gateways: [where], instances: { [where.id]: [old] } });
  server.on("POST /api/gateways/{id}/instances/{name}/adopt", () =>
    Object.assign(old, {
      connectionId: 4711,
      hook: "ours",
      formerWebhook: former,
      lastEventAt: minutesAgo(0),
    }),
  );
  await openScreen();
  const card = instanceCard("Loja antiga");
  await expect.element(card).toMatchTextContent("Existe no servidor e ainda não é usada no Recado.");
  await button("Usar no Recado", card).click();
  await expect.element(question).toMatchTextContent("O webhook dela passa a ser o do Recado");
  await button("Usar no Recado", question).click();
  await expect.element(card).toMatchTextContent(`Webhook de antes, guardado: ${former}`);
  await expect.element(card.getByText("Conectado", { exact: true })).toBeVisible();
  await pressKey(button(/^Configurar webhook/, card), "Enter");
  await button("Usar este endereço", hookWindow).click();
  await expect.element(hookAddress).toHaveValue(former);
  await button("Cancelar", hookWindow).click();
  await button(/^Gerar QR Code/, card).click();
  await shows("Loja antiga já está conectada");
});
