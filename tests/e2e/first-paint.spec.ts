import { expect, type Page, test } from "@playwright/test";
import { type ProductServer, startProduct } from "../support/server.ts";
import { signUp } from "./support/person.ts";

/* The first paint (web/first-paint.tsx) equals the screen that replaces it, in the same place. */

const DOORS = ["/login", "/signup", "/esqueci-a-senha"];
const SCREENS = [
  ...[
    "/",
    "/campaigns",
    "/campaigns/new",
    "/contacts",
    "/baileys",
    "/whatsapp/connect",
    "/whatsapp/connections",
  ],
  ...["/chat", "/instances", "/chatbot", "/criar-robo", "/settings"],
];
const SIZES = [
  { width: 1280, height: 800 },
  { width: 390, height: 844 },
];

let product: ProductServer;

test.beforeAll(async () => {
  product = await startProduct();
});
test.afterAll(() => product.close());

async function withoutScripts(page: Page, place: string): Promise<void> {
  await page.route(/\/assets\/.*\.js$/, () => undefined);
  await page.goto(`${product.url}${place}`, { waitUntil: "commit" });
  await expect(page.locator("#ahead")).toBeVisible();
  const styles = page.locator("link[rel=stylesheet]");
  const missing = () =>
    styles.evaluateAll((links) => links.filter((link) => !(link as HTMLLinkElement).sheet).length);
  await expect.poll(missing).toBe(0);
}

function seenIn(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const parts = document.querySelectorAll<HTMLElement>(
      ".page-head h1, .auth-column h1, .auth-column .lead, .auth-side h2, .brand, .nav :is(a, button), .nav-head",
    );
    return [...parts]
      .filter((part) => part.checkVisibility({ visibilityProperty: true }))
      .map((part) => {
        const { left, top } = part.getBoundingClientRect();
        return `${part.textContent} at ${Math.round(left)} ${Math.round(top)}${part.matches(".nav [aria-current]") ? ", here" : ""}`;
      });
  });
}

for (const viewport of SIZES)
  test(`what stands before the script is there stands in its place, ${viewport.width} px`, async ({
    page,
    browser,
  }) => {
    const stranger = await page.context().storageState();
    await signUp(page, product.url);
    const person = await page.context().storageState();
    await page.close();
    const visits = [
      ...DOORS.map((place) => ({ place, storageState: stranger })),
      ...SCREENS.map((place) => ({ place, storageState: person })),
    ];
    for (const { place, storageState } of visits) {
      const context = await browser.newContext({ storageState, viewport });
      const early = await context.newPage();
      await withoutScripts(early, place);
      const before = await seenIn(early);
      const late = await context.newPage();
      await late.goto(`${product.url}${place}`);
      await expect(late.getByRole("heading", { level: 1 }).first()).toBeAttached();
      await expect(late.locator("#ahead")).toHaveCount(0);
      await expect.poll(() => seenIn(late), place).toEqual(expect.arrayContaining(before));
      expect(before.length, place).toBeGreaterThan(viewport.width > 1000 ? 1 : 0);
      await context.close();
    }
  });

test("the first paint cannot be pressed or read out, and never shows beside or after the screen", async ({
  page,
}) => {
  await signUp(page, product.url);
  const early = await page.context().newPage();
  await withoutScripts(early, "/campaigns");
  await expect(early.getByRole("heading")).toHaveCount(0);
  await expect(early.getByRole("link")).toHaveCount(0);
  await early.keyboard.press("Tab");
  expect(await early.evaluate(() => document.activeElement?.tagName)).toBe("BODY");
  await early.mouse.click(100, 150);
  expect(new URL(early.url()).pathname).toBe("/campaigns");
  await early.close();

  await page.addInitScript(() => {
    const counts: number[] = [];
    Object.assign(globalThis, { counts });
    const look = () => {
      counts.push(document.querySelectorAll(".app").length);
      requestAnimationFrame(look);
    };
    look();
  });
  await page.goto(`${product.url}/campaigns`);
  await expect(page.getByRole("heading", { name: "Campanhas", level: 1 })).toBeVisible();
  await page.waitForFunction(() => (globalThis as unknown as { counts: number[] }).counts.at(-1) === 1);
  const counts = await page.evaluate(() => (globalThis as unknown as { counts: number[] }).counts);
  const first = counts.findIndex((count) => count > 0);
  expect(first).toBeGreaterThan(-1);
  expect(counts.slice(first).every((count) => count === 1)).toBe(true);
});

test("who is not signed in sees the door at once, whatever screen was asked for", async ({ page }) => {
  await withoutScripts(page, "/campaigns");
  await expect(page.locator("#ahead .auth-side h2")).toBeVisible();
  await expect(page.locator("#ahead .sidebar")).toHaveCount(0);
});

test("where no script comes the page says that it takes long, and offers another try", async ({ page }) => {
  await withoutScripts(page, "/login");
  const late = page.getByRole("status").filter({ hasText: "A página está demorando a abrir." });
  await expect(late).toBeHidden();
  await late.evaluate((said) => said.getAnimations().forEach((wait) => void wait.finish()));
  await expect(late).toBeVisible();
  // From here requests pass; unrouting would also release the held ones and replace what is to be clicked.
  await page.route(/\/assets\/.*\.js$/, (route) => route.continue());
  await late.getByRole("link", { name: "Recarregar" }).click();
  await expect(page.getByLabel("E-mail")).toBeVisible();
  await expect(late).toHaveCount(0);
});
