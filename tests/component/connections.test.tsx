import { expect, test } from "vitest";
import { page, userEvent } from "vitest/browser";
import type { Connection } from "../../src/contract/connections.ts";
import { colourOf } from "./support/colour.ts";
import { fakeServer } from "./support/fake-server.ts";
import { renderApp } from "./support/render-app.tsx";
import { campaign, connection, minutesAgo } from "./support/rows.ts";
import { button, count, dialog, main, pick, press, shows } from "./support/screen.ts";
import { world } from "./support/world.ts";

const LIST = "/whatsapp/connections";
const row = (name: string) => main().getByRole("listitem").filter({ hasText: name });
const question = page.getByRole("alertdialog");
const inThreeHours = () => minutesAgo(-180);

async function choose(name: string, item: string) {
  await press(`Ações de ${name}`);
  await pick(item);
}

/** The contract knows no such state: the server is newer than the page. */
function answerState(name: string, state: string) {
  const { fetch } = globalThis;
  globalThis.fetch = async (input, init) => {
    const answer = await fetch(input, init);
    if (!String(input).endsWith("/api/connections")) return answer;
    const { connections } = (await answer.json()) as { connections: { name: string; state: string }[] };
    for (const each of connections) if (each.name === name) each.state = state;
    return Response.json({ connections });
  };
}

test("each connection shows name, number, coloured state and menu; an unknown state is raw and grey @spec 2.11,2.69,4.12 @decision 19", async () => {
  const states = [
    ["Verde", "connected", "Conectado", "green"],
    ["Vermelha", "disconnected", "Desconectado", "red"],
    ["Amarela", "pending", "Aguardando conexão", "yellow"],
    ["Cinza", "connected", "hibernating", "grey"],
    ["", "connected", "Conectado", "green"],
  ] as const;
  const connections = states.map(([name, state]) => connection({ name, state }));
  fakeServer(world({ connections }));
  answerState("Cinza", "hibernating");
  await renderApp(LIST);
  for (const [place, [name, , label, colour]] of states.entries()) {
    const shown = name || "Sem nome";
    await expect.element(row(shown)).toMatchTextContent(connections[place]?.number ?? "none");
    const badge = row(shown).getByText(label, { exact: true });
    await expect.element(badge).toBeVisible();
    expect(colourOf(badge.element()), shown).toBe(colour);
    await press(`Ações de ${shown}`);
    for (const verb of ["Desconectar", "Excluir"])
      await expect.element(page.getByRole("menuitem", { name: verb, exact: true })).toBeVisible();
    await userEvent.keyboard("{Escape}");
  }
});

test("26.11 an instance has its device id below its name, here and in the settings @spec 2.69", async () => {
  const instances = [
    ["loja", "loja", "Instância da Evolution · loja"],
    ["loja", "loja@7", "Instância da Evolution · loja@7"],
    ["5531907773055", "5531907773055@7", "Instância da Evolution · 5531907773055@7"],
  ] as const;
  const connections = instances.map(([name, deviceId]) => connection({ kind: "instance", name, deviceId }));
  fakeServer(world({ connections }));
  const below = () =>
    [...document.querySelectorAll("main li [data-ui~=person] > span")].map((each) => each.textContent);
  await renderApp(LIST);
  await expect.poll(below).toEqual(instances.map(([, , words]) => words));
  await renderApp("/settings?aba=conexao");
  await expect.poll(below).toEqual(instances.map(([, , words]) => `${words} · Nenhum envio agora`));
});

test("a number with a quota of WhatsApp's shows what it leaves, one without shows nothing of it", async () => {
  const quota = { total: 100, used: 63, until: "2099-12-14T15:00:00Z", readAt: minutesAgo(5) };
  const connections = [
    connection({ name: "Matriz", newChats: { ...quota, left: 37 } }),
    connection({ name: "Savassi", cause: "timelocked", newChats: { ...quota, used: 100, left: 0 } }),
    connection({ name: "Loja", kind: "instance" }),
  ];
  fakeServer(world({ connections }));
  await renderApp(LIST);
  await expect.element(row("Matriz").getByText("Restam 37 conversas novas até 14/12")).toBeVisible();
  await expect.element(row("Savassi").getByText(/^Nenhuma conversa nova até 14\/12/)).toBeVisible();
  await expect.element(row("Loja")).toMatchTextContent("Nenhum envio agora");
  await expect.element(row("Loja")).not.toMatchTextContent("nova");
});

