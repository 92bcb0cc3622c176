import { expect, type Page, test } from "@playwright/test";
import { type ProductServer, startProduct } from "../support/server.ts";
import { expectAccessible } from "./support/axe.ts";
import { heldAnswer } from "./support/held-answer.ts";
import { signUp, signUpUnseen } from "./support/person.ts";

let product: ProductServer;

test.beforeAll(async () => {
  product = await startProduct();
});
test.afterAll(() => product.close());

const palette = (page: Page) => page.getByRole("dialog", { name: "Busca rápida" });
const field = (page: Page) => palette(page).getByRole("combobox");
const option = (page: Page, name: string | RegExp) => palette(page).getByRole("option", { name });
const pointedAt = async (page: Page) => {
  const id = await field(page).getAttribute("aria-activedescendant");
  const line = page.locator(`[id="${id}"]`);
  await expect(line).toHaveAttribute("aria-selected", "true");
  return line.textContent();
};

async function importList(page: Page, name: string, rows: string) {
  const made = await page.request.post(
    `${product.url}/api/contact-imports?${new URLSearchParams({ name })}`,
    {
      headers: { "content-type": "text/csv" },
      data: `Nome;Telefone\n${rows}`,
    },
  );
  const { id } = (await made.json()) as { id: number };
  const report = async () =>
    (await (await page.request.get(`${product.url}/api/contact-imports/${id}`)).json()) as {
      state: string;
      listId: number;
    };
  await expect.poll(async () => (await report()).state).toBe("done");
  return (await report()).listId;
}

async function draft(page: Page, name: string) {
  await page.request.post(`${product.url}/api/campaigns`, { data: { intent: "draft", name, text: "Olá" } });
}

test("by the keyboard alone from anywhere to a campaign that was found", async ({ page }) => {
  await signUp(page, product.url);
  await draft(page, "Promoção de São João");
  await draft(page, "Volta às aulas");
  await page.goto(`${product.url}/contacts`);
  await page.getByRole("searchbox").focus();
  await page.keyboard.press("Control+k");
  await expect(field(page)).toBeFocused();
  await expect(palette(page).getByRole("status")).toContainText(/\d+ resultados/);
  await page.keyboard.type("sao joao");
  await expect(option(page, "Promoção de São João")).toBeVisible();
  await expect(palette(page).getByRole("group", { name: "Campanhas" }).getByRole("option")).toHaveCount(1);
  await expect(palette(page).getByRole("status")).toHaveText("1 resultado");
  expect(await pointedAt(page)).toContain("Promoção de São João");
  await page.keyboard.press("Enter");
  await expect(palette(page)).toBeHidden();
  await expect(page.getByLabel("Nome da campanha")).toHaveValue("Promoção de São João");
  await expect(page.locator("#content")).toBeFocused();
});

test("arrows, Home and End point at lines; Esc closes, and the focus is where it was", async ({ page }) => {
  await signUpUnseen(page, product.url);
  await page.goto(`${product.url}/contacts`);
  const search = page.getByRole("searchbox");
  await search.focus();
  await page.keyboard.press("Control+k");
  await expect(field(page)).toBeFocused();
  const lines = palette(page).getByRole("option");
  const first = await lines.first().textContent();
  const last = await lines.last().textContent();
  expect(await pointedAt(page)).toBe(first);
  await page.keyboard.press("ArrowDown");
  expect(await pointedAt(page)).toBe(await lines.nth(1).textContent());
  await page.keyboard.press("End");
  expect(await pointedAt(page)).toBe(last);
  await expect(lines.last()).toBeInViewport();
  await page.keyboard.press("ArrowDown");
  expect(await pointedAt(page)).toBe(first);
  await page.keyboard.press("ArrowUp");
  expect(await pointedAt(page)).toBe(last);
  await page.keyboard.press("Home");
  expect(await pointedAt(page)).toBe(first);
  await expect(field(page)).toBeFocused();
  await page.keyboard.press("Escape");
  await expect(palette(page)).toBeHidden();
  await expect(search).toBeFocused();
  await page.keyboard.press("Control+k");
  await expect(field(page)).toHaveValue("");
  await page.keyboard.press("Control+k");
  await expect(palette(page)).toBeHidden();
});

