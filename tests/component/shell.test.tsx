import { expect, test, vi } from "vitest";
import { commands, page, userEvent } from "vitest/browser";
import index from "../../index.html?raw";
import { fakeServer } from "./support/fake-server.ts";
import { holdClock, inTime } from "./support/held-clock.ts";
import { renderApp } from "./support/render-app.tsx";
import { contactList } from "./support/rows.ts";
import { button, count, dialog, main, press, shows } from "./support/screen.ts";
import { person, world } from "./support/world.ts";

const LINKS = ["Dashboard", "Contatos", "Conexões", "Conectar WhatsApp", "Campanhas"];
const PLACES = ["/", "/contacts", "/whatsapp/connections", "/baileys", "/campaigns"];
const MORE = ["Chat", "Mensagens", "Evolution", "Meus Robôs", "Configurações"];

const nav = page.getByRole("navigation");
const heading = (name: string) => page.getByRole("heading", { level: 1, name });
const at = (path: string) => expect.poll(() => location.pathname + location.search).toBe(path);
const theme = () => document.documentElement.dataset.theme;

test("the sidebar has the five places in their order, and says where one is @spec 2.3,2.17 @decision 17,31", async () => {
  await renderApp("/");
  const links = page.getByRole("navigation", { name: "Principal" }).getByRole("link");
  await count(links, 5);
  expect(links.elements().map((link) => link.textContent)).toEqual(LINKS);
  expect(links.elements().map((link) => link.getAttribute("href"))).toEqual(PLACES);
  const more = page.getByRole("navigation", { name: "Mais" }).getByRole("link");
  expect(more.elements().map((link) => link.textContent)).toEqual(MORE);
  const sidebar = page.getByRole("complementary", { name: "Menu" });
  const out = button("Sair", sidebar).element();
  expect([...sidebar.element().querySelectorAll("a, button")].at(-1)).toBe(out);
  const below = sidebar.element().getBoundingClientRect().bottom - out.getBoundingClientRect().bottom;
  expect(below).toBeLessThan(32);
  await links.nth(1).click();
  await expect.element(heading("Contatos")).toBeVisible();
  await expect.element(links.nth(1)).toHaveAttribute("aria-current", "page");
  await expect.poll(() => document.title).toBe("Contatos · Recado");
});

test("on a telephone the sidebar is a drawer that keeps the keyboard inside @spec 2.20", async () => {
  await page.viewport(390, 844);
  await renderApp("/");
  const open = button("Abrir menu");
  const menu = dialog("Menu");
  await expect.element(open).toBeVisible();
  await expect.element(page.getByRole("navigation", { name: "Principal" })).not.toBeInTheDocument();
  await open.click();
  await expect.element(menu).toBeVisible();
  const links = menu.getByRole("link").elements();
  expect(links.map((link) => link.textContent).filter(Boolean)).toEqual(["Recado", ...LINKS, ...MORE]);
  for (let pressed = 0; pressed < 12; pressed++) {
    await userEvent.tab();
    expect(menu.element().contains(document.activeElement)).toBe(true);
  }
  await userEvent.keyboard("{Escape}");
  await expect.element(menu).not.toBeInTheDocument();
  await expect.element(open).toHaveFocus();

  await open.click();
  await menu.getByRole("link", { name: "Conectar WhatsApp" }).click();
  await expect.element(menu).not.toBeInTheDocument();
  await expect.element(heading("Conectar WhatsApp")).toBeVisible();
  await open.click();
  await menu.getByRole("link", { name: "Dashboard" }).click();
  await expect.element(heading("Painel de Controle")).toBeVisible();
  await expect.element(menu).not.toBeInTheDocument();
  await expect.element(main()).toHaveFocus();
});

test("both addresses of the connect screen show it @spec 2.10,5.13", async () => {
  for (const place of ["/baileys", "/whatsapp/connect"]) {
    await renderApp(place);
    await expect.element(page.getByLabelText("Número do WhatsApp")).toBeVisible();
    await expect
      .element(nav.getByRole("link", { name: "Conectar WhatsApp" }))
      .toHaveAttribute("aria-current", "page");
    await press("Conectar");
    const asked = page.getByText("Por favor, insira um número de telefone");
    await count(asked, 2);
    expect(asked.elements().filter((each) => !each.closest("[aria-hidden=true]"))).toHaveLength(1);
  }
});

/** As a new page does, before it shows anything. */
async function beforeThePage() {
  delete document.documentElement.dataset.theme;
  const script = document.createElement("script");
  const ran = new Promise((resolve) => script.addEventListener("load", resolve));
  script.src = "/theme.js";
  document.head.append(script);
  await ran;
  script.remove();
}