test("while the list is being fetched something turns @spec 2.70", async () => {
  const server = fakeServer();
  const held = server.hold("GET /api/connections");
  await renderApp(LIST);
  const spinner = () => document.querySelector("main [class*=text_spin]");
  await expect.poll(() => spinner()?.checkVisibility()).toBe(true);
  held.release();
  await shows("Nenhuma conexão encontrada");
  await expect.poll(spinner).toBeNull();
});

test("another connection is made the one that campaigns take without a choice @decision 27", async () => {
  const names = ["Matriz", "Savassi"];
  const server = fakeServer(world({ connections: names.map((name) => connection({ name })) }));
  server.on("POST /api/connections/{id}/default", ({ params: { id } }) => {
    server.world.connections = server.world.connections.map((each) => ({
      ...each,
      isDefault: each.id === id,
    }));
    void server.publish("connections");
    return server.world.connections.find((each) => each.id === id) as Connection;
  });
  await renderApp(LIST);
  for (const [name, other] of [names.toReversed(), names] as [string, string][]) {
    await choose(name, "Tornar padrão");
    await expect.element(row(name).getByText("Padrão", { exact: true })).toBeVisible();
    await expect.element(row(other).getByText("Padrão", { exact: true })).not.toBeInTheDocument();
  }
  await renderApp("/campaigns/new");
  await expect
    .element(page.getByLabelText("Conexão WhatsApp").getByRole("option").first())
    .toHaveTextContent("Conexão padrão (Matriz)");
});

test("states beyond the specification's are said in words @decision 19", async () => {
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
  const timed: readonly string[] = ["timelocked", "new_chats_refused", "temp_banned"];
  const connections = states.map(([name, state, cause]) =>
    connection({ name, state, cause, causeUntil: timed.includes(cause) ? inThreeHours() : null }),
  );
  fakeServer(world({ connections }));
  await renderApp(LIST);
  for (const [name, , , words] of states)
    await expect.element(row(name).getByText(words, { exact: true })).toBeVisible();
  const said = [
    ["Contido", "O WhatsApp suspendeu este número até"],
    ["Contida", "Novas conversas bloqueadas até"],
    ["Sem prazo", /não diz até quando.* quando tentamos de novo/],
    ["Recusada", "O WhatsApp recusa as mensagens deste número"],
    ["Sem imagens", "Os arquivos não estão chegando ao WhatsApp."],
    ["De saída", "o número pode continuar conectado lá"],
  ] as const;
  for (const [name, words] of said) await expect.element(row(name)).toMatchTextContent(words);
});

test("a campaign over a number that WhatsApp restricts waits, and no page says that it is being sent", async () => {
  const [cause, causeUntil] = ["timelocked", inThreeHours()];
  const campaigns = { sending: 1, paused: 0, scheduled: 0, names: ["Natal"] };
  const line = connection({ name: "Contida", cause, causeUntil, campaigns });
  const natal = campaign({
    name: "Natal",
    status: "paused",
    connectionId: line.id,
    connectionName: line.name,
    cause: "connection",
    connectionCause: cause,
    causeUntil,
    states: { sent: 1, pending: 9 },
  });
  fakeServer(world({ connections: [line], campaigns: [natal] }));
  await renderApp(LIST);
  await expect.element(row("Contida")).toMatchTextContent("1 campanha espera.");
  await expect.element(row("Contida")).not.toMatchTextContent("Enviando");
  await renderApp("/campaigns");
  await shows("O WhatsApp bloqueou novas conversas da conexão Contida até");
  await shows(/Quem já conversa com este número continua recebendo/);
});