test("every screen and the common actions can be reached", async ({ page }) => {
  await signUp(page, product.url);
  const places: [typed: string, line: string, heading: string | RegExp, path: string][] = [
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
  ];
  for (const [typed, line, heading, path] of places) {
    if (page.url().endsWith("/termos")) await page.goBack();
    await page.getByRole("button", { name: "Busca rápida" }).click();
    await field(page).fill(typed);
    await option(page, line)
      .and(page.locator(`:text-is("${line}"), :has(:text-is("${line}"))`))
      .click();
    await expect(page).toHaveURL(`${product.url}${path}`);
    await expect(page.getByRole("heading", { level: 1, name: heading }).first()).toBeVisible();
  }
  await page.goBack();
  await page.getByRole("button", { name: "Busca rápida" }).click();
  await field(page).fill("painel");
  await page.keyboard.press("Enter");
  await expect(palette(page)).toBeHidden();
  await expect(page).toHaveURL(`${product.url}/`);
  await expect(page.locator("#content")).toBeFocused();
});

test("contacts are imported, the theme is changed and the account is left from the palette", async ({
  page,
}) => {
  await page.emulateMedia({ colorScheme: "light" });
  await signUp(page, product.url);
  await page.keyboard.press("Control+k");
  await field(page).fill("planilha");
  await page.keyboard.press("Enter");
  const dialog = page.getByRole("dialog", { name: "Importar contatos" });
  await expect(dialog).toBeVisible();
  await page.keyboard.press("Control+k");
  await expect(palette(page)).toHaveCount(0);
  await page.keyboard.press("Escape");
  await expect(dialog).toBeHidden();
  await expect(page).toHaveURL(`${product.url}/contacts`);

  await page.keyboard.press("Control+k");
  await field(page).fill("tema escuro");
  await page.keyboard.press("Enter");
  await expect(page.locator("html")).toHaveAttribute("data-theme", "dark");
  await expect(palette(page)).toBeHidden();

  await page.keyboard.press("Control+k");
  await field(page).fill("sair");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/\/login$/);
});

test("the language is changed from the palette, which then speaks it", async ({ page }) => {
  await signUp(page, product.url);
  await page.keyboard.press("Control+k");
  await field(page).fill("english");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("button", { name: "Quick search" })).toBeVisible();
  await page.keyboard.press("Control+k");
  const english = page.getByRole("dialog", { name: "Quick search" });
  await english.getByRole("combobox").fill("zzzz");
  await expect(english.getByText("Nothing found for “zzzz”").first()).toBeVisible();
  await english.getByRole("combobox").fill("new camp");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("heading", { level: 1, name: "New Campaign" })).toBeVisible();
});

test("a list and a person are found, and shown alone on the screen of contacts", async ({ page }) => {
  await signUp(page, product.url);
  const rows = Array.from({ length: 8 }, (_, n) => `Cliente ${n};3190000000${n}`).join("\n");
  const vip = await importList(page, "Clientes VIP", `João Conceição;31987654321\n${rows}`);
  await importList(page, "Fornecedores", `João Conceição;31987654321\nBia;31933334444`);
  await page.goto(`${product.url}/campaigns`);
  await expect(page.getByRole("heading", { level: 1, name: "Campanhas" })).toBeVisible();

  await page.keyboard.press("Control+k");
  await page.keyboard.type("vip");
  await expect(option(page, /^Clientes VIP/)).toContainText("9 contatos");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(`${product.url}/contacts?lista=${vip}`);
  await expect(page.getByRole("article", { name: "Clientes VIP" })).toBeVisible();
  await expect(page.getByRole("article")).toHaveCount(1);

  await page.keyboard.press("Control+k");
  await page.keyboard.type("93333-4444");
  await expect(option(page, /^Bia/)).toBeVisible();
  await page.keyboard.press("Enter");
  const card = page.getByRole("article", { name: "Fornecedores" });
  await expect(card).toContainText("1 de 2 contatos");
  await expect(card.getByRole("listitem")).toHaveText([/Bia/]);
  await expect(page.getByRole("article")).toHaveCount(1);
  await page.reload();
  await expect(card.getByRole("listitem")).toHaveText([/Bia/]);
  await expect(page.getByRole("searchbox")).toHaveValue("5531933334444");
  await page.getByRole("button", { name: "Mostrar todas as listas" }).click();
  await expect(page.getByRole("article")).toHaveCount(2);

  await page.keyboard.press("Control+k");
  await page.keyboard.type("conceicao");
  await expect(option(page, /^João Conceição/)).toHaveCount(1);
});

