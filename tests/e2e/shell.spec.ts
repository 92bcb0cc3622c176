import { expect, type Page, test } from "@playwright/test";
import { type ProductServer, startProduct } from "../support/server.ts";
import { signUp, signUpUnseen } from "./support/person.ts";

let product: ProductServer;

test.beforeAll(async () => {
  product = await startProduct();
});
test.afterAll(() => product.close());

const LINKS = ["Dashboard", "Contatos", "Conexões", "Conectar WhatsApp", "Campanhas"];
const PLACES = ["/", "/contacts", "/whatsapp/connections", "/baileys", "/campaigns"];
const MORE = ["Chat", "Evolution", "Meus Robôs", "Configurações"];

const bottomOf = (box: { y: number; height: number } | null | undefined) => (box ? box.y + box.height : 0);

test("the sidebar has the five places in their order, and says where one is @spec 2.3,2.17 @decision 17,31", async ({
  page,
}) => {
  await signUp(page, product.url);
  const links = page.getByRole("navigation", { name: "Principal" }).getByRole("link");
  await expect(links).toHaveText(LINKS);
  expect(await links.evaluateAll((all) => all.map((link) => link.getAttribute("href")))).toEqual(PLACES);
  await expect(page.getByRole("navigation", { name: "Mais" }).getByRole("link")).toHaveText(MORE);
  const sidebar = page.getByRole("complementary", { name: "Menu" });
  await expect(sidebar.locator("a, button").last()).toHaveText("Sair");
  const [whole, out] = await Promise.all(
    [sidebar, sidebar.getByRole("button", { name: "Sair" })].map((each) => each.boundingBox()),
  );
  expect(bottomOf(whole) - bottomOf(out)).toBeLessThan(32);
  await links.nth(1).click();
  await expect(page.getByRole("heading", { level: 1, name: "Contatos" })).toBeVisible();
  await expect(links.nth(1)).toHaveAttribute("aria-current", "page");
  await expect(page).toHaveTitle("Contatos · Recado");
});

test("on a telephone the sidebar is a drawer that keeps the keyboard inside @spec 2.20", async ({ page }) => {
  await signUp(page, product.url);
  await page.setViewportSize({ width: 390, height: 844 });
  await expect(page.getByRole("navigation", { name: "Principal" })).toBeHidden();
  const open = page.getByRole("button", { name: "Abrir menu" });
  await open.click();
  const menu = page.getByRole("dialog", { name: "Menu" });
  await expect(menu.getByRole("link").filter({ hasText: /\S/ })).toHaveText(["Recado", ...LINKS, ...MORE]);
  for (let press = 0; press < 12; press++) await page.keyboard.press("Tab");
  await expect(menu.locator(":focus")).toHaveCount(1);
  await page.keyboard.press("Escape");
  await expect(menu).toBeHidden();
  await expect(open).toBeFocused();

  await open.click();
  await menu.getByRole("link", { name: "Conectar WhatsApp" }).click();
  await expect(menu).toBeHidden();
  await expect(page.getByRole("heading", { level: 1, name: "Conectar WhatsApp" })).toBeVisible();
  await open.click();
  await menu.getByRole("link", { name: "Dashboard" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "Painel de Controle" })).toBeVisible();
  await expect(menu).toBeHidden();
  await expect(page.getByRole("main")).toBeFocused();
});

test("no screen scrolls sideways on a telephone", async ({ page }) => {
  await signUp(page, product.url, "Uma Empresa de Nome Muito Comprido Comércio e Serviços Ltda.");
  await page.setViewportSize({ width: 360, height: 740 });
  const places = [
    "/",
    "/contacts",
    "/whatsapp/connections",
    "/baileys",
    "/campaigns",
    "/chat",
    "/settings",
    "/termos",
    "/login",
  ];
  for (const place of places) {
    await page.goto(`${product.url}${place}`);
    await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
    await expect(page.getByText("Carregando...")).toHaveCount(0);
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    expect(wide, place).toBeLessThanOrEqual(0);
  }
});

test("both addresses of the connect screen show it @spec 2.10,5.13", async ({ page }) => {
  await signUpUnseen(page, product.url);
  for (const place of ["/baileys", "/whatsapp/connect"]) {
    await page.goto(`${product.url}${place}`);
    await expect(page.getByLabel("Número do WhatsApp")).toBeVisible();
    const link = page.getByRole("navigation").getByRole("link", { name: "Conectar WhatsApp" });
    await expect(link).toHaveAttribute("aria-current", "page");
    await page.getByRole("button", { name: "Conectar" }).click();
    const asked = "Por favor, insira um número de telefone";
    await expect(page.getByText(asked)).toHaveCount(2);
    expect((await page.locator("body").ariaSnapshot()).split(asked)).toHaveLength(2);
  }
});

test("the chosen theme is remembered, and is there before the page is", async ({ page }) => {
  await page.emulateMedia({ colorScheme: "light" });
  await signUp(page, product.url);
  await page.getByRole("button", { name: /^Menu da conta/ }).click();
  await page.getByRole("menuitemradio", { name: "Escuro" }).click();
  await expect(page.locator("html")).toHaveAttribute("data-theme", "dark");
  await page.route("**/assets/**/*.js", (route) => route.abort());
  await page.reload();
  await expect(page.locator("html")).toHaveAttribute("data-theme", "dark");
  await page.unroute("**/assets/**/*.js");
  await page.reload();
  await page.getByRole("button", { name: "Sair", exact: true }).click();
  await expect(page).toHaveURL(/\/login$/);
  await page.reload();
  await expect(page.locator("html")).toHaveAttribute("data-theme", "dark");
});