test("the chosen theme is remembered, and is there before the page is", async () => {
  expect(index.indexOf('<script src="/theme.js"></script>')).toBeGreaterThan(0);
  expect(index.indexOf('<script src="/theme.js"></script>')).toBeLessThan(index.indexOf('type="module"'));
  await commands.emulateMedia({ colorScheme: "light" });
  const server = fakeServer();
  server.on("POST /api/logout", () => {
    server.world.me = null;
    localStorage.clear();
  });
  await renderApp("/");
  await press(/^Menu da conta/);
  await page.getByRole("menuitemradio", { name: "Escuro" }).click();
  await expect.poll(theme).toBe("dark");
  await beforeThePage();
  expect(theme()).toBe("dark");
  await renderApp("/");
  await press("Sair");
  await at("/login");
  await beforeThePage();
  expect(theme()).toBe("dark");
});

test("26.11 the account's name, e-mail, settings and sign-out are behind the avatar, on a telephone too", async () => {
  const server = fakeServer(world({ me: person({ email: "ana@horizonte.com.br" }) }));
  server.on("POST /api/logout", () => {
    server.world.me = null;
  });
  await renderApp("/");
  const avatar = button(/^Menu da conta/, page.getByRole("banner"));
  const menu = page.getByRole("menu");
  for (const width of [390, 1440]) {
    await page.viewport(width, 844);
    await avatar.click();
    await expect.element(menu.getByText("Ótica Horizonte")).toBeVisible();
    await expect.element(menu.getByText("ana@horizonte.com.br")).toBeVisible();
    for (const name of ["Claro", "Escuro", "Igual ao sistema", "Português", "English"])
      await expect.element(menu.getByRole("menuitemradio", { name })).toBeVisible();
    await expect.element(menu.getByRole("menuitem", { name: "Sair" })).toBeVisible();
    await menu.getByRole("menuitem", { name: "Configurações" }).click();
    await at("/settings");
    // A screen that arrives takes the focus, which closes a menu.
    await expect.element(page.getByRole("heading", { level: 1, name: "Configurações" })).toBeVisible();
    await expect.element(menu).not.toBeInTheDocument();
  }
  await avatar.click();
  await menu.getByRole("menuitem", { name: "Sair" }).click();
  await at("/login");
});

test("an unknown address is said to be none, to everybody, with a way back @spec 2.15", async () => {
  fakeServer(world({ me: null }));
  await renderApp("/nao-existe/nada");
  await expect.element(page.getByRole("heading", { name: "Página Não Encontrada" })).toBeVisible();
  await page.getByRole("link", { name: "Voltar ao Dashboard" }).click();
  await at("/login");
});

test("when the server cannot be reached the screen says so and offers another try @spec 2.70,8.19", async () => {
  const server = fakeServer();
  await renderApp("/");
  // What the page asks for once it listens would take the error away.
  await server.publish("account");
  const connections = server.drop("GET /api/connections");
  await nav.getByRole("link", { name: "Conexões" }).click();
  const error = main().getByRole("alert");
  await expect.element(error).toMatchTextContent("Erro ao buscar conexões");
  await expect.element(error).toMatchTextContent("Seus envios não são afetados");
  connections.stop();
  await button("Tentar novamente", error).click();
  await shows("Nenhuma conexão encontrada");

  const lists = server.drop("GET /api/contact-lists");
  await nav.getByRole("link", { name: "Contatos" }).click();
  await expect.element(error).toMatchTextContent("Seus envios não são afetados");
  lists.stop();
  window.dispatchEvent(new Event("offline"));
  window.dispatchEvent(new Event("online"));
  await shows("Nenhuma lista de contatos");
});

const addContact = ({ lists }: { lists: unknown[] }, name: string) =>
  lists.push(contactList({ name: `Contato manual - ${name}`, count: 1 }));
const card = (name: string) => page.getByRole("article", { name: `Contato manual - ${name}` });

test("a change made elsewhere appears by itself, also while another tab holds the stream and after it is closed", async () => {
  const server = fakeServer();
  const closed = Promise.withResolvers<void>();
  const other = new BroadcastChannel("recado-events");
  await new Promise<void>((held) => {
    void navigator.locks.request("recado-events", () => {
      held();
      return closed.promise;
    });
  });
  await renderApp("/contacts");
  await shows("Nenhuma lista de contatos");
  addContact(server.world, "Ana");
  other.postMessage({ kind: "change", change: { topic: "contacts", id: null } });
  await expect.element(card("Ana")).toBeVisible();
  expect(server.streams.begun).toBe(0);
  other.close();
  closed.resolve();
  await expect.poll(() => server.streams.begun).toBe(1);
  addContact(server.world, "Bruno");
  await server.publish("contacts");
  await expect.element(card("Bruno")).toBeVisible();
});

test("without the stream of changes the page asks by itself", async () => {
  holdClock();
  const server = fakeServer();
  server.streams.lose();
  await renderApp("/contacts");
  await inTime(() => expect(page.getByText("Nenhuma lista de contatos").query()).not.toBeNull());
  addContact(server.world, "Ana");
  for (let passed = 0; passed < 31_000; passed += 250) await vi.advanceTimersByTimeAsync(250);
  await expect.element(card("Ana")).toBeVisible();
});
