import { expect, type Page, type Request, test } from "@playwright/test";
import type { ProductServer } from "../support/server.ts";
import { signUpUnseen } from "./support/person.ts";
import type { ProductRows } from "./support/product-rows.ts";
import { seedWorkingAccount } from "./support/screen-rows.ts";
import { startedFor } from "./support/started.ts";
import { walk } from "./support/walk.ts";

/* Use without a mouse, and no motion under prefers-reduced-motion. */

let product: ProductServer;
let rows: ProductRows;

test.use({ viewport: { width: 1440, height: 900 }, contextOptions: { reducedMotion: "reduce" } });
startedFor((started) => {
  ({ product, rows } = started);
});

async function workingAccount(page: Page): Promise<void> {
  await seedWorkingAccount(rows.db, page, product.url, await signUpUnseen(page, product.url));
}

async function visit(page: Page, place: string, words: string): Promise<void> {
  await page.goto(`${product.url}${place}`);
  await expect(page.getByText(words).filter({ visible: true }).first()).toBeVisible();
}

function questionsOf(page: Page): Set<Request> {
  const waiting = new Set<Request>();
  page.on("request", (request) => {
    if (/\/api\/(?!events)/.test(request.url())) waiting.add(request);
  });
  for (const ended of ["requestfinished", "requestfailed"] as const)
    page.on(ended as "requestfinished", (request) => void waiting.delete(request));
  return waiting;
}

const SCREENS = [
  ["/", "Campanhas Recentes"],
  ["/campaigns", "Óculos prontos"],
  ["/campaigns/new", "Pré-visualização"],
  ["/contacts", "Clientes Savassi"],
  ["/chat", "Oi! Vale para óculos de sol?"],
  ["/settings", "Seus dados"],
] as const;

for (const colorScheme of ["light", "dark"] as const)
  test(`Tab goes to everything that can be used, and it is seen where one is, ${colorScheme}`, async ({
    page,
  }) => {
    await page.emulateMedia({ colorScheme });
    await workingAccount(page);
    const errors: Record<string, string[]> = {};
    const waiting = questionsOf(page);
    for (const [place, words] of SCREENS) {
      waiting.clear();
      await visit(page, place, words);
      // Content that arrives after the focus has passed would never be reached.
      await expect.poll(() => waiting.size).toBe(0);
      const found = await walk(page);
      if (found.length) errors[place] = found;
    }
    expect(errors).toEqual({});
  });

test("the first Tab offers the way past the menu", async ({ page }) => {
  await workingAccount(page);
  await visit(page, "/campaigns", "Óculos prontos");
  await page.keyboard.press("Tab");
  const skip = page.getByRole("link", { name: "Ir para o conteúdo" });
  await expect(skip).toBeFocused();
  await expect(skip).toBeInViewport();
  await page.keyboard.press("Enter");
  await expect(page.getByRole("main")).toBeFocused();
  await page.keyboard.press("Tab");
  await expect(page.getByRole("main").locator(":focus")).toHaveCount(1);
});

const WINDOWS = [
  ["/contacts", "Importar"],
  ["/contacts", "Exportar"],
  ["/contacts", "Novo Contato"],
  ["/contacts", "Descadastrados (1)"],
  ["/contacts", "Excluir Lista: Clientes Savassi"],
  ["/campaigns", "Reenviar falhas (5)"],
  ["/settings", "Excluir conta"],
  ["/settings?aba=chaves", "Gerar nova chave"],
  ["/settings?aba=chaves", "Revogar: Painel"],
] as const;