test("26.11 the account's name, e-mail, settings and sign-out are behind the avatar, on a telephone too", async ({
  page,
}) => {
  const email = await signUp(page, product.url);
  for (const size of [
    { width: 390, height: 844 },
    { width: 1440, height: 900 },
  ]) {
    await page.setViewportSize(size);
    const avatar = page.getByRole("banner").getByRole("button", { name: /^Menu da conta/ });
    await avatar.click();
    const menu = page.getByRole("menu");
    await expect(menu.getByText(email)).toBeVisible();
    for (const name of ["Claro", "Escuro", "Igual ao sistema", "Português", "English"])
      await expect(menu.getByRole("menuitemradio", { name })).toBeVisible();
    await expect(menu.getByRole("menuitem", { name: "Sair" })).toBeVisible();
    await menu.getByRole("menuitem", { name: "Configurações" }).click();
    await expect(page).toHaveURL(/\/settings/);
  }
  await page.getByRole("button", { name: /^Menu da conta/ }).click();
  await page.getByRole("menuitem", { name: "Sair" }).click();
  await expect(page).toHaveURL(/\/login$/);
});

test("an unknown address is said to be none, to everybody, with a way back @spec 2.15", async ({ page }) => {
  await page.goto(`${product.url}/nao-existe/nada`);
  await expect(page.getByRole("heading", { name: "Página Não Encontrada" })).toBeVisible();
  await page.getByRole("link", { name: "Voltar ao Dashboard" }).click();
  await expect(page).toHaveURL(/\/login$/);
});

test("when the server cannot be reached the screen says so and offers another try @spec 2.70,8.19", async ({
  page,
  context,
}) => {
  // The page may refetch when the stream opens, and the error would vanish before the press.
  const streaming = page.waitForResponse("**/api/events*");
  await signUp(page, product.url);
  await streaming;
  await page.route("**/api/connections", (route) => route.abort());
  await page.getByRole("navigation").getByRole("link", { name: "Conexões" }).click();
  const error = page.getByRole("alert");
  await expect(error).toContainText("Erro ao buscar conexões");
  await expect(error).toContainText("Seus envios não são afetados");
  await page.unroute("**/api/connections");
  await error.getByRole("button", { name: "Tentar novamente" }).click();
  await expect(page.getByText("Nenhuma conexão encontrada")).toBeVisible();

  await page.route("**/api/contact-lists?*", (route) => route.abort());
  await page.getByRole("navigation").getByRole("link", { name: "Contatos" }).click();
  await expect(error).toContainText("Seus envios não são afetados");
  await page.unroute("**/api/contact-lists?*");
  await context.setOffline(true);
  await context.setOffline(false);
  await expect(page.getByText("Nenhuma lista de contatos")).toBeVisible();
});

test("without a network a screen that was never open says so beside the menu, and opens when it is back", async ({
  page,
  context,
}) => {
  await signUpUnseen(page, product.url);
  await page.goto(`${product.url}/contacts`);
  await expect(page.getByText("Nenhuma lista de contatos")).toBeVisible();
  await context.setOffline(true);
  await page.getByRole("navigation").getByRole("link", { name: "Chat" }).click();
  const error = page.getByRole("alert").filter({ hasText: "Não foi possível abrir esta tela" });
  await expect(error).toContainText("Você está sem internet.");
  // On the second try the router assumes that a newer version replaced the file.
  await page.getByRole("navigation").getByRole("link", { name: "Contatos" }).click();
  await expect(page.getByText("Nenhuma lista de contatos")).toBeVisible();
  await page.getByRole("navigation").getByRole("link", { name: "Chat" }).click();
  await expect(error).toContainText("Você está sem internet.");
  await expect(page.getByRole("navigation").getByRole("link", { name: "Campanhas" })).toBeVisible();
  await context.setOffline(false);
  await expect(page.getByRole("heading", { name: "Nenhuma conexão encontrada" })).toBeVisible();
  await expect(page).toHaveURL(/\/chat$/);
});

const addContact = (page: Page, name: string) =>
  page.request.post(`${product.url}/api/contacts`, { data: { name, phone: "31 90234-1187" } });

test("a change made elsewhere appears by itself, in every tab", async ({ page, context }) => {
  await signUpUnseen(page, product.url);
  const second = await context.newPage();
  for (const tab of [page, second]) {
    await tab.goto(`${product.url}/contacts`);
    await expect(tab.getByText("Nenhuma lista de contatos")).toBeVisible();
  }
  await addContact(page, "Ana");
  for (const tab of [page, second])
    await expect(tab.getByRole("article", { name: "Contato manual - Ana" })).toBeVisible();
  await page.close();
  await addContact(second, "Bruno");
  await expect(second.getByRole("article", { name: "Contato manual - Bruno" })).toBeVisible();
});

test("without the stream of changes the page asks by itself", async ({ page }) => {
  await signUpUnseen(page, product.url);
  await page.route("**/api/events*", (route) => route.abort());
  await page.clock.install();
  await page.goto(`${product.url}/contacts`);
  await expect(page.getByText("Nenhuma lista de contatos")).toBeVisible();
  await addContact(page, "Ana");
  await page.clock.runFor(31_000);
  await expect(page.getByRole("article", { name: "Contato manual - Ana" })).toBeVisible();
});
