import { expect, test } from "vitest";
import { type Locator, page, userEvent } from "vitest/browser";
import { losable } from "./support/campaign-form.ts";
import { refuse } from "./support/endpoints.ts";
import { fakeServer } from "./support/fake-server.ts";
import { renderApp } from "./support/render-app.tsx";
import { agent, assistantLink, connection, gateway, instance, optOut } from "./support/rows.ts";
import { button, count, dialog, pick, press, shows } from "./support/screen.ts";
import { world } from "./support/world.ts";

const question = () => page.getByRole("alertdialog");
const gone = (locator: Locator) => expect.element(locator).not.toBeInTheDocument();
const WHERE = "Servidor da loja";
const LOST = "O servidor não respondeu.";

async function confirm(verb: string) {
  await button(verb, question()).click();
  await gone(question());
}

/** Another window is first: the answer is the refusal. */
const overtaken =
  (code: "not_found" | "device_unknown" | "mistral_agent_missing", act: () => void) => (): never => {
    act();
    throw refuse(code);
  };

async function choose(menu: string, entry: string) {
  await press(menu);
  await pick(entry);
}

test("a connection that another window has deleted is disconnected, and deleted", async () => {
  const [filial, matriz] = [connection({ name: "Filial" }), connection({ name: "Matriz" })];
  const server = fakeServer(world({ connections: [filial, matriz] }));
  const removed = (rest: (typeof filial)[]) =>
    overtaken("device_unknown", () => {
      server.world.connections = rest;
    });
  server.on("DELETE /api/whatsapp/session/{deviceId}", removed([matriz]));
  server.on("DELETE /api/whatsapp/devices/{deviceId}", removed([]));
  await renderApp("/whatsapp/connections");
  await choose("Ações de Filial", "Desconectar");
  await button("Desconectar", question()).click();
  await shows("Filial desconectada");
  await gone(button("Ações de Filial"));
  await choose("Ações de Matriz", "Excluir");
  await button("Excluir", question()).click();
  await shows("Matriz excluída");
  await shows("Nenhuma conexão encontrada");
});

test("a person already let into campaigns by another window counts as let in", async () => {
  const server = fakeServer(world({ optOuts: [optOut(0, { phone: "5531987654321" })] }));
  server.on("POST /api/opt-outs", () => {
    const left = optOut(1, { phone: "5531987650001" });
    server.world.optOuts = [left];
    return { ...left, reversible: true };
  });
  const removed = overtaken("not_found", () => {
    server.world.optOuts = [];
  });
  server.on("DELETE /api/opt-outs/{phone}", removed);
  await renderApp("/contacts");
  await press("Descadastrados (1)");
  const opened = page.getByRole("dialog");
  await button(/^Permitir de novo/, opened).click();
  await shows("+55 31 98765-4321 pode receber campanhas de novo");
  await expect.element(opened.getByText("Ninguém pediu para sair.")).toBeVisible();
  await gone(opened.getByRole("alert"));

  await opened.getByLabelText("Não enviar campanhas para").fill("31 98765-0001");
  await button("Adicionar", opened).click();
  await press("Desfazer");
  await shows("+55 31 98765-0001 pode receber campanhas de novo");
  await expect.element(opened.getByText("Ninguém pediu para sair.")).toBeVisible();
  expect(server.requests("DELETE /api/opt-outs/{phone}")).toHaveLength(2);
});

