import { expect, test } from "vitest";
import { commands, type Locator, page, userEvent } from "vitest/browser";
import type { ListedCampaign } from "../../src/contract/campaigns.ts";
import { changePerson, withPeople } from "./support/campaign-people.ts";
import { fakeServer } from "./support/fake-server.ts";
import { renderApp } from "./support/render-app.tsx";
import { campaign, minutesAgo } from "./support/rows.ts";
import { button, count, dialog, pick, pressKey } from "./support/screen.ts";
import { world } from "./support/world.ts";

const details = dialog("Detalhes dos Envios");
const people = details.getByRole("row").filter({ hasText: "+55" });
const person = (name: string) => details.getByText(name, { exact: true });
const box = details.getByRole("region", { name: "Envios" });
const search = details.getByPlaceholder("Buscar por nome ou telefone...");
const tip = page.getByRole("tooltip");
const place = () => location.pathname + location.search;
const gone = (what: Locator) => expect.element(what).not.toBeInTheDocument();

type Sketch = Parameters<typeof withPeople>;

async function openDetails([states, given, error]: Sketch, more = "") {
  const made = withPeople(states, given, error);
  const server = fakeServer(world(made.people));
  const address = `/campaigns?detalhes=${made.made.id}${more}`;
  await renderApp(address);
  await expect.element(details).toBeVisible();
  return { ...made, server, id: made.made.id, address };
}

test("everybody is there, from the first to the last, and chips say how many @spec 2.40,4.1,9.8 @decision 11", async () => {
  await openDetails([{ sent: 21, delivered: 57, read: 318, error: 14, uncertain: 2 }]);
  await expect.element(button("Todos 412", details)).toHaveAttribute("aria-pressed", "true");
  for (const chip of ["Enviado 21", "Entregue 57", "Lido 318", "Erro 14", "A verificar 2"])
    await expect.element(button(chip, details)).toBeVisible();
  const heads = () =>
    details
      .getByRole("columnheader")
      .elements()
      .map(({ textContent }) => textContent);
  await expect.poll(heads).toEqual(["Contato", "Status", "Data do envio", "Erro"]);
  await expect.element(people.first()).toMatchTextContent("Pessoa 0");
  await expect.element(details.getByRole("table")).toHaveAttribute("aria-rowcount", "413");
  expect(people.elements().length).toBeLessThan(40);
  expect((await box.findElement()).clientHeight).toBeLessThanOrEqual(400);
  await pressKey(box, "End");
  await expect.element(person("Pessoa 411")).toBeInViewport();
});

test("on paper the details stand alone, on white, and say which rows they are @spec 2.40", async () => {
  await openDetails([{ read: 412 }]);
  await expect.element(people.first()).toBeVisible();
  const root = document.querySelector("body > div:has(main)");
  if (!root) throw new Error("the page stands in no element");
  root.id = "root";
  await commands.emulateMedia({ media: "print", colorScheme: "dark" });
  await expect
    .poll(() => {
      const said = /Impressas só as linhas 1 a (\d+) desta lista/.exec(details.element().textContent);
      return said && Number(said[1]) === people.elements().length;
    })
    .toBe(true);
  await expect.element(details.getByText(/^Impressas só as linhas/)).toBeVisible();
  await expect.element(details).toHaveStyle({ backgroundColor: "rgb(255, 255, 255)" });
  await expect.element(details.getByText("Fechar").first()).not.toBeVisible();
  await expect.element(page.elementLocator(root)).not.toBeVisible();
  await commands.emulateMedia({ media: null });
  await expect.element(page.elementLocator(root)).toBeVisible();
});

test("a filter is part of the address, and its people come page after page", async () => {
  const { id } = await openDetails([{ sent: 50, read: 700 }]);
  await button("Lido 700", details).click();
  await expect.poll(place).toBe(`/campaigns?detalhes=${id}&status=read`);
  await expect.element(people.first()).toMatchTextContent("Pessoa 50");
  const element = await box.findElement();
  await expect
    .poll(() => {
      element.scrollTo(0, element.scrollHeight);
      return person("Pessoa 749").query() !== null;
    })
    .toBe(true);
  await renderApp(place());
  await expect.element(button("Lido 700", details)).toHaveAttribute("aria-pressed", "true");
  await button("Fechar", details).last().click();
  await expect.poll(place).toBe("/campaigns");
});

