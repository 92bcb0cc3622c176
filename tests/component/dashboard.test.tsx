import { expect, test, vi } from "vitest";
import { type Locator, page, userEvent } from "vitest/browser";
import { noteServerTime } from "../../src/web/api/server-clock.ts";
import { fakeServer } from "./support/fake-server.ts";
import { dayIn, daysOf, HOUR, withFigures, ZONE } from "./support/figures.ts";
import { holdClock, inTime } from "./support/held-clock.ts";
import { renderApp } from "./support/render-app.tsx";
import { campaign } from "./support/rows.ts";
import { button, count, dialog, main, press, pressAfter, shows } from "./support/screen.ts";
import { person, world } from "./support/world.ts";

const gauge = page.getByRole("region", { name: /^Taxa de entrega (Todas|Esta)/ });
const figure = (name: string) => page.getByRole("region", { name, exact: true });
const activity = figure("Atividade de Mensagens");
const within = (place: Locator, css: string) => [...(place.query()?.querySelectorAll(css) ?? [])];
const textsOf = (items: readonly Element[]) => items.map(({ textContent }) => textContent);
const texts = (items: Locator, wanted: readonly (string | null)[]) =>
  expect.poll(() => textsOf(items.elements())).toEqual(wanted);
const address = () => location.pathname + location.search;
const at = (wanted: string) => expect.poll(address).toBe(wanted);

test("figures, chart, states and gauge agree with the counters @spec 1.2,2.4,2.31,2.32,2.33,2.34,2.35,4.7,9.5,9.6 @decision 11,14", async () => {
  withFigures();
  await renderApp("/");
  await expect.element(figure("Contatos")).toMatchTextContent("120");
  await expect.element(figure("Contatos")).toMatchTextContent(/com listas de até 30\sdias/);
  await expect.element(figure("Taxa de entrega")).toMatchTextContent("94,5%");
  await expect.element(gauge.getByRole("img")).toHaveAccessibleName("94,5% das tentativas enviadas");
  await texts(gauge.getByRole("definition"), ["104", "84", "74", "5", "1"]);
  await expect.element(gauge.getByRole("term").nth(2)).toHaveTextContent("lidas, 67,3% das tentativas");
  await expect.element(figure("Mensagens enviadas")).toMatchTextContent("104");
  await expect.element(figure("Intervalo médio")).toMatchTextContent("1,0 min");
  const changes = {
    "Mensagens enviadas": "subiu88,0% em 30 dias",
    "Taxa de entrega": "caiu5,1 p.p. em 30 dias",
    "Intervalo médio": "0,0% em 30 dias",
    Contatos: "0,0% com listas de até 30\u00a0dias",
  };
  for (const [name, change] of Object.entries(changes))
    expect(textsOf(within(figure(name), "[data-ui~=change]"))).toEqual([change]);

  expect(within(activity, "path[data-ui~=line]")).toHaveLength(2);
  expect(textsOf(within(activity, "[data-ui~=names] span")).at(-1)).toBe("hoje");
  const day = activity.getByRole("slider", { name: "Tentativas e mensagens enviadas nos últimos 7 dias" });
  await expect
    .element(day)
    .toHaveAttribute("aria-valuetext", "hoje: 35 tentativas, 34 enviadas, 24 entregues");
  (await day.findElement()).focus();
  const tip = () => textsOf(within(activity, "[data-ui~=tip]")).join();
  await expect.poll(tip).toContain("Tentativas35Enviadas34Entregues24");
  expect(tip()).toContain("Enviadas: aceitas pelo WhatsApp.");
  await userEvent.keyboard("{ArrowLeft}");
  await expect.poll(tip).toContain("Tentativas64");
  await expect
    .element(activity.getByRole("link", { name: "64 tentativas · 60 enviadas · 50 entregues" }))
    .toBeVisible();
});

test("states and recent campaigns stand as they are counted @spec 2.34,2.35,4.7", async () => {
  withFigures();
  await renderApp("/");
  const statuses = figure("Status das Campanhas");
  await texts(statuses.getByRole("listitem"), [
    "Concluída 0",
    "Concluída com falhas 1",
    "Em Andamento 1",
    "Agendada 0",
    "Rascunho 1",
  ]);
  const widths = within(statuses, "[data-ui~=bar] i").map((bar) => bar.getBoundingClientRect().width);
  expect(widths.map((width) => width > 0)).toEqual([false, true, true, false, true]);
  const recent = page.getByRole("table", { name: "Campanhas Recentes" }).getByRole("row");
  await count(recent, 4);
  const cells = (row: number) => textsOf(within(recent.nth(row), "td, th"));
  expect(cells(0)).toEqual(["Nome", "Status", "Mensagens", "Taxa de entrega", "Data"]);
  expect(cells(1)[0]).toBe("Rascunho");
  expect(cells(1)[3]).toBe("—");
  const today = new Intl.DateTimeFormat("pt-BR", { timeZone: ZONE }).format(new Date());
  expect(cells(3)).toEqual(["Óculos prontos", "Concluída com falhas", "100 mensagens", "94,0%", today]);
});

