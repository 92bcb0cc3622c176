import { expect, test } from "vitest";
import { commands, page, userEvent } from "vitest/browser";
import { fakeServer } from "./support/fake-server.ts";
import { renderApp } from "./support/render-app.tsx";
import { campaign, contact, contactList, knownPerson } from "./support/rows.ts";
import { button, count, dialog, press } from "./support/screen.ts";
import { world } from "./support/world.ts";

const palette = dialog("Busca rápida");
const field = palette.getByRole("combobox");
const lines = palette.getByRole("option");
const option = (name: string | RegExp) => palette.getByRole("option", { name, exact: true });
const ctrlK = () => userEvent.keyboard("{Control>}k{/Control}");
const open = async () => {
  await expect.element(page.getByRole("button", { name: "Busca rápida" }).first()).toBeVisible();
  await ctrlK();
  await expect.element(field).toHaveFocus();
};
const search = async (words: string) => {
  await open();
  await field.fill(words);
};
const at = (path: string) => expect.poll(() => location.pathname + location.search).toBe(path);
const heading = (name: string | RegExp) => page.getByRole("heading", { level: 1, name }).first();
const draft = (name: string) => campaign({ name, status: "draft" });

function pointedAt(): string | null {
  const id = field.element().getAttribute("aria-activedescendant");
  const line = document.getElementById(id ?? "");
  expect(line?.getAttribute("aria-selected")).toBe("true");
  return line?.textContent ?? null;
}

test("by the keyboard alone from anywhere to a campaign that was found", async () => {
  fakeServer(world({ campaigns: [draft("Promoção de São João"), draft("Volta às aulas")] }));
  await renderApp("/contacts");
  (await page.getByRole("searchbox").findElement()).focus();
  await open();
  await expect.element(palette.getByRole("status")).toMatchTextContent(/\d+ resultados/);
  await userEvent.keyboard("sao joao");
  await expect.element(option(/^Promoção de São João/)).toBeVisible();
  await count(palette.getByRole("group", { name: "Campanhas" }).getByRole("option"), 1);
  await expect.element(palette.getByRole("status")).toHaveTextContent("1 resultado");
  expect(pointedAt()).toContain("Promoção de São João");
  await userEvent.keyboard("{Enter}");
  await expect.element(palette).not.toBeInTheDocument();
  await expect.element(page.getByLabelText("Nome da campanha")).toHaveValue("Promoção de São João");
  await expect.poll(() => document.activeElement?.id).toBe("content");
});

test("arrows, Home and End point at lines; Esc closes, and the focus is where it was", async () => {
  await renderApp("/contacts");
  const searchbox = page.getByRole("searchbox");
  (await searchbox.findElement()).focus();
  await open();
  const [first, second] = lines.elements().map((each) => each.textContent);
  const last = lines.elements().at(-1)?.textContent;
  const steps = [
    ["ArrowDown", second],
    ["End", last],
    ["ArrowDown", first],
    ["ArrowUp", last],
    ["Home", first],
  ] as const;
  expect(pointedAt()).toBe(first);
  for (const [key, line] of steps) {
    await userEvent.keyboard(`{${key}}`);
    await expect.poll(pointedAt).toBe(line);
    if (key === "End") await expect.element(lines.last()).toBeInViewport();
  }
  await expect.element(field).toHaveFocus();
  await userEvent.keyboard("{Escape}");
  await expect.element(palette).not.toBeInTheDocument();
  await expect.element(searchbox).toHaveFocus();
  await open();
  await expect.element(field).toHaveValue("");
  await ctrlK();
  await expect.element(palette).not.toBeInTheDocument();
});

const PLACES = [
  ["painel", "Dashboard", "Painel de Controle", "/"],
  ["contatos", "Contatos", "Contatos", "/contacts"],
  ["conexoes", "Conexões", "Conexões", "/whatsapp/connections"],
  ["conectar whats", "Conectar WhatsApp", "Conectar WhatsApp", "/baileys"],
  ["adicionar", "Conectar número", "Conectar WhatsApp", "/baileys"],
  ["campanhas", "Campanhas", "Campanhas", "/campaigns"],
  ["nova camp", "Nova campanha", "Nova Campanha", "/campaigns/new"],
  ["chat", "Chat", "Chat", "/chat"],
  ["evolution", "Evolution", "Evolution", "/instances"],
  ["robos", "Meus Robôs", /Meus Robôs/, "/chatbot"],
  ["novo robo", "Novo robô", /rob/i, "/criar-robo"],
  ["configuracoes", "Configurações", "Configurações", "/settings"],
  ["chaves", "Configurações: Chaves de API", "Configurações", "/settings?aba=chaves"],
  ["termos", "Termos de uso", /Termos/, "/termos"],
] as const;