test("people are found by name or phone, and an empty result is said", async () => {
  await openDetails([{ read: 300 }]);
  await search.fill("Pessoa 217");
  await count(people, 1);
  await search.fill("900000042");
  await expect.element(people).toMatchTextContent("Pessoa 42");
  await search.fill("ninguém");
  await expect.element(details.getByRole("status").getByText("Nenhum contato encontrado")).toBeVisible();
  await button("Limpar busca e filtro", details).click();
  await expect.element(people.first()).toMatchTextContent("Pessoa 0");
});

test("an error is cut at 40 characters, and whole on hover, focus and tap @spec 2.40,9.8 @decision 29,32", async () => {
  const whole = "não foi possível criptografar a mensagem para este número";
  await openDetails([{ error: 1 }, { name: "Erros" }, whole], "&status=error");
  await button("ver linhas", details).click();
  await expect
    .element(details.getByRole("textbox", { name: "Falhas de envio de Erros" }))
    .toHaveValue(`Falha ao enviar mensagem para 5531900000000: ${whole}`);
  const cut = button(`Erro completo: ${whole}`, details);
  await expect.element(cut).toHaveTextContent(`${whole.slice(0, 40).trimEnd()}…`);
  for (const reducedMotion of ["no-preference", "reduce"] as const) {
    await commands.emulateMedia({ reducedMotion });
    await cut.hover();
    await expect.element(tip).toHaveTextContent(whole);
    await search.hover();
    await details.getByRole("heading").first().hover();
    await gone(tip);
  }
  (await cut.findElement()).focus();
  await expect.element(tip).toHaveTextContent(whole);
  (await box.findElement()).focus();
  await gone(tip);
  await cut.click();
  await expect.element(tip).toHaveTextContent(whole);
});

test("a name too long for its column is whole on focus and tap", async () => {
  const name = "Maria Aparecida de Albuquerque Cavalcanti e Silva dos Santos Pereira";
  const { server, id } = await openDetails([{ read: 2 }]);
  await changePerson(server, id, 1, { name });
  const cut = button(name, details);
  await expect.element(person("Pessoa 0")).toBeVisible();
  (await cut.findElement()).focus();
  await expect.element(tip).toHaveTextContent(name);
  (await box.findElement()).focus();
  await gone(tip);
  await cut.click();
  await expect.element(tip).toHaveTextContent(name);
  await gone(button("Pessoa 0", details));
});

test("Esc closes, and focus goes back to what opened it @spec 2.40", async () => {
  await openDetails([{ read: 3 }, { name: "Foco" }]);
  await userEvent.keyboard("{Escape}");
  await gone(details);
  const opener = page.getByRole("article", { name: "Foco" }).getByRole("link", { name: "Ver Detalhes" });
  await opener.click();
  await expect.element(details).toBeVisible();
  await userEvent.keyboard("{Escape}");
  await gone(details);
  await expect.element(opener).toHaveFocus();
});

test("Esc in a search clears its words first, and only then closes the window that it stands in", async () => {
  await openDetails([{ read: 30 }]);
  await search.fill("Pessoa 17");
  await count(people, 1);
  await userEvent.keyboard("{Escape}");
  await expect.element(search).toHaveValue("");
  await expect.poll(() => people.elements().length).toBeGreaterThan(1);
  await expect.element(search).toHaveFocus();
  await userEvent.keyboard("{Escape}");
  await gone(details);
});

test("Back closes the details and stays in the list, however they were opened", async () => {
  const { id } = await openDetails([{ read: 2, error: 1 }, { name: "Volta" }]);
  history.back();
  await gone(details);
  await expect.poll(place).toBe("/campaigns");
  const card = page.getByRole("article", { name: "Volta" });
  for (const _ of ["first", "again"]) {
    await card.getByRole("link", { name: "Ver Detalhes" }).click();
    await button("Erro 1", details).click();
    await expect.poll(place).toBe(`/campaigns?detalhes=${id}&status=error`);
    history.back();
    await gone(details);
    await expect.poll(place).toBe("/campaigns");
  }
  await expect.element(card).toBeVisible();
});