test("an assistant that another window has taken away is away, and a bot that it has deleted is gone", async () => {
  const line = connection({ name: "Matriz" });
  const [clara, davi] = [agent({ name: "Clara" }), agent({ name: "Davi" })];
  const links = [assistantLink({ connectionId: line.id, agentId: clara.id, agentName: "Clara" })];
  const server = fakeServer(world({ connections: [line], agents: [clara, davi], links }));
  server.world.mistral = { ...server.world.mistral, source: "account", keyHint: "a1b2" };
  const unlinked = overtaken("not_found", () => {
    server.world.links = [];
  });
  server.on("DELETE /api/connections/{id}/assistant", unlinked);
  await renderApp("/whatsapp/connections");
  await choose("Ações de Matriz", "Assistente");
  const linked = dialog("Assistente").getByRole("region", { name: "Clara" });
  await button("Remover", linked).click();
  await shows("Assistente removido");
  await gone(linked);

  const deleted = overtaken("mistral_agent_missing", () => {
    server.world.agents = [davi];
  });
  server.on("DELETE /api/mistral/agents/{agentId}", deleted);
  await renderApp("/chatbot");
  await press("Excluir: Clara");
  await confirm("Excluir");
  const left = page.getByRole("button", { name: /^Excluir: / });
  await count(left, 1);
  await expect.element(left).toHaveAccessibleName("Excluir: Davi");
});

test("an instance deleted at its server goes, and so does a server deleted in another window", async () => {
  const shop = gateway({ name: WHERE, instances: 1 });
  const instances = { [shop.id]: [instance({ gatewayId: shop.id, name: "alheia", profileName: null })] };
  const server = fakeServer(world({ gateways: [shop], instances }));
  const without = overtaken("not_found", () => {
    server.world.instances = {};
  });
  server.on("DELETE /api/gateways/{id}/instances/{name}", without);
  await renderApp("/instances");
  await press("Excluir alheia");
  await confirm("Excluir");
  await gone(page.getByRole("article", { name: "alheia" }));

  const forgotten = overtaken("not_found", () => {
    server.world.gateways = [];
  });
  server.on("DELETE /api/gateways/{id}", forgotten);
  await choose(`Ações de ${WHERE}`, "Excluir");
  await button("Excluir", question()).click();
  await shows(`${WHERE} excluída`);
  await shows("Nenhuma evolution cadastrada.");
});

test("a server, and an instance, whose making was not heard of is there when that is pressed again", async () => {
  const server = fakeServer(world());
  const shop = gateway({ name: WHERE });
  const registered = losable(server, "POST /api/gateways", () => {
    server.world.gateways = [shop];
    return shop;
  });
  registered.lost = true;
  await renderApp("/instances");
  await press("Cadastrar evolution");
  const opened = page.getByRole("dialog");
  await opened.getByLabelText("URL").fill(shop.url);
  await opened.getByLabelText("API Key", { exact: true }).fill("chave-1234567890");
  await opened.getByLabelText("Nome").fill(WHERE);
  await button("Cadastrar", opened).click();
  await expect.element(opened.getByRole("alert")).toMatchTextContent(LOST);
  registered.lost = false;
  await button("Cadastrar", opened).click();
  await shows(`${WHERE} cadastrada`);
  await gone(opened);
  const keys = server.requests("POST /api/gateways").map(({ body }) => body.idempotencyKey);
  expect(keys).toEqual([keys[0], keys[0]]);

  const line = connection({ kind: "instance", state: "pending", name: "de-novo", deviceId: "de-novo" });
  server.world.connections = [line];
  const made = losable(server, "POST /api/gateways/{id}/instances", ({ params, body }) => {
    const name = body.instanceName;
    const given = { name, status: "connecting", profileName: null } as const;
    const row = instance({ gatewayId: params.id, connectionId: line.id, ...given });
    server.world.instances = { [params.id]: [row] };
    return row;
  });
  made.lost = true;
  await press("Nova Instância");
  const form = dialog("Nova Instância");
  await form.getByLabelText("Nome da instância").fill("de-novo");
  await form.getByLabelText("Número").fill("31 90777-3055");
  await button("Gerar token", form).click();
  await button("Criar instância", form).click();
  await expect.element(form.getByRole("alert")).toMatchTextContent(LOST);
  made.lost = false;
  await button("Criar instância", form).click();
  await expect.element(dialog("Escaneie o QR Code")).toBeVisible();
  await userEvent.keyboard("{Escape}");
  await count(page.getByRole("article", { name: "de-novo" }), 1);
  const tokens = server.requests("POST /api/gateways/{id}/instances").map(({ body }) => body.token);
  expect(tokens).toEqual([tokens[0], tokens[0]]);
});
