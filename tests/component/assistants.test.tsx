import { expect, test } from "vitest";
import { type Locator, page, userEvent } from "vitest/browser";
import { refuse } from "./support/endpoints.ts";
import { type FakeServer, fakeServer } from "./support/fake-server.ts";
import { renderApp } from "./support/render-app.tsx";
import { agent, assistantLink, connection, gateway, instance } from "./support/rows.ts";
import { button, dialog, pick, press, pressAfter, shows } from "./support/screen.ts";
import { world } from "./support/world.ts";

const opened = () => dialog("Assistente");
const linkedTo = (name: string) => opened().getByRole("region", { name });
const says = (within: Locator, text: string | RegExp) =>
  expect.element(within.getByText(text, { exact: true })).toBeVisible();

const CLARA = agent({ name: "Clara", instructions: "Você é Clara e responde sobre óculos." });
const DAVI = agent({ name: "Davi", instructions: "Você é Davi e responde sobre óculos." });

const withKey = { ...world().mistral, source: "account", keyHint: "ey-1" } as const;

function office() {
  const line = connection({ name: "robo", kind: "instance" });
  const place = gateway({ instances: 1 });
  const instances = {
    [place.id]: [instance({ gatewayId: place.id, name: "robo", profileName: null, connectionId: line.id })],
  };
  const server = fakeServer(
    world({ connections: [line], gateways: [place], instances, agents: [CLARA, DAVI], mistral: withKey }),
  );
  linking(server);
  return { server, line, place };
}

/** One agent at a connection, as the server keeps it. */
function linking(server: FakeServer) {
  const { world: state } = server;
  server.on("PUT /api/connections/{id}/assistant", ({ params: { id }, body: { agentId } }) => {
    const name = state.agents.find((each) => each.id === agentId)?.name ?? "";
    const before = state.links.find(({ connectionId }) => connectionId === id);
    const link = assistantLink({ ...before, connectionId: id, agentId, agentName: name, active: true });
    state.links = [link];
    for (const each of Object.values(state.instances).flat())
      each.assistant = { id: agentId, name, instructions: null, model: null, active: true };
    return link;
  });
  server.on("PATCH /api/connections/{id}/assistant", ({ body: { agentId, ...changes } }) => {
    const [link] = state.links;
    if (!link) throw refuse("not_found");
    if (agentId !== undefined && agentId !== link.agentId) throw refuse("assistant_changed");
    const given = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
    const changed = { ...link, ...given };
    state.links = [changed];
    return changed;
  });
  server.on("DELETE /api/connections/{id}/assistant", () => {
    state.links = [];
    return { success: true, undo: "selo" };
  });
}

test("without a key of Mistral the dialog leads to where one is given", async () => {
  const { server } = office();
  server.world.mistral = world().mistral;
  await renderApp("/instances");
  await press("Vincular assistente a robo");
  await says(opened(), "Falta a chave do Mistral.");
  await expect
    .element(opened().getByRole("link", { name: "Abrir Meus Robôs" }))
    .toHaveAttribute("href", "/chatbot");
});

test("an assistant is linked, deactivated, activated and paused @spec 0.1,1.4,2.62,2.64,3.10,4.10,4.18,7.31 @decision 22", async () => {
  const { server, line } = office();
  await renderApp("/instances");
  await press("Vincular assistente a robo");
  await says(opened(), "Você é Clara e responde sobre óculos.");
  await expect.element(opened().getByText("Modelo mistral-small-latest").first()).toBeVisible();
  await button("Vincular Clara", opened()).click();
  const linked = linkedTo("Clara");
  await says(linked, "Ativo");
  await button("Desativar", linked).click();
  await says(linked, "Inativo");
  await button("Ativar", linked).click();
  await says(linked, "Ativo");
  const pause = linked.getByLabelText("Pausa do assistente");
  await pause.fill("1,5");
  await button("Salvar", linked).click();
  await says(linked, /^Use um número inteiro de 0 a 10\.080/);
  await pause.fill("45");
  await button("Salvar", linked).click();
  await shows("Pausa salva");
  expect(
    server.requests("PATCH /api/connections/{id}/assistant").map(({ params, body }) => [params, body]),
  ).toEqual([
    [{ id: line.id }, { agentId: CLARA.id, active: false }],
    [{ id: line.id }, { agentId: CLARA.id, active: true }],
    [{ id: line.id }, { pauseMinutes: 45 }],
  ]);
});

