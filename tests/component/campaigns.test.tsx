import { describe, expect, test } from "vitest";
import { page } from "vitest/browser";
import { fakeServer } from "./support/fake-server.ts";
import { renderApp } from "./support/render-app.tsx";
import { campaign, minutesAgo } from "./support/rows.ts";
import { button, count, main, press, pressAfter, pressKey, shows } from "./support/screen.ts";
import { world } from "./support/world.ts";
import { answerFrom } from "./support/world-answers.ts";

const card = (name: string) => page.getByRole("article", { name, exact: true });
const cards = page.getByRole("article");
const status = page.getByLabelText("Status", { exact: true });
const place = () => location.pathname + location.search;
const texts = (items: { elements: () => Element[] }) => () =>
  items.elements().map(({ textContent }) => textContent);
const definitions = (name: string) => texts(card(name).getByRole("definition"));

test("a new account is shown what to do first @spec 2.5,2.36,2.41", async () => {
  await renderApp("/campaigns");
  await expect.element(page.getByRole("heading", { level: 1, name: "Campanhas" })).toBeVisible();
  await expect.element(page.getByRole("heading", { name: "Nenhuma campanha encontrada" })).toBeVisible();
  await expect.element(main().getByText("Nenhuma ainda")).toBeVisible();
  await main().getByRole("link", { name: "Nova Campanha" }).last().click();
  await expect.poll(place).toBe("/campaigns/new");
});

const UP = { connectionId: 1, connectionName: "Matriz – Centro" };

const eachState = () => [
  campaign({ name: "Rascunho de Natal", status: "draft", text: "" }),
  campaign({ name: "Vazia de erros", ...UP, states: { sent: 2, read: 3 } }),
  campaign({
    name: "Com falhas",
    status: "partially_completed",
    ...UP,
    states: { read: 3, error: 2, uncertain: 1 },
  }),
  campaign({ name: "Em curso", status: "sending", ...UP, states: { sent: 1212, pending: 38 } }),
  campaign({
    name: "Sem conexão",
    status: "paused",
    cause: "connection",
    connectionCause: "network",
    connectionId: 2,
    connectionName: "Unidade Savassi",
    states: { sent: 5, pending: 151 },
  }),
];

test("cards say the state of each campaign, and counts only once sending has begun @spec 2.39,4.6 @decision 10", async () => {
  fakeServer(world({ campaigns: eachState() }));
  await renderApp("/campaigns");
  const said = (name: string, words: string) => expect.element(card(name)).toMatchTextContent(words);
  await said("Rascunho de Natal", "Rascunho");
  await said("Rascunho de Natal", "Apenas Texto");
  await count(card("Rascunho de Natal").getByText("Total"), 0);
  await said("Vazia de erros", "Concluída");
  for (const [name, ...counts] of [
    ["Vazia de erros", "5", "5", "3", "0"],
    ["Com falhas", "6", "3", "3", "2"],
    ["Em curso", "1.250", "1.212", "0", "0"],
    ["Sem conexão", "156", "5", "0", "0"],
  ] as const) {
    expect(definitions(name)(), name).toEqual(counts);
    await count(card(name).getByRole("link", { name: "Ver Detalhes" }), 1);
  }
  await count(card("Rascunho de Natal").getByRole("link", { name: "Ver Detalhes" }), 0);
  await said("Com falhas", "Concluída com falhas");
  await expect.element(button("Reenviar falhas (2)", card("Com falhas"))).toBeVisible();
  await expect.element(card("Com falhas").getByRole("link", { name: "1 a verificar" })).toBeVisible();
  await expect.element(card("Em curso").getByRole("progressbar")).toHaveAttribute("aria-valuenow", "97");
  await said("Em curso", "1.212 de 1.250");
  await said("Sem conexão", "Pausada");
  await said("Sem conexão", "A conexão Unidade Savassi caiu");
  await said("Sem conexão", "O envio continua sozinho quando ela voltar. Faltam 151 mensagens.");
  await expect.element(card("Sem conexão").getByRole("link", { name: "Ver conexão" })).toBeVisible();
});

