import { expect, test } from "vitest";
import { type Locator, page, userEvent } from "vitest/browser";
import { withDays } from "./support/busy-days.ts";
import { fakeServer } from "./support/fake-server.ts";
import { renderApp } from "./support/render-app.tsx";
import { campaign, contactList } from "./support/rows.ts";
import { button, count, dialog, main, press, shows } from "./support/screen.ts";
import { world } from "./support/world.ts";

/* That list and dashboard add up alike: src/server/campaigns/found.test.ts. */

const figure = (name: string) => page.getByRole("region", { name, exact: true });
const gauge = page.getByRole("region", { name: /^Taxa de entrega (Todas|Esta)/ });
const activity = figure("Atividade de Mensagens");
const details = dialog("Detalhes dos Envios");
const cards = page.getByRole("list", { name: "Campanhas", exact: true }).getByRole("article");
const address = () => location.pathname + location.search;
const at = (wanted: string) => expect.poll(address).toBe(wanted);
const atLike = (wanted: RegExp) => expect.poll(address).toMatch(wanted);

const sum = (name: string, value: string) =>
  expect
    .poll(() => {
      const all = document.querySelectorAll("[aria-label='Números do que foi encontrado'] dl > div");
      const one = [...all].find((each) => each.querySelector("dt")?.textContent === name);
      return one?.querySelector("dd")?.textContent;
    })
    .toBe(value);

async function follow(link: Locator, look: () => Promise<void>) {
  const from = address();
  await link.click();
  await expect.poll(address).not.toBe(from);
  await look();
  await renderApp(address());
  await look();
  await renderApp(from);
}

test("stat cards and gauge lead to the campaigns that add up to them @decision 14", async () => {
  withDays();
  await renderApp("/");
  await follow(figure("Mensagens enviadas").getByRole("link", { name: "111" }), async () => {
    await sum("Enviadas", "111");
    await count(cards, 3);
  });
  await follow(figure("Contatos").getByRole("link", { name: "120" }), () => shows("1 lista, 120 contatos"));
  await follow(figure("Taxa de entrega").getByRole("link", { name: "94,9%" }), () =>
    sum("Taxa de entrega", "94,9%"),
  );
  await follow(gauge.getByRole("link", { name: "94,9% de 117" }), async () => {
    await sum("Taxa de entrega", "94,9%");
    await sum("Tentativas", "117");
  });
  for (const [place, name, value, campaigns] of [
    [0, "Enviadas", "111", 3],
    [1, "Entregues", "91", 3],
    [2, "Lidas", "74", 1],
    [3, "Erros", "5", 1],
    [4, "A verificar", "1", 1],
  ] as const)
    await follow(gauge.getByRole("definition").nth(place).getByRole("link", { name: value }), async () => {
      await sum(name, value);
      await count(cards, campaigns);
    });
});

test("each day leads to its campaigns and to its own figures, from chart and table", async () => {
  withDays();
  await renderApp("/");
  (await activity.getByRole("slider").findElement()).focus();
  await userEvent.keyboard("{ArrowLeft}");
  const yesterday = async () => {
    await sum("Tentativas", "71");
    await sum("Enviadas", "67");
    await sum("Entregues", "57");
    await count(cards, 2);
    for (const [name, words] of [
      ["Pesquisa", "No período: 7 tentativas (7 enviadas) · 7 entregues"],
      ["Óculos prontos", "No período: 64 tentativas (60 enviadas, 4 erros) · 50 entregues"],
    ] as const)
      await expect.element(page.getByRole("article", { name })).toMatchTextContent(words);
  };
  await follow(activity.getByRole("link", { name: "71 tentativas · 67 enviadas · 57 entregues" }), yesterday);
  await follow(activity.getByRole("link", { name: "106 tentativas e 101 enviadas em 7 dias" }), async () => {
    await sum("Tentativas", "106");
    await sum("Enviadas", "101");
    await expect.element(page.getByLabelText("Período")).toHaveValue("7");
  });
  await activity.getByRole("tab", { name: "Tabela" }).click();
  await follow(activity.getByRole("row").nth(2).getByRole("link"), yesterday);
});

test("a quiet day leads to a list that says that there is nothing", async () => {
  withDays();
  await renderApp("/?ver=tabela");
  await activity.getByRole("row").nth(4).getByRole("link").click();
  await shows("Nenhuma campanha combina com estes filtros.");
  await sum("Tentativas", "0");
  await button("Limpar filtros").last().click();
  await at("/campaigns");
  await count(cards, 5);
});

test("each status leads to as many campaigns as it counts", async () => {
  withDays();
  await renderApp("/");
  const statuses = figure("Status das Campanhas");
  for (const [status, n] of [
    ["Concluída", 1],
    ["Concluída com falhas", 1],
    ["Em Andamento", 1],
    ["Agendada", 0],
    ["Rascunho", 1],
    ["Cancelada", 1],
  ] as const)
    await follow(statuses.getByRole("link", { name: `${status} ${n}`, exact: true }), async () => {
      await expect
        .element(page.getByLabelText("Status", { exact: true }))
        .toHaveDisplayValue(new RegExp(status));
      await shows(n === 0 ? "Nenhuma campanha está com o status «Agendada»." : `${n} campanha encontrada`);
      await count(cards, n);
    });
  await statuses.getByRole("link", { name: "5, ver todas" }).click();
  await expect.element(page.getByText("5 campanhas", { exact: true })).toBeVisible();
});

