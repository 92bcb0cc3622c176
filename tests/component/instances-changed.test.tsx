import { expect, test } from "vitest";
import {
  fieldError,
  fillInstance,
  gatewayCard,
  gatewayServer,
  instanceCard,
  oneInstance,
  openScreen,
  PICTURE,
  question,
} from "./support/gateways.ts";
import { renderApp } from "./support/render-app.tsx";
import { gateway, minutesAgo } from "./support/rows.ts";
import { button, dialog, pick, press, shows } from "./support/screen.ts";

const hookWindow = dialog("Configurar webhook");
const hookAddress = hookWindow.getByLabelText("URL do webhook");

test("an instance that another window removes while its code waits is waited for no more", async () => {
  const { server } = gatewayServer({ gateways: [gateway()] });
  await openScreen();
  await button("Criar instância", await fillInstance("removida")).click();
  const code = dialog("Escaneie o QR Code");
  await expect.element(code.getByRole("img", { name: PICTURE })).toBeVisible();
  server.world.instances = {};
  server.world.connections = [];
  await server.publish("connections");
  await expect.element(code).not.toBeInTheDocument();
});

test("an instance deleted at its server is shown as gone, and its deletion there is not offered", async () => {
  const { server, made, line } = oneInstance("sumida");
  server.on("DELETE /api/whatsapp/devices/{deviceId}", () => {
    server.world.connections = [];
    return { success: true };
  });
  await openScreen();
  const card = instanceCard("sumida");
  await expect.element(card).toBeVisible();
  Object.assign(made, { status: "close", cause: "gone" });
  Object.assign(line, { state: "disconnected", cause: "gone", qr: null, pairingCode: null });
  await press("Atualizar");
  await expect.element(card).toMatchTextContent("Esta instância não existe mais no servidor.");
  await button("Excluir sumida", card).click();
  await expect.element(question).toMatchTextContent("No servidor ela não existe mais.");
  await expect.element(question).not.toMatchTextContent("é excluída do servidor");
  await button("Cancelar", question).click();

  await renderApp("/whatsapp/connections");
  await press("Ações de sumida");
  await pick("Excluir");
  await expect.element(question).toMatchTextContent("no servidor ela não existe mais");
  await expect.element(question).not.toMatchTextContent("é excluída do servidor");
  await button("Excluir", question).click();
  await shows("Nenhuma conexão encontrada");
});

test("26.25 L7 an instance of a server that keeps no messages says what that means", async () => {
  const { server, made } = oneInstance("enxuta");
  await openScreen();
  const card = instanceCard("enxuta");
  await expect.element(card).toBeVisible();
  await expect.element(card).not.toMatchTextContent("não guarda mensagens");
  made.keepsMessages = false;
  await server.publish("connections");
  await expect.element(card).toMatchTextContent("Este servidor não guarda mensagens.");
  await expect
    .element(card)
    .toMatchTextContent("O que se perder enquanto ele está fora não pode ser recuperado");
});

const unheard = {
  state: "ok",
  version: "2.3.7",
  licenseUrl: null,
  reachesUs: "no",
  at: minutesAgo(1),
} as const;

test("of a server that cannot reach us the screen says that confirmations come by polling; the person's address is set there itself @decision 21", async () => {
  const { remote } = oneInstance("longe", {}, { check: unheard });
  remote.reachesUs = "no";
  await openScreen();
  await expect.element(gatewayCard.getByText("Não chegam ao Recado")).toBeVisible();
  await expect
    .element(gatewayCard)
    .toMatchTextContent(
      "Este servidor não consegue chamar o Recado. As instâncias funcionam, e as confirmações são buscadas por consulta",
    );
  const card = instanceCard("longe");
  await button("Configurar webhook de longe", card).click();
  await expect
    .element(hookWindow)
    .toMatchTextContent("o endereço é configurado direto nele, e as confirmações chegam por consulta");
  await hookAddress.fill("https://crm.exemplo.com.br/mensagens");
  await button("Salvar", hookWindow).click();
  await shows("Webhook configurado com sucesso!");
  await expect
    .element(card)
    .toMatchTextContent(
      "O servidor chama direto o seu webhook, porque não alcança o Recado. Mensagens e confirmações são buscadas por consulta.",
    );
});

test("27.8 the operator's server that cannot reach us takes no address of a person's: the screen says why", async () => {
  const { server, remote } = oneInstance("fornecida", {}, { provided: true, keyHint: null });
  server.on("PUT /api/gateways/{id}/instances/{name}/webhook", () => {
    throw fieldError("url", "webhook_unreached");
  });
  await openScreen();
  await expect.element(gatewayCard.getByText("Chegam ao Recado", { exact: true })).toBeVisible();
  remote.reachesUs = "no";
  await button("Testar", gatewayCard).click();
  await expect.element(gatewayCard.getByText("Não chegam ao Recado")).toBeVisible();
  await button("Configurar webhook de fornecida", instanceCard("fornecida")).click();
  await expect
    .element(hookWindow)
    .toMatchTextContent(
      "Este servidor não alcança o Recado, e nada é repassado até que alcance. Avise o administrador",
    );
  await hookAddress.fill("https://crm.exemplo.com.br/mensagens");
  await button("Salvar", hookWindow).click();
  await expect.element(hookWindow).toMatchTextContent("nada chegaria a este endereço. Avise o administrador");
});

test("that another address took the webhook's place is said, and taken back with messages passed on to it", async () => {
  const taker = "https://n8n.exemplo.com.br/webhook/1";
  oneInstance("tomada", { hook: "taken", formerWebhook: taker });
  await openScreen();
  const card = instanceCard("tomada");
  await expect
    .element(card)
    .toMatchTextContent("Outro endereço tomou o lugar do webhook do Recado nesta instância.");
  await expect.element(card).toMatchTextContent(`Webhook de agora: ${taker}`);
  await button("Configurar webhook de tomada", card).click();
  await expect.element(hookWindow).toMatchTextContent(`No lugar do Recado, o webhook agora é ${taker}.`);
  await button("Usar este endereço", hookWindow).click();
  await button("Salvar", hookWindow).click();
  await shows("Webhook configurado com sucesso!");
  await expect.element(card).not.toMatchTextContent("tomou o lugar");
  await expect.element(card).toMatchTextContent(`${taker} Nada repassado ainda`);
});
