import { describe, expect, test } from "vitest";
import { type Locator, page } from "vitest/browser";
import type { ListedCampaign } from "../../src/contract/campaigns.ts";
import {
  card,
  confirmLook,
  createCampaign,
  list,
  preview,
  savesCampaigns,
  connectionField as through,
} from "./support/campaign-form.ts";
import { refuse } from "./support/endpoints.ts";
import { fakeServer } from "./support/fake-server.ts";
import { renderApp } from "./support/render-app.tsx";
import { campaign, connection, contact, contactList } from "./support/rows.ts";
import { button, main, press, shows } from "./support/screen.ts";
import { world } from "./support/world.ts";

const CONNECTION_GONE = "A conexão desta campanha foi excluída. Escolha outra.";
const CHOOSE_ANOTHER = "Cancele este envio e, com Reutilizar, escolha outra.";

function office() {
  const [matriz, filial] = [connection({ name: "Matriz" }), connection({ name: "Filial" })];
  const vip = contactList({ name: "Clientes VIP", count: 3 });
  const people = [0, 1, 2].map((seq) => contact(seq));
  const server = fakeServer(
    world({ connections: [matriz, filial], lists: [vip], contacts: { [vip.id]: people } }),
  );
  const only = (changes: Partial<ListedCampaign>) => {
    server.world.campaigns = server.world.campaigns.map((each) => ({ ...each, ...changes }));
    return server.publish("campaigns");
  };
  return { server, matriz, filial, vip, only };
}

const gone = (locator: Locator) => expect.element(locator).not.toBeInTheDocument();

test("a scheduled campaign whose connection and list were deleted says so, and goes through no other without a choice", async () => {
  const { server, matriz, filial, vip, only } = office();
  savesCampaigns(server);
  const wall = `${new Date(Date.now() + 7 * 86_400_000).toISOString().slice(0, 10)}T10:00`;
  const natal = campaign({
    name: "Natal",
    status: "scheduled",
    schedule: { kind: "at", wall, zone: "America/Sao_Paulo" },
    scheduledAt: new Date(`${wall}:00-03:00`).toISOString(),
    ...{ connectionId: filial.id, connectionName: "Filial", listId: vip.id, listName: "Clientes VIP" },
  });
  server.world.campaigns = [natal];
  await renderApp("/campaigns");
  await expect.element(card("Natal").getByText("Agendada", { exact: true })).toBeVisible();
  await gone(card("Natal").getByText("foi excluída"));

  server.world.connections = [matriz];
  const other = contactList({ name: "Outros", count: 2 });
  server.world.lists = [other];
  await only({ connectionId: null, listId: null });
  await expect
    .element(card("Natal"))
    .toMatchTextContent(
      "A conexão Filial foi excluída. A lista Clientes VIP foi excluída. Edite a campanha e escolha outra, ou ela não começa na hora marcada.",
    );

  await card("Natal").getByRole("link", { name: "Editar" }).click();
  await shows(CONNECTION_GONE);
  await list().selectOptions("Outros (2)");
  for (const name of ["Salvar alterações", "Transformar em rascunho"]) {
    await press(name);
    await expect.element(through()).toHaveFocus();
    expect(location.pathname).toBe("/campaigns/new");
  }
  expect(server.requests("PUT /api/campaigns/{id}")).toHaveLength(0);
  await through().selectOptions("Matriz");
  await gone(page.getByText(CONNECTION_GONE));
  await press("Salvar alterações");
  await confirmLook();
  await expect.poll(() => location.pathname).toBe("/campaigns");
  await gone(card("Natal").getByText("foi excluída"));
  const saved = { connectionId: matriz.id, listId: other.id, status: "scheduled" };
  expect(server.world.campaigns).toEqual([expect.objectContaining(saved)]);
});

describe("a campaign that has not started and whose list or connection was deleted says so, and offers no way on", () => {
  const list = { listId: null, listName: "Clientes VIP" };
  const cases = [
    ["its list, stopped by the limit", "limit", "Continuar", list, "A lista Clientes VIP foi excluída."],
    ["its list, missed", "missed", "Confirmar", list, "A lista Clientes VIP foi excluída."],
    [
      "its connection, missed",
      "missed",
      "Confirmar",
      { connectionId: null, connectionName: "Matriz" },
      "A conexão Matriz foi excluída.",
    ],
  ] as const;
  test.for(cases)("%s", async ([, cause, offered, changes, words]) => {
    const { server, matriz, vip, only } = office();
    const held = { status: "paused", cause, started: false, startedAt: null } as const;
    const actions = [cause === "missed" ? ("confirm" as const) : ("resume" as const), "cancel" as const];
    const both = { listId: vip.id, connectionId: matriz.id };
    server.world.campaigns = [campaign({ name: "Natal", ...held, ...both, actions })];
    await renderApp("/campaigns");
    await expect.element(button(offered, card("Natal"))).toBeVisible();
    await only(changes);
    await expect.element(card("Natal")).toMatchTextContent(`${words} ${CHOOSE_ANOTHER}`);
    await gone(button(offered, card("Natal")));
  });
});