const row = (name: string) => figure("Campanhas Recentes").getByRole("row").filter({ hasText: name });

test("recent rows lead to their people, their rate and themselves", async () => {
  withDays();
  await renderApp("/");
  await follow(row("Óculos prontos").getByRole("link", { name: "100" }), () =>
    expect.element(button("Todos 100", details)).toBeVisible(),
  );
  await follow(row("Óculos prontos").getByRole("link", { name: "94,0%" }), async () => {
    await sum("Taxa de entrega", "94,0%");
    await count(cards, 1);
  });
  await follow(row("Natal").getByRole("link", { name: "120" }), () =>
    expect.element(main().getByText("120 contatos").first()).toBeVisible(),
  );
});

test("what stopped before it began leads to no form that would say that it has begun", async () => {
  const lost = campaign({
    name: "Perdida",
    status: "paused",
    cause: "missed",
    people: 120,
    started: false,
    startedAt: null,
  });
  fakeServer(world({ campaigns: [lost], lists: [contactList({ count: 120 })] }));
  await renderApp(`/?campanha=${lost.id}`);
  await expect.element(row("Perdida")).toMatchTextContent("120");
  await expect
    .poll(() =>
      row("Perdida")
        .getByRole("link")
        .elements()
        .map(({ textContent }) => textContent),
    )
    .toEqual(["Perdida"]);
  await count(figure("Contatos").getByRole("link"), 0);
  await renderApp(`/campaigns/new?rascunho=${lost.id}`);
  await shows("Esta campanha não pode mais ser alterada.");
  await count(page.getByText("já foi iniciada"), 0);
});

test("with one campaign chosen, every figure leads to that campaign alone", async () => {
  const { old } = withDays();
  await renderApp(`/?campanha=${old.id}`);
  await follow(figure("Mensagens enviadas").getByRole("link", { name: "94" }), async () => {
    await sum("Enviadas", "94");
    await count(cards, 1);
  });
  await follow(figure("Contatos").getByRole("link", { name: "100" }), () =>
    expect.element(button("Todos 100", details)).toBeVisible(),
  );
  (await activity.getByRole("slider").findElement()).focus();
  await userEvent.keyboard("{ArrowLeft}");
  const day = activity.getByRole("link", { name: "64 tentativas · 60 enviadas · 50 entregues" });
  await follow(day, async () => {
    await sum("Tentativas", "64");
    await count(cards, 1);
  });
  const state = figure("Status das Campanhas").getByRole("link", { name: "Concluída com falhas 1" });
  await follow(state, async () => {
    await count(cards, 1);
    await expect.element(cards).toMatchTextContent("Óculos prontos");
  });
});

test("status, words, period and page of the list stand in the address, so that a view can be shared", async () => {
  const { server } = withDays();
  for (let n = 0; n < 60; n++)
    server.world.campaigns.push(campaign({ name: `Aviso ${n}`, states: { sent: 1 } }));
  await renderApp("/campaigns");
  const words = page.getByLabelText("Buscar campanhas");
  await words.fill("Aviso");
  await page.getByLabelText("Status", { exact: true }).selectOptions("Concluída");
  await shows("60 campanhas encontradas");
  await press("Carregar mais campanhas");
  await count(cards, 48);
  await atLike(/busca=Aviso&filtro=completed&pagina=2/);
  await renderApp(address());
  await count(cards, 48);
  await page.getByLabelText("Período").selectOptions("Últimos 30 dias");
  await atLike(/filtro=completed&de=\d{4}-\d\d-\d\d&ate=\d{4}-\d\d-\d\d$/);
  await shows("Nenhuma campanha combina com estes filtros.");
  await words.fill("");
  await count(cards, 1);
  await page.getByLabelText("Período").selectOptions("Escolher datas");
  const from = page.getByLabelText("De", { exact: true });
  (await from.findElement()).focus();
  await userEvent.keyboard("01012020");
  await atLike(/de=2020-01-01/);
  await expect.element(from).toHaveFocus();
  await page.getByLabelText("Até", { exact: true }).fill("2020-12-31");
  await atLike(/de=2020-01-01&ate=2020-12-31/);
  await expect
    .element(page.getByRole("region", { name: "Números do que foi encontrado" }))
    .toMatchTextContent("mensagens de 01/01/2020 a 31/12/2020");
  await renderApp(address());
  await expect.element(from).toHaveValue("2020-01-01");
});

test("one step back from a campaign's details leads to the screen that led to them", async () => {
  withDays();
  await renderApp("/");
  await page.getByRole("link", { name: "Pesquisa" }).click();
  await button(/^Enviado/, details).click();
  await atLike(/detalhes=\d+&status=sent/);
  history.back();
  await at("/");
  await expect.element(page.getByRole("heading", { level: 1, name: "Painel de Controle" })).toBeVisible();
  history.forward();
  await expect.element(details).toBeVisible();
  await userEvent.keyboard("{Escape}");
  await at("/campaigns");
  await page.getByRole("article", { name: "Pesquisa" }).getByRole("link", { name: "Ver Detalhes" }).click();
  await expect.element(details).toBeVisible();
  history.back();
  await expect.element(details).not.toBeInTheDocument();
  await at("/campaigns");
  history.back();
  await at("/");
});