test("windows keep the keyboard, and give it back to what opened them", async ({ page }) => {
  await workingAccount(page);
  for (const [place, name] of WINDOWS) {
    await page.goto(`${product.url}${place}`);
    const opener = page.getByRole("button", { name, exact: true }).first();
    await opener.focus();
    await page.keyboard.press("Enter");
    const window = page.getByRole("dialog").or(page.getByRole("alertdialog"));
    await expect(window.locator(":focus"), name).toHaveCount(1);
    for (const key of [...Array<string>(8).fill("Tab"), ...Array<string>(12).fill("Shift+Tab")]) {
      await page.keyboard.press(key);
      expect(await window.evaluate((node) => node.contains(document.activeElement)), name).toBe(true);
    }
    await page.keyboard.press("Escape");
    await expect(window).toBeHidden();
    await expect(opener, name).toBeFocused();
  }
});

const MENUS = [
  ["/contacts", /^Menu da conta/],
  ["/campaigns", "Mais ações de Rascunho de Natal"],
  ["/whatsapp/connections", "Ações de Unidade Savassi"],
] as const;

test("menus are gone through by arrows", async ({ page }) => {
  await page.emulateMedia({ forcedColors: "active" });
  await workingAccount(page);
  for (const [place, name] of MENUS) {
    await page.goto(`${product.url}${place}`);
    const opener = page.getByRole("button", { name, exact: true });
    await opener.focus();
    await page.keyboard.press("ArrowDown");
    const entries = page.getByRole("menu").locator("[role^=menuitem]");
    await expect(entries.first(), String(name)).toBeFocused();
    await expect(entries.first(), String(name)).toHaveCSS("outline-style", "solid");
    await page.keyboard.press("End");
    await expect(entries.last(), String(name)).toBeFocused();
    if ((await entries.count()) > 1) {
      await page.keyboard.press("ArrowUp");
      await expect(entries.last(), String(name)).not.toBeFocused();
    }
    await page.keyboard.press("Escape");
    await expect(opener, String(name)).toBeFocused();
  }
});

function noteMotion(): void {
  const moved = new Set<string>();
  Object.assign(window, { moved });
  const note = () => {
    for (const each of document.getAnimations()) {
      const { activeDuration } = each.effect?.getComputedTiming() ?? {};
      if (!(Number(activeDuration) > 10)) continue;
      const target = each.effect instanceof KeyframeEffect ? each.effect.target : null;
      const what = each instanceof CSSTransition ? each.transitionProperty : each.id;
      moved.add(`${target?.tagName} ${target?.className} ${what}`);
    }
  };
  for (const begins of ["transitionrun", "animationstart"]) document.addEventListener(begins, note, true);
}

test("nothing moves for who asked for stillness", async ({ page }) => {
  await page.addInitScript(noteMotion);
  await workingAccount(page);
  const moved = () => page.evaluate(() => [...(window as unknown as { moved: Set<string> }).moved]);
  const press = (name: string | RegExp) =>
    page.getByRole("button", { name }).filter({ visible: true }).first().click();
  for (const [place, words] of SCREENS) {
    await visit(page, place, words);
    for (const link of await page.getByRole("main").getByRole("button").all())
      await link.hover({ timeout: 1_000 }).catch(() => undefined);
    expect(await moved(), place).toEqual([]);
  }
  await visit(page, "/contacts", "Clientes Savassi");
  await press("Importar");
  await expect(page.getByRole("dialog")).toBeVisible();
  await page.keyboard.press("Escape");
  await press(/^Menu da conta/);
  await expect(page.getByRole("menu")).toBeVisible();
  await page.keyboard.press("Escape");
  await press(/^Descadastrados/);
  await press(/^Permitir de novo/);
  await expect(page.getByText("pode receber campanhas de novo")).toBeVisible();
  await page.keyboard.press("Escape");
  await page.keyboard.press("Control+k");
  await expect(page.getByRole("dialog")).toBeVisible();
  await page.keyboard.press("Escape");
  await page.setViewportSize({ width: 390, height: 844 });
  await press("Abrir menu");
  await expect(page.getByRole("dialog", { name: "Menu" })).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(page.getByRole("dialog")).toHaveCount(0);
  expect(await moved()).toEqual([]);
});