test("what is not found is said with the term; what fails is said, and tried again", async ({ page }) => {
  await signUp(page, product.url);
  await draft(page, "Black Friday");
  await page.keyboard.press("Control+k");
  await page.keyboard.type("100% nada_disso\\");
  await expect(palette(page).getByText("Nada encontrado para «100% nada_disso\\»").first()).toBeVisible();
  await expect(palette(page).getByRole("status")).toHaveText("Nada encontrado para «100% nada_disso\\»");
  await page.keyboard.press("Enter");
  await expect(field(page)).toBeFocused();

  await page.route("**/api/search?**", (route) => route.abort());
  await field(page).fill("black");
  const error = palette(page).getByRole("alert");
  await expect(error).toContainText("Não foi possível buscar");
  await page.unroute("**/api/search?**");
  await error.getByRole("button", { name: "Tentar novamente" }).click();
  await expect(option(page, /^Black Friday/)).toBeVisible();
  await expect(error).toBeHidden();
});

test("a screen that comes late leaves what is typed in the palette as it is", async ({ page }) => {
  await signUpUnseen(page, product.url);
  const late = await heldAnswer(page, /settings-page[^/]*\.js$/);
  await page.goto(`${product.url}/contacts`);
  await page.getByRole("link", { name: "Configurações" }).press("Enter");
  await late.asked;
  await page.keyboard.press("Control+k");
  await expect(field(page)).toBeFocused();
  await page.keyboard.type("conf");
  late.answer();
  await expect(page).toHaveTitle("Configurações · Recado");
  await page.keyboard.type("i");
  await expect(field(page)).toHaveValue("confi");
});

test("while the server thinks, that is said, and what is known already can be chosen", async ({ page }) => {
  await signUp(page, product.url);
  let answer = () => {};
  const held = new Promise<void>((resolve) => {
    answer = resolve;
  });
  await page.route("**/api/search?**", async (route) => {
    await held;
    await route.continue();
  });
  await page.keyboard.press("Control+k");
  await page.keyboard.type("camp");
  await expect(palette(page).getByText("Buscando...")).toBeVisible();
  await expect(option(page, "Nova campanha")).toBeVisible();
  answer();
  await expect(palette(page).getByText("Buscando...")).toBeHidden();
});

test("Enter opens what is found for the words that stand there, never what was found for others", async ({
  page,
}) => {
  await signUp(page, product.url);
  await draft(page, "Volta às aulas");
  await draft(page, "Feirão de Natal");
  await page.keyboard.press("Control+k");
  await field(page).fill("volta");
  await expect(option(page, /^Volta às aulas/)).toBeVisible();
  const { answer } = await heldAnswer(page, /\/api\/search\?/);
  await field(page).fill("natal");
  await page.keyboard.press("Enter");
  await expect(palette(page)).toBeVisible();
  answer();
  await expect(palette(page)).toBeHidden();
  await expect(page.getByLabel("Nome da campanha")).toHaveValue("Feirão de Natal");
});

for (const colorScheme of ["light", "dark"] as const) {
  test(`the palette is accessible, and fills a telephone, ${colorScheme}`, async ({ page }) => {
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    await signUp(page, product.url);
    await draft(page, "Volta às aulas");
    await importList(page, "Volta de férias", "Volnei;31987654321");
    for (const width of [1440, 390]) {
      await page.setViewportSize({ width, height: 844 });
      await page.getByRole("button", { name: "Busca rápida" }).click();
      await expect(field(page)).toBeFocused();
      await expectAccessible(page);
      await field(page).fill("vol");
      await expect(option(page, /^Volnei/)).toBeVisible();
      await expectAccessible(page);
      await field(page).fill("nada disso");
      await expect(palette(page).getByText("Nada encontrado").first()).toBeVisible();
      await expectAccessible(page);
      const box = await palette(page).boundingBox();
      if (width === 390) expect(box).toEqual({ x: 0, y: 0, width: 390, height: 844 });
      else expect(box?.width).toBe(640);
      await palette(page).getByRole("button", { name: "Fechar" }).click();
      await expect(page.getByRole("button", { name: "Busca rápida" })).toBeFocused();
    }
  });
}
