import { describe, expect, test } from "vitest";
import { type Locator, page } from "vitest/browser";
import type { EndpointKey } from "../../src/web/api/call.ts";
import type { Call } from "./support/endpoints.ts";
import { type FakeServer, fakeServer } from "./support/fake-server.ts";
import { renderApp } from "./support/render-app.tsx";
import { agentAnswer, auditEvent, campaign, connection, contactList } from "./support/rows.ts";
import { button, count, dialog, main, pick, press } from "./support/screen.ts";
import { world } from "./support/world.ts";

const many = <Row,>(rows: number, make: (n: number) => Row) =>
  Array.from({ length: rows }, (_, n) => make(n));

type Paged<K extends EndpointKey> = {
  within: Locator;
  items: Locator;
  more: string;
  key: K;
  isNext: (call: Call<K>) => boolean;
  words: string;
  counts: readonly [first: number, all: number];
  duringError?: () => Promise<void>;
};

async function loseNextPage<K extends EndpointKey>(server: FakeServer, paged: Paged<K>) {
  const { within, items, more, key, isNext, words, counts, duringError } = paged;
  const [first, all] = counts;
  await count(items, first);
  const lost = server.drop(key, isNext);
  await button(more, within).click();
  const error = within.getByRole("alert").filter({ hasText: words });
  await expect.element(error).toMatchTextContent("O servidor não respondeu.");
  await count(error, 1);
  await count(items, first);
  await duringError?.();
  // It fails again, with the message. Each request is sent twice.
  await expect.poll(() => lost.met.length).toBe(2);
  await button("Tentar novamente", error).click();
  await expect.poll(() => lost.met.length).toBe(4);
  await expect.element(button("Tentar novamente", error)).toBeEnabled();
  lost.stop();
  await button("Tentar novamente", error).click();
  await count(items, all);
  await expect.element(error).not.toBeInTheDocument();
  await expect.element(button(more, within)).not.toBeInTheDocument();
}

describe("a next page that does not come is said, and comes when asked for again", () => {
  test("lists of contacts, which a refetch does not hide", async () => {
    const server = fakeServer(world({ lists: many(30, (n) => contactList({ name: `Lista ${n}` })) }));
    await renderApp("/contacts");
    await loseNextPage(server, {
      within: main(),
      items: main().getByRole("article"),
      more: "Mostrar mais listas",
      key: "GET /api/contact-lists",
      isNext: ({ query }) => query.after !== undefined,
      words: "Erro ao buscar contatos",
      counts: [24, 30],
      duringError: async () => {
        const refetch = server.hold("GET /api/contact-lists", ({ query }) => query.after === undefined);
        await server.publish("contacts");
        await refetch.asked;
        await count(main().getByRole("alert"), 1);
        refetch.release();
        await expect.poll(() => server.requests("GET /api/contact-lists").length).toBeGreaterThan(3);
      },
    });
  });

  test("campaigns", async () => {
    const server = fakeServer(world({ campaigns: many(30, (n) => campaign({ name: `Campanha ${n}` })) }));
    await renderApp("/campaigns");
    await loseNextPage(server, {
      within: main(),
      items: main().getByRole("article"),
      more: "Carregar mais campanhas",
      key: "GET /api/campaigns",
      isNext: ({ query }) => query.after !== undefined,
      words: "Erro ao buscar campanhas",
      counts: [24, 30],
    });
  });

  test("activity", async () => {
    const server = fakeServer(world({ audit: many(60, () => auditEvent()) }));
    await renderApp("/settings?aba=atividade");
    await loseNextPage(server, {
      within: main(),
      items: page.getByRole("list", { name: "O que foi feito" }).getByRole("listitem"),
      more: "Mostrar mais",
      key: "GET /api/audit",
      isNext: ({ query }) => query.after !== undefined,
      words: "Não foi possível buscar a atividade.",
      counts: [50, 60],
    });
  });

  test("answers of an assistant", async () => {
    const line = connection({ name: "Matriz" });
    const answers = { [line.id]: many(60, (n) => agentAnswer({ question: `Pergunta ${n}` })) };
    const server = fakeServer(world({ connections: [line], answers }));
    await renderApp("/whatsapp/connections");
    await press("Ações de Matriz");
    await pick("Assistente");
    await dialog("Assistente").getByRole("tab", { name: "Respostas" }).click();
    await loseNextPage(server, {
      within: dialog("Assistente"),
      items: dialog("Assistente").getByText(/^Pergunta \d+$/),
      more: "Mostrar mais",
      key: "GET /api/connections/{id}/assistant/answers",
      isNext: ({ query }) => query.cursor !== undefined,
      words: "Erro ao buscar as respostas do assistente",
      counts: [50, 60],
    });
  });
});

test("a pending refetch does not block the next page", async () => {
  const campaigns = many(30, (n) => campaign({ name: `Campanha ${n}` }));
  const server = fakeServer(world({ campaigns }));
  await renderApp("/campaigns");
  const items = main().getByRole("article");
  await count(items, 24);
  const refetch = server.hold("GET /api/campaigns", ({ query }) => query.after === undefined);
  server.world.campaigns = campaigns.slice(1);
  await server.publish("campaigns");
  await refetch.asked;
  await press("Carregar mais campanhas");
  await expect.poll(() => items.elements().length).toBeGreaterThan(24);
  refetch.release();
  await count(items, 29);
});