test("the table has the chart's figures, a caption and the sums, and is remembered in the address @spec 2.32", async () => {
  withFigures();
  await renderApp("/");
  await activity.getByRole("tab", { name: "Tabela" }).click();
  await at("/?ver=tabela");
  const table = activity.getByRole("table", { name: "Tentativas e mensagens enviadas nos últimos 7 dias" });
  await texts(table.getByRole("columnheader"), ["Dia", "Tentativas", "Enviadas", "Entregues"]);
  const rows = activity.getByRole("table").getByRole("row");
  await count(rows, 1 + 7 + 1);
  await expect.element(rows.nth(1)).toMatchTextContent(/^hoje, \d\d\/\d\d\/\d{4}\s*35\s*34\s*24$/);
  await expect.element(rows.last()).toMatchTextContent(/^Total\s*99\s*94\s*74$/);
  await activity.getByLabelText("Dias do gráfico").selectOptions("90 dias");
  await expect.poll(address).toMatch(/[?&]dias=90/);
  await renderApp(address());
  await count(rows, 1 + 90 + 1);
  await expect.element(rows.last()).toMatchTextContent(/^Total\s*149\s*144\s*114$/);
  await activity.getByRole("tab", { name: "Gráfico" }).click();
  await at("/?dias=90");
  await expect.element(activity.getByRole("slider")).toHaveAttribute("max", "89");
});

test("one day says that it is the only one; none says so, and both keep their scale", async () => {
  const state = world({ campaigns: [campaign({ states: { read: 3 } })] });
  state.dashboard = { days: daysOf(7, {}) };
  fakeServer(state);
  await renderApp("/");
  await expect.element(activity).toMatchTextContent("Nenhuma mensagem nos últimos 7 dias");
  const scale = () => textsOf(within(activity, "[data-ui~=y]"));
  expect(scale()).toEqual(["0", "1", "2", "3"]);
  state.dashboard = { days: daysOf(7, { 3: [3, 3, 3] }) };
  await press("Atualizar");
  await expect
    .element(activity)
    .toMatchTextContent(/3 tentativas e 3 enviadas em 7 dias \(todas em um só dia: \S+ \d\d\/\d\d\)/);
  expect(scale()).toEqual(["0", "1", "2", "3"]);
});

test("an interval too short for one decimal is said to be below it, and how it is counted is explained @spec 9.6", async () => {
  const { state, whole } = withFigures();
  state.dashboard = { cards: { ...whole.cards, interval: { value: 2 / 49 / 60, change: null } } };
  await renderApp("/");
  await expect.element(figure("Intervalo médio")).toMatchTextContent("< 0,1 min");
  (await figure("Intervalo médio").getByRole("button").findElement()).focus();
  await expect.element(page.getByRole("tooltip")).toMatchTextContent("Noites e dias sem envio não contam.");
});

test("that messages in sequence count as one is explained beside the figure", async () => {
  withFigures();
  await renderApp("/");
  (await figure("Mensagens enviadas").getByRole("button").findElement()).focus();
  await expect
    .element(page.getByRole("tooltip"))
    .toMatchTextContent("Cada pessoa conta uma vez por campanha");
});

const filter = page.getByLabelText("Filtrar por campanha");
const ALL = "Todas as Campanhas";

test("one campaign's figures are kept in the address, and a missing one falls back to all @spec 2.29", async () => {
  const { server, old } = withFigures();
  await renderApp("/");
  await texts(filter.getByRole("option"), [ALL, "Rascunho", "Black Friday", "Óculos prontos"]);
  const late = server.hold("GET /api/dashboard");
  await filter.selectOptions("Óculos prontos");
  await late.asked;
  await at(`/?campanha=${old.id}`);
  await expect.element(gauge).toMatchTextContent("Todas as campanhas");
  const span = page.getByLabelText("Dias do gráfico");
  await span.selectOptions("30 dias");
  await at(`/?campanha=${old.id}&dias=30`);
  await expect.element(span).toHaveValue("30");
  late.release();
  await expect.element(gauge).toMatchTextContent("Esta campanha");
  await expect.element(figure("Mensagens enviadas")).toMatchTextContent("94");
  await renderApp(address());
  await expect.element(gauge).toMatchTextContent("Esta campanha");
  await renderApp("/?campanha=99999");
  await expect.element(gauge).toMatchTextContent("Todas as campanhas");
  await at("/");
});