test.each([
  ["open", -60, /No ritmo do número, hoje até \d\d:\d\d\. 40 conversas novas por começar\.Termina/],
  ["closed", -600, /Fora do horário do número: continua .+ 40 conversas novas/],
  ["resting", -10, /O número descansa: continua/],
  ["used_up", -600, /As conversas novas de hoje acabaram: continuam/],
] as const)("a campaign of a number with a plan says what the plan does: %s", async (state, ago, words) => {
  const days = [30, 10].map((cold, nth) => ({
    day: minutesAgo(-1_440 * nth).slice(0, 10),
    warm: 10,
    cold,
    budget: 30,
  }));
  const plan = { state, until: minutesAgo(ago), cold: 40, why: null, days };
  const progress = { done: 5, perMinute: null, endsAt: minutesAgo(-3_000), awaits: null, plan };
  const states = { sent: 5, pending: 60 };
  fakeServer(world({ campaigns: [campaign({ name: "Retorno", status: "sending", states, progress })] }));
  await renderApp("/campaigns");
  await expect.element(card("Retorno")).toMatchTextContent(words);
  const bars = card("Retorno").getByRole("list", { name: "Mensagens por dia" }).getByRole("listitem");
  await expect.element(bars.nth(1)).toMatchTextContent(/: 20 mensagens, 10 novas$/);
});

test("a card shows text, date, template and connection; only drafts and ended ones can be used again @spec 2.39,2.42 @decision 10,28", async () => {
  const text = "Venha nos ver no sábado.";
  const date = "2026-11-19T14:30:00.000Z";
  const scheduledAt = new Date(Date.now() + 86_400_000).toISOString();
  fakeServer(
    world({
      campaigns: [
        campaign({ name: "Com foto", text, date, hasAttachment: true, attachmentId: 7, ...UP, states: { read: 1 } }),
        campaign({ name: "Só rascunho", status: "draft" }),
        campaign({ name: "Em curso", status: "sending", ...UP, states: { pending: 9 } }),
        campaign({ name: "Marcada", status: "scheduled", scheduledAt, ...UP }),
      ],
    }),
  );
  await renderApp("/campaigns");
  for (const shown of [text, "19/11/2026 11:30", "Com Imagem", "Matriz – Centro", "Concluída"])
    await expect.element(card("Com foto")).toMatchTextContent(shown);
  expect(texts(card("Com foto").getByRole("term"))()).toEqual(["Total", "Enviados", "Lidos", "Erros"]);
  await expect.element(card("Só rascunho")).toMatchTextContent("Apenas Texto");
  for (const [name, links] of [
    ["Com foto", 1],
    ["Só rascunho", 1],
    ["Em curso", 0],
    ["Marcada", 0],
  ] as const)
    await count(card(name).getByRole("link", { name: "Reutilizar" }), links);
});

