import { expect, test } from "vitest";
import { page } from "vitest/browser";
import { busyMonth, calendarCampaign } from "./support/calendar.ts";
import { fakeServer } from "./support/fake-server.ts";
import { renderApp } from "./support/render-app.tsx";
import { campaign } from "./support/rows.ts";
import { main, press, pressKey, shows } from "./support/screen.ts";
import { world } from "./support/world.ts";

const NOVEMBER = "/campaigns/calendar?mes=2026-11";
const weeks = page.getByRole("list", { name: "Semanas de novembro de 2026" });
const days = page.getByRole("list", { name: "Dias de novembro de 2026" });
const conflicts = page.getByRole("region", { name: "Conflitos" });
const loads = page.getByRole("region", { name: "Carga por número" });
const link = (name: string | RegExp) => main().getByRole("link", { name });

const busy = (given: Partial<ReturnType<typeof busyMonth>> = {}) =>
  fakeServer(
    world({ calendar: { ...busyMonth(), ...given }, campaigns: [campaign({ id: 6, name: "Black Friday" })] }),
  );

test("the calendar is reached from the campaigns, on the current month", async () => {
  const server = fakeServer(world({ campaigns: [campaign()] }));
  await renderApp("/campaigns");
  await link("Calendário").click();
  await expect.element(page.getByRole("heading", { name: "Calendário de campanhas" })).toBeVisible();
  await shows(/^Nenhuma campanha em/);
  const month = new Intl.DateTimeFormat("en-CA", { timeZone: "America/Sao_Paulo" })
    .format(new Date())
    .slice(0, 7);
  expect(server.requests("GET /api/campaign-calendar")[0]?.query).toEqual({ month });
});

test("each campaign is a bar over its days, which says its state and leads to it", async () => {
  await page.viewport(1440, 900);
  busy();
  await renderApp(NOVEMBER);
  const bars = weeks.getByRole("link", {
    name: "Black Friday – clientes VIP, Agendada, de 26/11 a 05/12, 480 pessoas, em conflito",
  });
  await expect.poll(() => bars.elements().length).toBe(2);
  await expect
    .element(
      weeks.getByRole("link", { name: "Loja reformada, Pausada, desde 16/11, sem fim previsto, 64 pessoas" }),
    )
    .toBeVisible();
  await shows("8 campanhas no mês, 3 agendadas");
  await expect.element(weeks.getByText("feriado").first()).toBeVisible();
  await expect
    .element(page.getByRole("list", { name: "Sem fim previsto" }))
    .toMatchTextContent("Sem público: a lista ou o público não existe mais.");
  await bars.first().click();
  await expect.element(page.getByRole("article", { name: "Black Friday" })).toBeVisible();
  expect(location.search).toBe("?campanha=6");
});

test("a week with more campaigns than fit opens by one press", async () => {
  await page.viewport(1440, 900);
  busy();
  await renderApp(NOVEMBER);
  const hidden = weeks.getByRole("link", { name: /^Sem público/ });
  await press("Mostrar mais 1 campanha desta semana");
  await expect.element(hidden).toBeVisible();
  await press("Mostrar menos");
  await expect.element(hidden).not.toBeInTheDocument();
});

test("conflicts are said with what they do, and how to mend them", async () => {
  busy();
  await renderApp(NOVEMBER);
  await expect.element(conflicts).toMatchTextContent("26/11 a 03/12, Unidade Savassi");
  await expect
    .element(conflicts)
    .toMatchTextContent(
      "Retorno anual – exame de vista e Black Friday – clientes VIP dividem este número. Sozinha, Black Friday – clientes VIP terminaria em 01/12; assim vai até 05/12.",
    );
  await expect.element(conflicts).toMatchTextContent("31 pessoas, 3 campanhas ou mais em 7 dias");
  await expect.element(conflicts).toMatchTextContent("De 23/11 a 28/11.");
  await expect
    .element(conflicts.getByRole("link", { name: "Mudar Black Friday – clientes VIP" }))
    .toHaveAttribute("href", "/campaigns/new?rascunho=6");
  await expect
    .element(conflicts.getByRole("link", { name: "Ver Retorno anual – exame de vista" }))
    .toHaveAttribute("href", "/campaigns?campanha=5");
});

test.each([
  [
    { people: 2, from: "2026-11-23", to: "2026-11-23", weeklyLimit: 2 },
    "Em 23/11. Pelo limite de 2 campanhas por semana, ficam de fora da última.",
  ],
  [null, "Há gente demais para contar quem recebe 3 campanhas ou mais em 7 dias."],
  [{ people: 0, from: null, to: null, weeklyLimit: null }, "Nenhum conflito à vista."],
])("people reached too often: %o is said in words", async (often, words) => {
  busy({ conflicts: { shared: [], often } });
  await renderApp(NOVEMBER);
  await expect.element(conflicts).toMatchTextContent(words);
});