test("every screen and the common actions can be reached", async () => {
  await renderApp("/campaigns");
  for (const [typed, line, title, path] of PLACES) {
    await press("Busca rápida");
    await field.fill(typed);
    await option(line).click();
    await at(path);
    await expect.element(heading(title)).toBeVisible();
  }
  history.back();
  await at("/settings?aba=chaves");
  await press("Busca rápida");
  await field.fill("painel");
  await userEvent.keyboard("{Enter}");
  await expect.element(palette).not.toBeInTheDocument();
  await at("/");
  await expect.poll(() => document.activeElement?.id).toBe("content");
});

test("contacts are imported, the theme is changed and the account is left from the palette", async () => {
  await commands.emulateMedia({ colorScheme: "light" });
  const server = fakeServer();
  server.on("POST /api/logout", () => {
    server.world.me = null;
  });
  await renderApp("/");
  await search("planilha");
  await userEvent.keyboard("{Enter}");
  const imports = dialog("Importar contatos");
  await expect.element(imports).toBeVisible();
  await ctrlK();
  await expect.element(palette).not.toBeInTheDocument();
  await userEvent.keyboard("{Escape}");
  await expect.element(imports).not.toBeInTheDocument();
  await at("/contacts");

  await search("tema escuro");
  await userEvent.keyboard("{Enter}");
  await expect.poll(() => document.documentElement.dataset.theme).toBe("dark");
  await expect.element(palette).not.toBeInTheDocument();

  await search("sair");
  await userEvent.keyboard("{Enter}");
  await at("/login");
});

test("the language is changed from the palette", async () => {
  const server = fakeServer();
  // Answered, it would load the page in that language.
  const english = server.hold("PUT /api/language");
  await renderApp("/contacts");
  await search("english");
  await userEvent.keyboard("{Enter}");
  expect((await english.asked).body).toEqual({ language: "en" });
  expect(server.world.me?.language).toBe("en");
});

function suppliers() {
  const bia = contact(0, { name: "Bia", phone: "5531933334444" });
  const vip = contactList({ name: "Clientes VIP", count: 9 });
  const fornecedores = contactList({ name: "Fornecedores", count: 2 });
  const known = knownPerson(7, { name: bia.name, phone: bia.phone });
  const state = world({
    lists: [vip, fornecedores],
    contacts: { [fornecedores.id]: [bia] },
    people: [known],
  });
  const server = fakeServer(state);
  server.on("GET /api/contact-lists", ({ query: { id, search: words } }) => {
    const found = { ...fornecedores, matches: 1, first: [{ name: bia.name, phone: bia.phone }] };
    const items = words ? [found] : state.lists.filter((each) => id === undefined || each.id === id);
    return { items, next: null, total: { lists: 2, contacts: 11 } };
  });
  return { server, vip, fornecedores, known };
}

test("a list is found and shown alone, and a person's page opens by name or digits", async () => {
  const { vip, known } = suppliers();
  await renderApp("/campaigns");
  await expect.element(heading("Campanhas")).toBeVisible();

  await open();
  await userEvent.keyboard("vip");
  await expect.element(option(/^Clientes VIP/)).toMatchTextContent("9 contatos");
  await userEvent.keyboard("{Enter}");
  await at(`/contacts?lista=${vip.id}`);
  await expect.element(page.getByRole("article", { name: "Clientes VIP" })).toBeVisible();
  await count(page.getByRole("article"), 1);

  for (const words of ["933334444", "bia"]) {
    await open();
    await userEvent.keyboard(words);
    await expect.element(option(/^Bia/)).toBeVisible();
    await userEvent.keyboard("{Enter}");
    await at(`/contacts/pessoas/${known.id}`);
    await expect.element(heading("Bia")).toBeVisible();
  }
});