test("a copy of a campaign whose connection is gone asks for another one", async () => {
  const { server, matriz, vip } = office();
  savesCampaigns(server);
  server.world.connections = [matriz];
  const old = campaign({
    name: "Outubro",
    connectionName: "Filial",
    listId: vip.id,
    states: { read: 3 },
  });
  server.world.campaigns = [old];
  await renderApp(`/campaigns/new?reutilizar=${old.id}`);
  await shows(CONNECTION_GONE);
  await through().selectOptions("Conexão padrão (Matriz)");
  await createCampaign();
  await expect.poll(() => location.pathname).toBe("/campaigns");
});

test("a list that another window deletes is missed in the open form", async () => {
  const { server } = office();
  await renderApp("/campaigns/new");
  await list().selectOptions("Clientes VIP (3)");
  await shows("3 contatos receberão a mensagem");
  await expect.element(preview()).toMatchTextContent("+55");
  server.world.lists = [];
  await server.publish("contacts");
  await shows("A lista escolhida foi excluída. Escolha outra.");
  await expect.element(preview()).not.toMatchTextContent("+55");
  await expect.element(preview()).toMatchTextContent("Nome do contato");
});

test("opted-out people are not counted as recipients", async () => {
  const { server, vip } = office();
  const people = (out: readonly number[]) => {
    server.world.contacts[vip.id] = [0, 1, 2].map((seq) =>
      contact(seq, out.includes(seq) ? { optedOut: true } : {}),
    );
  };
  people([0, 2]);
  await renderApp("/campaigns/new");
  await list().selectOptions("Clientes VIP (3)");
  await shows("1 contato receberá a mensagem");
  await shows("2 contatos da lista não querem receber campanhas e ficam de fora.");
  const first = page.getByRole("listitem").filter({ hasText: "Pessoa 0" });
  await expect.element(first).toMatchTextContent("Não quer campanhas");
  await shows("1 mensagem, 1 min.");
  people([0]);
  await server.publish("contacts");
  await shows("2 contatos receberão a mensagem");
  await shows("1 contato da lista não quer receber campanhas e fica de fora.");
});

test("a list is not deleted without a word about the campaigns that wait for it, or are under way", async () => {
  const { server, vip, matriz } = office();
  const others = contactList({ name: "Outros", count: 2 });
  server.world.lists.push(others);
  const states = { sent: 1, pending: 1 };
  server.world.campaigns = [
    campaign({ status: "sending", listId: others.id, connectionId: matriz.id, states }),
    campaign({ status: "scheduled", listId: vip.id }),
    campaign({ status: "draft", listId: vip.id }),
  ];
  await renderApp("/contacts");
  const asked = page.getByRole("alertdialog", {
    name: "Tem certeza que deseja excluir esta lista de contatos?",
  });
  await press("Excluir Lista: Clientes VIP");
  await expect.element(asked).toMatchTextContent("1 campanha agendada usa esta lista e não começa sem ela.");
  await button("Cancelar", asked).click();
  server.world.campaigns.push(
    campaign({ status: "paused", cause: "missed", started: false, listId: vip.id }),
    campaign({ status: "paused", listId: vip.id, states: { pending: 1 } }),
  );
  await press("Excluir Lista: Clientes VIP");
  await expect.element(asked).toMatchTextContent("2 campanhas que ainda não começaram usam esta lista");
  await button("Cancelar", asked).click();
  const known = server.hold("GET /api/campaigns");
  await press("Excluir Lista: Outros");
  await expect.element(asked).toMatchTextContent("Os 2 contatos saem da lista «Outros»");
  await known.asked;
  await expect.element(button("Excluir", asked)).toBeDisabled();
  known.release();
  await expect.element(button("Excluir", asked)).toBeEnabled();
  await expect
    .element(asked)
    .toMatchTextContent("1 campanha em andamento continua enviando a estes contatos até ser");
  await expect.element(asked).not.toMatchTextContent(/usam? esta lista/);
});

test("failures that go out through another connection than before are not sent without a word about it", async () => {
  const { server, matriz } = office();
  const states = { read: 1, error: 2 };
  const bound = { connectionId: matriz.id, connectionName: "Matriz" };
  const old = campaign({ name: "Óculos", status: "partially_completed", ...bound, states });
  server.world.campaigns = [old];
  // The connection is deleted while the request is pending: nothing is sent, and the question is updated.
  server.on("POST /api/campaigns/{id}/resend-failures", ({ query }) => {
    old.connectionId = null;
    if (query.through !== undefined) throw refuse("campaign_changed");
    const { inPeriod: _, ...made } = campaign({ name: "Óculos (reenvio)", status: "sending" });
    return made;
  });
  await renderApp("/campaigns");
  const asked = page.getByRole("alertdialog", { name: "Reenviar para 2 pessoas?" });
  await main().getByRole("button", { name: "Reenviar falhas (2)" }).click();
  await expect.element(asked).toBeVisible();
  await expect.element(asked).not.toMatchTextContent("excluída");
  await button("Reenviar", asked).click();
  await expect.element(asked).toMatchTextContent("Esta campanha foi alterada depois que você a abriu.");
  await expect
    .element(asked)
    .toMatchTextContent("A conexão Matriz foi excluída: o reenvio sai pela conexão padrão.");
  await button("Reenviar", asked).click();
  await shows("Óculos (reenvio) criada: o envio começa agora");
  expect(server.requests("POST /api/campaigns/{id}/resend-failures").map(({ query }) => query)).toEqual([
    { through: matriz.id },
    {},
  ]);
});