test("an end that does not change, or is not known, is said so", async () => {
  const [clash] = busyMonth().conflicts.shared;
  const ending = async (alone: string | null, together: string | null) => {
    const campaigns = clash?.campaigns.map((each) => ({ ...each, alone, together })) ?? [];
    busy({ conflicts: { shared: clash ? [{ ...clash, campaigns }] : [], often: null } });
    await renderApp(NOVEMBER);
  };
  await ending("2026-12-01", "2026-12-01");
  await expect
    .element(conflicts)
    .toMatchTextContent("Black Friday – clientes VIP termina em 01/12 mesmo assim.");
  await ending("2026-12-01", null);
  await expect.element(conflicts).toMatchTextContent("não termina no tempo que se pode prever");
});

test("each number's load is said by day, with the days over its limit", async () => {
  busy();
  await renderApp(NOVEMBER);
  await expect.element(loads).toMatchTextContent("Unidade Savassi4 dias acima do limite");
  await expect.element(loads).toMatchTextContent("Matriz – Centrosem plano");
  const savassi = loads.getByRole("list", { name: "Unidade Savassi" }).getByRole("listitem");
  await expect
    .element(savassi.filter({ hasText: "26/11" }))
    .toMatchTextContent("26/11: 60 mensagens previstas, 60 conversas novas de 60, pedidas 120");
  await expect.element(savassi.filter({ hasText: "18/11" })).toMatchTextContent("18/11: 60 enviadas");
});

test("months are walked by the keyboard, whose place is kept", async () => {
  const server = fakeServer(world());
  await renderApp("/campaigns/calendar?mes=2026-12");
  await shows("Nenhuma campanha em dezembro de 2026.");
  await pressKey(link("Mês seguinte"), "Enter");
  await shows("Nenhuma campanha em janeiro de 2027.");
  await expect.element(link("Mês seguinte")).toHaveFocus();
  await expect.element(page.getByRole("heading", { name: "Janeiro de 2027" })).toBeVisible();
  await pressKey(link("Mês anterior"), "Enter");
  await pressKey(link("Mês anterior"), "Enter");
  await shows("Nenhuma campanha em novembro de 2026.");
  await link("Hoje").click();
  await expect.poll(() => location.search).toBe("");
  expect(server.requests("GET /api/campaign-calendar").map(({ query }) => query.month)).toContain("2026-11");
});

test("on a telephone the days that have something stand in a list, past ones by a press", async () => {
  await page.viewport(390, 844);
  busy();
  await renderApp(NOVEMBER);
  const first = days.getByRole("listitem").first();
  await expect.element(first).toMatchTextContent("Sexta-feira, 20/11 (hoje)");
  const busyDay = days.getByRole("listitem").filter({ hasText: "Quinta-feira, 26/11" });
  await expect.element(busyDay).toMatchTextContent("60 mensagens");
  await expect.element(busyDay.getByRole("link", { name: /^Black Friday.*em conflito$/ })).toBeVisible();
  await expect.element(busyDay.getByRole("link", { name: /^Retorno anual/ })).toBeVisible();
  await expect.element(days.getByText("Domingo, 22/11")).not.toBeInTheDocument();
  await press("Mostrar os dias passados");
  await expect.element(first).toMatchTextContent("Terça-feira, 03/11");
});

test("a day without anything to come is said on a telephone", async () => {
  await page.viewport(390, 844);
  busy({ campaigns: [calendarCampaign({ id: 1 })], numbers: [] });
  await renderApp(NOVEMBER);
  await shows("Nada previsto daqui até o fim do mês.");
});

test("a month that cannot be read says why, and is tried again in place", async () => {
  const server = busy();
  const down = server.refuse("GET /api/campaign-calendar", "unavailable");
  await renderApp(NOVEMBER);
  await shows("Não foi possível carregar o calendário");
  await expect.element(page.getByRole("heading", { name: "Novembro de 2026" })).toBeVisible();
  down.stop();
  await press("Tentar novamente");
  await expect.element(conflicts).toBeVisible();
});

test("an address with another month leads to the current one", async () => {
  fakeServer(world());
  await renderApp("/campaigns/calendar?mes=2026-13");
  await shows(/^Nenhuma campanha em/);
  await expect.element(page.getByRole("heading", { name: "Calendário de campanhas" })).toBeVisible();
});