test("the filter has each campaign, however many there are and however old the chosen one is @spec 2.29", async () => {
  const eldest = campaign({ name: "A mais antiga", states: { read: 7 } });
  const drafts = Array.from({ length: 402 }, (_, n) => campaign({ name: `Rascunho ${n}`, status: "draft" }));
  const campaigns = [...drafts.toReversed(), eldest];
  const state = world({ campaigns });
  const newest = campaigns.slice(0, 200).map(({ id, name }) => ({ id, name }));
  state.dashboard = { options: [...newest, { id: eldest.id, name: eldest.name }] };
  state.dashboard.moreBefore = newest.at(-1)?.id ?? null;
  fakeServer(state);
  await renderApp("/");
  const names = [ALL, ...campaigns.map(({ name }) => name)];
  await texts(filter.getByRole("option"), names);
  await filter.selectOptions("A mais antiga");
  await at(`/?campanha=${eldest.id}`);
  await expect.element(figure("Mensagens enviadas")).toMatchTextContent("7");
  await renderApp(address());
  await texts(filter.getByRole("option"), names);
  await expect.element(filter).toHaveValue(String(eldest.id));
});

const longDay = (time: number) =>
  new Intl.DateTimeFormat("pt-BR", { dateStyle: "long", timeZone: ZONE }).format(time);

test("«Atualizar» asks again, and so does midnight; a campaign leads to its details @spec 2.30", async () => {
  const midnight = Math.ceil((Date.now() - 3 * HOUR) / (24 * HOUR)) * 24 * HOUR + 3 * HOUR;
  holdClock(midnight - 60_000);
  const { state, whole } = withFigures();
  const delivered = (more: number) => {
    state.dashboard = { gauge: { ...whole.gauge, delivered: 104 + more } };
  };
  const text = () => main().query()?.textContent ?? "";
  const until = (words: string) => inTime(() => expect(text()).toContain(words));
  await renderApp("/");
  await until(longDay(midnight - HOUR));
  delivered(20);
  const refresh = button("Atualizar").element() as HTMLButtonElement;
  // Busy while the stream's opening is followed by its refetch.
  await inTime(() => expect(refresh.disabled).toBe(false));
  refresh.focus();
  refresh.click();
  await inTime(() => expect(gauge.element().textContent).toContain("124"));
  expect(document.activeElement).toBe(button("Atualizar").element());
  delivered(30);
  for (let passed = 0; passed < 75_000; passed += 1_000) await vi.advanceTimersByTimeAsync(1_000);
  await until(longDay(midnight));
  await inTime(() => expect(gauge.element().textContent).toContain("134"));
});

test("a campaign leads to its details, and «Hoje» to the day of the server's clock @spec 2.30", async () => {
  withFigures();
  const tomorrow = Date.now() + 24 * HOUR;
  noteServerTime(new Response(null, { headers: { date: new Date(tomorrow).toUTCString() } }));
  await renderApp("/");
  await page.getByRole("link", { name: "Black Friday" }).click();
  await expect.element(dialog("Detalhes dos Envios")).toBeVisible();
  await userEvent.keyboard("{Escape}");
  await expect.element(dialog("Detalhes dos Envios")).not.toBeInTheDocument();
  await page.getByLabelText("Período").selectOptions("Hoje");
  const day = dayIn(tomorrow);
  await expect.poll(address).toContain(`de=${day}&ate=${day}`);
});

test("a new account gets its first steps instead of empty charts, and no made-up figure", async () => {
  const none = { value: null, change: null };
  const state = world({ me: person({ stepsHidden: false }) });
  state.dashboard = {
    cards: { sent: none, contacts: none, rate: { ...none, confirmed: null }, interval: none },
  };
  fakeServer(state);
  await renderApp("/");
  await expect.element(page.getByRole("heading", { name: "Primeiros passos" })).toBeVisible();
  await expect.element(figure("Taxa de entrega")).toMatchTextContent("—");
  await expect.element(figure("Intervalo médio")).toMatchTextContent("sem comparação ainda");
  await count(activity, 0);
  await main().getByRole("link", { name: "Conecte um número" }).click();
  await expect.element(page.getByRole("heading", { level: 1, name: "Conectar WhatsApp" })).toBeVisible();
});

test("figures that cannot be fetched say why @spec 8.7 @decision 29", async () => {
  const server = fakeServer(world({ me: person({ stepsHidden: false }) }));
  const lost = server.drop("GET /api/dashboard");
  await renderApp("/");
  await shows("Erro ao buscar os números do painel");
  await pressAfter(button("Tentar novamente", page.getByRole("alert")), lost.stop);
  await expect.element(page.getByRole("heading", { name: "Primeiros passos" })).toBeVisible();
});