test("a person's place in a list is shown alone, until all lists are asked for", async () => {
  const { server, fornecedores } = suppliers();
  const address = `/contacts?lista=${fornecedores.id}&busca=%225531933334444%22`;
  const { queries } = await renderApp(address);
  const cards = page.getByRole("article");
  const card = page.getByRole("article", { name: "Fornecedores" });
  const alone = async () => {
    await expect.element(card).toMatchTextContent("1 de 2 contatos");
    await expect.element(card.getByRole("listitem")).toMatchTextContent("Bia");
    await count(cards, 1);
  };
  await alone();
  expect(server.requests("GET /api/contact-lists").at(-1)?.query).toMatchObject({
    id: fornecedores.id,
    search: "5531933334444",
  });
  queries.clear();
  await alone();
  await expect.element(page.getByRole("searchbox")).toHaveValue("5531933334444");
  await press("Mostrar todas as listas");
  await count(cards, 2);
});

test("what is not found is said with the term; what fails is said, and tried again", async () => {
  const server = fakeServer(world({ campaigns: [draft("Black Friday")] }));
  await renderApp("/");
  const term = "100% nada_disso\\";
  await search(term);
  await expect.element(palette.getByText(`Nada encontrado para «${term}»`).first()).toBeVisible();
  await expect.element(palette.getByRole("status")).toHaveTextContent(`Nada encontrado para «${term}»`);
  expect(server.requests("GET /api/search").at(-1)?.query).toEqual({ q: term });
  await userEvent.keyboard("{Enter}");
  await expect.element(field).toHaveFocus();

  const lost = server.drop("GET /api/search");
  await field.fill("black");
  const error = palette.getByRole("alert");
  await expect.element(error).toMatchTextContent("Não foi possível buscar");
  lost.stop();
  await button("Tentar novamente", error).click();
  await expect.element(option(/^Black Friday/)).toBeVisible();
  await expect.element(error).not.toBeInTheDocument();
});

test("a screen that comes late leaves what is typed in the palette as it is", async () => {
  const { router } = await renderApp("/contacts");
  await open();
  await userEvent.keyboard("conf");
  const rendered = new Promise((resolve) => router.subscribe("onRendered", resolve));
  await router.navigate({ to: "/settings" });
  await rendered;
  await expect.poll(() => document.title).toBe("Configurações · Recado");
  await userEvent.keyboard("i");
  await expect.element(field).toHaveValue("confi");
  await expect.element(field).toHaveFocus();
});

test("while the server thinks, that is said, and what is known already can be chosen", async () => {
  const server = fakeServer();
  const held = server.hold("GET /api/search");
  await renderApp("/");
  await open();
  await userEvent.keyboard("camp");
  await expect.element(palette.getByText("Buscando...")).toBeVisible();
  await expect.element(option("Nova campanha")).toBeVisible();
  held.release();
  await expect.element(palette.getByText("Buscando...")).not.toBeInTheDocument();
});

test("Enter opens what is found for the words that stand there, never what was found for others", async () => {
  const server = fakeServer(world({ campaigns: [draft("Volta às aulas"), draft("Feirão de Natal")] }));
  await renderApp("/");
  await search("volta");
  await expect.element(option(/^Volta às aulas/)).toBeVisible();
  const held = server.hold("GET /api/search");
  await field.fill("natal");
  await userEvent.keyboard("{Enter}");
  await held.asked;
  await expect.element(palette).toBeVisible();
  held.release();
  await expect.element(palette).not.toBeInTheDocument();
  await expect.element(page.getByLabelText("Nome da campanha")).toHaveValue("Feirão de Natal");
});

test("the palette fills a telephone, and gives the focus back to its button", async () => {
  await renderApp("/contacts");
  for (const width of [1440, 390]) {
    await page.viewport(width, 844);
    await press("Busca rápida");
    await expect.element(field).toHaveFocus();
    const { x, y, width: wide, height } = palette.element().getBoundingClientRect();
    if (width === 390) expect({ x, y, wide, height }).toEqual({ x: 0, y: 0, wide: 390, height: 844 });
    else expect(wide).toBe(640);
    await button("Fechar", palette).click();
    await expect.element(button("Busca rápida")).toHaveFocus();
  }
});