test("a number that could not be disconnected yet is not said to be", async () => {
  const server = fakeServer(world({ connections: [connection({ name: "Matriz" })] }));
  server.on("DELETE /api/whatsapp/session/{deviceId}", () => ({ success: true, status: "connected" }));
  await renderApp(LIST);
  await choose("Matriz", "Desconectar");
  await button("Desconectar", question).click();
  await shows("Matriz ainda não foi desconectada. Tentamos de novo automaticamente.");
});

const LEAVES = "deixa de ser um dispositivo conectado no celular";
const STAYS = "o celular pode continuar a mostrá-la em Dispositivos conectados: remova-a também lá";

test("a number whose phone cannot be reached is not said to leave the phone's devices", async () => {
  const cases = [
    ["Matriz", "connected", null, LEAVES, STAYS],
    ["Sem rede", "connecting", "network", STAYS, LEAVES],
    ["Parada", "disconnected", "replaced", STAYS, LEAVES],
    ["Encerrada", "disconnected", "logged_out", LEAVES, STAYS],
    ["Desligada", "disconnected", "disconnected_by_user", "Se o celular ainda a mostrar", LEAVES],
    ["Nunca lida", "pending", null, "com as conversas que estão aqui. As campanhas", "celular"],
    ["Sem código", "connecting", "network", "com as conversas que estão aqui. As campanhas", "celular"],
  ] as const;
  const unlinked: readonly string[] = ["Nunca lida", "Sem código"];
  const connections = cases.map(([name, state, cause]) =>
    connection({ name, state, cause, linked: !unlinked.includes(name) }),
  );
  fakeServer(world({ connections }));
  await renderApp(LIST);
  const cancel = async () => {
    await button("Cancelar", question).click();
    await expect.element(question).not.toBeInTheDocument();
  };
  for (const [name, , , said, not] of cases) {
    await choose(name, "Excluir");
    await expect.element(question).toMatchTextContent(said);
    await expect.element(question).not.toMatchTextContent(not);
    await cancel();
  }
  const shown = "o celular pode continuar a mostrar este aparelho em Dispositivos conectados";
  await choose("Sem rede", "Desconectar");
  await expect.element(question).toMatchTextContent(shown);
  await cancel();
  await choose("Matriz", "Desconectar");
  await expect.element(question).toMatchTextContent("será preciso ler um novo QR Code");
  await expect.element(question).not.toMatchTextContent(shown);
});

test("before a number stops, the campaigns that stop with it are counted and named", async () => {
  const many = { sending: 2, paused: 1, scheduled: 1, names: ["Natal", "Vitrine", "Volta às aulas"] };
  const one = { sending: 0, paused: 0, scheduled: 1, names: ["Páscoa"] };
  const cases = [
    [
      "Matriz",
      many,
      "2 campanhas em andamento, 1 campanha pausada e 1 campanha agendada por este número param de enviar: " +
        "«Natal», «Vitrine», «Volta às aulas» e mais 1. Quem já recebeu continua no histórico.",
    ],
    ["Filial", one, "1 campanha agendada por este número para de enviar: «Páscoa». Quem já recebeu"],
  ] as const;
  fakeServer(
    world({
      connections: cases.map(([name, campaigns]) =>
        connection({ name, campaigns: { ...campaigns, names: [...campaigns.names] } }),
      ),
    }),
  );
  await renderApp(LIST);
  for (const [name, , said] of cases) {
    for (const item of ["Desconectar", "Excluir"]) {
      await choose(name, item);
      await expect.element(question).toMatchTextContent(said);
      await button("Cancelar", question).click();
      await expect.element(question).not.toBeInTheDocument();
    }
  }
});

test("a dialog about a connection deleted in another window closes and says why", async () => {
  const [loja, matriz] = [connection({ name: "Loja" }), connection({ name: "Matriz" })];
  const server = fakeServer(world({ connections: [loja, matriz] }));
  await renderApp(LIST);
  await choose("Loja", "Assistente");
  await expect.element(dialog("Assistente")).toBeVisible();
  server.world.connections = [matriz];
  await server.publish("connections");
  await expect.element(page.getByRole("dialog")).not.toBeInTheDocument();
  await shows("Loja não existe mais: foi excluída.");
  await count(main().getByRole("listitem"), 1);
});
