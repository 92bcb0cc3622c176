import { expect, test } from "vitest";
import { type Locator, page } from "vitest/browser";
import type { EndpointKey } from "../../src/web/api/call.ts";
import { fakeServer } from "./support/fake-server.ts";
import { renderApp } from "./support/render-app.tsx";
import { apiKey, auditEvent, campaign, connection, contactList, delivery, gateway } from "./support/rows.ts";
import { button, dialog, main } from "./support/screen.ts";
import { world } from "./support/world.ts";

const CAUSE = "O serviço está indisponível no momento. Tente novamente em instantes.";

const inhabited = () =>
  world({
    lists: [contactList({ name: "Clientes" })],
    connections: [connection({ name: "Matriz" })],
    gateways: [gateway({ name: "Casa" })],
    keys: [apiKey({ name: "Painel" })],
    audit: [auditEvent()],
  });

const firstOf = (list: string) => page.getByRole("list", { name: list }).getByRole("listitem").first();

type Case = [place: string, shown: () => Locator, key: EndpointKey, words: string];

const CASES: Case[] = [
  [
    "/contacts",
    () => page.getByRole("article", { name: "Clientes" }),
    "GET /api/contact-lists",
    "Erro ao buscar contatos",
  ],
  [
    "/whatsapp/connections",
    () => main().getByRole("listitem").filter({ hasText: "Matriz" }),
    "GET /api/connections",
    "Erro ao buscar conexões",
  ],
  [
    "/instances",
    () => page.getByRole("region", { name: "Evolution escolhida" }),
    "GET /api/gateways",
    "Erro ao buscar evolutions cadastradas.",
  ],
  [
    "/settings?aba=uso",
    () => page.getByRole("heading", { name: /^Mensagens de/ }),
    "GET /api/settings/usage",
    "Não foi possível buscar o uso.",
  ],
  [
    "/settings?aba=chaves",
    () => page.getByRole("cell").getByText("Painel", { exact: true }),
    "GET /api/settings/api-keys",
    "Não foi possível buscar as chaves.",
  ],
  [
    "/settings?aba=conexao",
    () => firstOf("Estado das conexões"),
    "GET /api/connections",
    "Não foi possível buscar as conexões.",
  ],
  [
    "/settings?aba=geral",
    () => firstOf("Sessões"),
    "GET /api/settings/sessions",
    "Não foi possível buscar as sessões.",
  ],
  [
    "/settings?aba=atividade",
    () => firstOf("O que foi feito"),
    "GET /api/audit",
    "Não foi possível buscar a atividade.",
  ],
];

test.for(CASES)(
  "data whose refetch fails stays, marked as possibly old: %s",
  async ([place, shown, key, words]) => {
    const server = fakeServer(inhabited());
    const { queries } = await renderApp(place);
    await expect.element(shown()).toBeVisible();
    const refused = server.refuse(key, "unavailable");
    void queries.invalidateQueries();
    const error = main().getByRole("alert").filter({ hasText: words });
    await expect.element(error).toMatchTextContent(CAUSE);
    await expect.element(shown()).toBeVisible();
    refused.stop();
    void queries.invalidateQueries();
    await expect.element(error).not.toBeInTheDocument();
  },
);

test.for(CASES)(
  "data that cannot be fetched at all are said to be missing, and come when asked for again: %s",
  async ([place, shown, key, words]) => {
    const server = fakeServer(inhabited());
    const refused = server.refuse(key, "unavailable");
    // A stream that opens late would fetch again by itself.
    server.streams.lose();
    await renderApp(place);
    const error = main().getByRole("alert").filter({ hasText: words });
    await expect.element(error).toMatchTextContent(CAUSE);
    await expect.element(shown()).not.toBeInTheDocument();
    refused.stop();
    await button("Tentar novamente", error).click();
    await expect.element(shown()).toBeVisible();
    await expect.element(error).not.toBeInTheDocument();
  },
);

test("details of a campaign that cannot be asked for stay, and the error is said", async () => {
  const shown = campaign({ name: "Óculos", states: { read: 3 } });
  const people = [0, 1, 2].map((seq) => delivery(seq));
  const server = fakeServer(world({ campaigns: [shown], deliveries: { [shown.id]: people } }));
  await renderApp(`/campaigns?detalhes=${shown.id}`);
  const details = dialog("Detalhes dos Envios");
  await expect.element(details.getByText("Pessoa 0", { exact: true })).toBeVisible();
  const refused = server.refuse("GET /api/campaigns/{id}", "unavailable");
  await server.publish("campaigns", shown.id);
  const error = details.getByRole("alert").filter({ hasText: "Erro ao buscar a campanha" });
  await expect.element(error).toMatchTextContent(CAUSE);
  await expect.element(details.getByText("Pessoa 0", { exact: true })).toBeVisible();
  refused.stop();
  await server.publish("campaigns", shown.id);
  await expect.element(error).not.toBeInTheDocument();
});

test("details of a campaign that was deleted elsewhere say so", async () => {
  const draft = campaign({ name: "Rascunho", status: "draft" });
  const server = fakeServer(world({ campaigns: [draft] }));
  await renderApp(`/campaigns?detalhes=${draft.id}`);
  const nothing = page.getByText("Nenhum envio encontrado para esta campanha.");
  await expect.element(nothing).toBeVisible();
  server.world.campaigns = [];
  await server.publish("campaigns", draft.id);
  await expect.element(page.getByRole("heading", { name: "Campanha não encontrada" })).toBeVisible();
  await expect.element(nothing).not.toBeInTheDocument();
});