test("who was left out is said to be, with the reason @spec 5.5 @decision 7,11", async () => {
  const { server, id } = await openDetails([{ read: 1, skipped: 1 }]);
  await changePerson(server, id, 1, { reason: "duplicate", error: "número repetido nesta campanha" });
  await expect.element(people.last()).toMatchTextContent("Ignorado (repetido)");
});

test("a person who was erased on request has neither name nor number, nor can a doubt be sent again", async () => {
  const { server, id } = await openDetails([{ read: 1, uncertain: 1 }]);
  await changePerson(server, id, 1, { name: "", phone: "", resolvable: true });
  const erased = details.getByRole("row").filter({ hasText: "Pessoa apagada" });
  await expect.element(erased).toMatchTextContent("A verificar");
  await count(erased.getByRole("link"), 0);
  await erased.getByRole("button").click();
  await expect.element(page.getByRole("menuitem", { name: "Ignorar" })).toBeVisible();
  await count(page.getByRole("menuitem", { name: "Reenviar mesmo assim" }), 0);
});

test("all people come as a file", async () => {
  const { id } = await openDetails([{ read: 3, error: 1 }]);
  const link = details.getByRole("link", { name: "Exportar CSV" });
  await expect.element(link).toHaveAttribute("href", `/api/campaigns/${id}/deliveries.csv`);
  await expect.element(link).toHaveAttribute("download");
});

test("a campaign without people says so @spec 2.41", async () => {
  await openDetails([{}, { status: "draft" }]);
  await expect.element(details).toMatchTextContent("Nenhum envio encontrado para esta campanha.");
});

test("a campaign that was cancelled before its hour does not promise to begin, nor one whose hour has passed", async () => {
  const unstarted: Partial<ListedCampaign> = { started: false, startedAt: null };
  const day = 86_400_000;
  const scheduledAt = new Date(Date.now() + day).toISOString();
  const { server, id } = await openDetails([{}, { ...unstarted, status: "cancelled", scheduledAt }]);
  await expect.element(details).toMatchTextContent("Esta campanha foi cancelada antes de começar.");
  await expect.element(details).not.toMatchTextContent("quando a campanha começar");
  const missed = { ...unstarted, status: "paused", cause: "missed", scheduledAt: minutesAgo(180) } as const;
  server.world.campaigns = [campaign({ id, ...missed })];
  await server.publish("campaigns", id);
  await expect.element(details).toMatchTextContent("Os envios aparecem aqui quando a campanha começar.");
});

test("a campaign that is not there is said to be gone, and is not asked for again", async () => {
  await renderApp("/campaigns?detalhes=999999");
  await expect.element(details.getByRole("heading", { name: "Campanha não encontrada" })).toBeVisible();
  await gone(button("Tentar novamente", details));
});

test("a question asked from a menu gives the keyboard back to the menu's button", async () => {
  await openDetails([
    { sent: 3, pending: 3 },
    { name: "Menu", status: "sending" },
  ]);
  await userEvent.keyboard("{Escape}");
  await gone(details);
  const more = button("Mais ações de Menu");
  await pressKey(more, "Enter");
  await pick("Cancelar envio");
  await expect.element(page.getByRole("alertdialog")).toBeVisible();
  await userEvent.keyboard("{Escape}");
  await gone(page.getByRole("alertdialog"));
  await expect.element(more).toHaveFocus();
});

test("the details say for each variable what people without a value get", async () => {
  const variables = [
    { key: "data", fallback: "em breve" },
    { key: "sobrenome", fallback: null },
  ];
  await openDetails([{ read: 3 }, { variables }]);
  await expect
    .poll(() =>
      details
        .getByRole("region", { name: "Quem não tem um valor do texto" })
        .getByRole("listitem")
        .elements()
        .map(({ textContent }) => textContent),
    )
    .toEqual(["Sem {data}: recebe «em breve».", "Sem {sobrenome}: fica de fora."]);
});