describe("search, filter and days", () => {
  const STATUSES = [
    "Todos",
    "Rascunho",
    "Agendada",
    "Em Andamento",
    "Concluída",
    "Pausada",
    "Concluída com falhas",
    "Falhou",
    "Cancelada",
    "Arquivadas",
  ];

  test("search and filter are kept in the address, and finding nothing offers a way back @spec 2.37,2.38 @decision 10", async () => {
    const server = fakeServer(
      world({
        campaigns: [
          campaign({ name: "Natal antecipado", states: { read: 1 } }),
          campaign({ name: "Páscoa", status: "draft", text: "ovos de natal" }),
          campaign({ name: "Volta às aulas", status: "draft" }),
        ],
      }),
    );
    await renderApp("/campaigns");
    await expect.poll(texts(status.getByRole("option"))).toEqual(STATUSES);
    await count(cards, 3);
    const search = page.getByPlaceholder("Buscar campanhas...");
    const held = (words: string) => server.hold("GET /api/campaigns", ({ query }) => query.search === words);
    const natal = held("natal");
    await search.fill("natal");
    await natal.asked;
    await expect.element(page.getByRole("list", { name: "Campanhas" })).toHaveAttribute("aria-busy", "true");
    expect(page.getByText(/\d campanhas? encontrada/).elements()).toEqual([]);
    natal.release();
    await count(cards, 2);
    await shows("2 campanhas encontradas");
    await status.selectOptions("Rascunho");
    await count(cards, 1);
    await expect.poll(place).toBe("/campaigns?busca=natal&filtro=draft");
    await renderApp(place());
    await expect.element(card("Páscoa")).toBeVisible();
    await search.fill("não existe");
    const nothing = page.getByRole("status").getByText("tem «não existe» no nome ou no texto.");
    await expect.element(nothing).toBeVisible();
    const aulas = held("aulas");
    await search.fill("aulas");
    await aulas.asked;
    await count(page.getByText("no nome ou no texto."), 0);
    aulas.release();
    await expect.element(card("Volta às aulas")).toBeVisible();
    await search.fill("não existe");
    await pressKey(page.getByRole("button", { name: "Limpar busca" }), "Enter");
    await count(cards, 3);
    await expect.element(search).toHaveFocus();
  });
});

describe("the list", () => {
  test("a list that cannot be fetched says why and offers another try @spec 8.7 @decision 29", async () => {
    const server = fakeServer(world({ campaigns: [campaign({ name: "Chegou", states: { read: 1 } })] }));
    const lost = server.drop("GET /api/campaigns");
    server.streams.lose();
    await renderApp("/campaigns");
    const error = page.getByRole("alert");
    await expect.element(error).toMatchTextContent("Erro ao buscar campanhas");
    await expect.element(error).toMatchTextContent("Seus envios não são afetados");
    await pressAfter(button("Tentar novamente", error), lost.stop);
    await expect.element(card("Chegou")).toBeVisible();
  });

  const numbered = (most: number) =>
    Array.from({ length: most }, (_, n) => campaign({ name: `Campanha ${n}` }));
  const more = button("Carregar mais campanhas");

  test("more campaigns than one page holds are fetched when asked for", async () => {
    fakeServer(world({ campaigns: numbered(30) }));
    await renderApp("/campaigns");
    await shows("30 campanhas");
    await count(cards, 24);
    await more.click();
    await count(cards, 30);
    await count(more, 0);
  });

  test("a list of more pages than its address tells is read on all the same", async () => {
    const server = fakeServer(world({ campaigns: numbered(42) }));
    const page = answerFrom(server.world)["GET /api/campaigns"];
    if (!page) throw new Error("the world answers no campaigns");
    server.on("GET /api/campaigns", (call) => page({ ...call, query: { ...call.query, limit: 1 } }));
    await renderApp("/campaigns?pagina=40");
    await count(cards, 40);
    for (const shown of [41, 42]) {
      await more.click();
      await count(cards, shown);
    }
    await count(more, 0);
  });

  test("26.15 campaigns stand as a list where it was chosen, and do so at the next visit", async () => {
    const campaigns = ["Uma", "Outra"].map((name) =>
      campaign({ name, date: minutesAgo(9), states: { read: 1 } }),
    );
    fakeServer(world({ campaigns }));
    await renderApp("/campaigns");
    const places = () =>
      new Set(["Uma", "Outra"].map((name) => card(name).element().getBoundingClientRect().x)).size;
    await expect.element(card("Uma")).toBeVisible();
    expect(places()).toBe(2);
    await press("Lista");
    await expect.poll(places).toBe(1);
    await renderApp("/campaigns");
    await expect.element(card("Uma")).toBeVisible();
    expect(places()).toBe(1);
  });
});