test("an open dialog follows changes elsewhere, and keeps agents that Mistral lists no more for now @spec 2.62", async () => {
  const { server, line } = office();
  server.world.links = [assistantLink({ connectionId: line.id, agentId: CLARA.id, agentName: "Clara" })];
  await renderApp("/instances");
  await press("Vincular assistente a robo");
  const pause = linkedTo("Clara").getByLabelText("Pausa do assistente");
  await expect.element(pause).toHaveValue("30");
  const rests = async (pauseMinutes: number) => {
    server.world.links = server.world.links.map((each) => ({ ...each, pauseMinutes }));
    await server.publish("agents");
    await expect.element(pause).toHaveValue(String(pauseMinutes));
  };
  await rests(20);
  const away = server.refuse("GET /api/mistral/agents", "unavailable");
  await rests(21);
  const old = opened().getByRole("alert").filter({ hasText: "Erro ao carregar assistentes." });
  await expect.element(old).toBeVisible();
  await expect.element(button("Vincular Davi", opened())).toBeVisible();
  away.stop();
  await rests(22);
  await expect.element(old).not.toBeInTheDocument();
});

test("a pause that is being typed is not lost; another agent is linked at once @spec 2.64 @decision 22", async () => {
  const { server, line } = office();
  server.world.links = [assistantLink({ connectionId: line.id, agentId: CLARA.id, agentName: "Clara" })];
  await renderApp("/instances");
  await press("Vincular assistente a robo");
  const pause = linkedTo("Clara").getByLabelText("Pausa do assistente");
  await pause.fill("90");
  await opened().getByRole("tab", { name: "Respostas" }).click();
  await says(opened(), "Nenhuma resposta ainda");
  await expect.element(linkedTo("Clara")).not.toBeInTheDocument();
  await userEvent.keyboard("{Escape}");
  const question = page.getByRole("alertdialog");
  await button("Continuar aqui", question).click();
  await expect.element(question).not.toBeInTheDocument();
  await opened().getByRole("tab", { name: "Assistente" }).click();
  await expect.element(pause).toHaveValue("90");
  const slow = server.hold("GET /api/gateways/{id}/instances");
  await button("Vincular Davi", opened()).click();
  await expect.element(linkedTo("Davi")).toBeVisible();
  await shows("Davi responde a partir de agora");
  await userEvent.keyboard("{Escape}");
  await expect.element(opened()).not.toBeInTheDocument();
  await slow.asked;
  slow.release();
  await expect.element(page.getByRole("article", { name: "robo" }).getByText("Davi responde")).toBeVisible();
});

test("an assistant that was replaced meantime is not deactivated; it is removed @spec 2.64,4.10 @decision 22", async () => {
  const { server, line } = office();
  server.world.links = [assistantLink({ connectionId: line.id, agentId: DAVI.id, agentName: "Davi" })];
  await renderApp("/whatsapp/connections");
  await press("Ações de robo");
  await pick("Assistente");
  await expect.element(linkedTo("Davi")).toBeVisible();
  server.world.links = [assistantLink({ connectionId: line.id, agentId: CLARA.id, agentName: "Clara" })];
  await button("Desativar", linkedTo("Davi")).click();
  await expect
    .element(opened().getByRole("alert"))
    .toMatchTextContent("Outro robô foi vinculado a esta conexão depois que você a abriu.");
  await says(linkedTo("Clara"), "Ativo");
  await button("Remover", linkedTo("Clara")).click();
  await shows("Assistente removido");
  await expect.element(linkedTo("Clara")).not.toBeInTheDocument();
});

test("errors of assistants are said in the product's words @spec 8.17", async () => {
  const { server } = office();
  const alert = opened().getByRole("alert");
  const agents = server.drop("GET /api/mistral/agents");
  await renderApp("/instances");
  await press("Vincular assistente a robo");
  await expect.element(alert).toMatchTextContent("Erro ao carregar assistentes. Por favor, tente novamente.");
  await pressAfter(button("Tentar novamente", opened()), agents.stop);
  const link = server.drop("PUT /api/connections/{id}/assistant");
  await button("Vincular Clara", opened()).click();
  await expect.element(alert).toMatchTextContent("Erro ao vincular assistente. Por favor, tente novamente.");
  link.stop();
  await button("Vincular Clara", opened()).click();
  await expect.element(button("Desativar", opened())).toBeEnabled();
  await expect.element(alert).not.toBeInTheDocument();
  server.drop("PATCH /api/connections/{id}/assistant");
  await button("Desativar", opened()).click();
  await expect
    .element(alert)
    .toMatchTextContent("Erro ao atualizar status do assistente. Por favor, tente novamente.");
});
