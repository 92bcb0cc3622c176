import { expect, type Page, test } from "@playwright/test";
import { listRow } from "../support/campaign-rows.ts";
import { openFaultProxy } from "../support/fault-proxy.ts";
import { type ProductServer, startProduct } from "../support/server.ts";
import { signUpUnseen } from "./support/person.ts";
import { accountOf, type ProductRows, productRows } from "./support/product-rows.ts";
import { field, log, someTalks } from "./support/talks.ts";

/* The strip above every screen while its data may be out of date. */

let product: ProductServer;
let rows: ProductRows;

test.beforeEach(async () => {
  product = await startProduct();
  rows = await productRows(product);
});
test.afterEach(async () => {
  await rows.close();
  await product.close();
});

const AWAY = "Sem contato com o servidor. O que está na tela pode estar desatualizado.";
const strip = (page: Page) => page.getByRole("status").filter({ hasText: "pode estar desatualizado" });
const noteFlash = (page: Page) =>
  page.evaluate(() => {
    new MutationObserver(() => {
      if (document.querySelector("[data-ui~=offline]")) document.documentElement.dataset.flashed = "yes";
    }).observe(document.body, { childList: true, subtree: true });
  });
const flashed = (page: Page) => page.evaluate(() => document.documentElement.dataset.flashed);
const addContact = (page: Page, name: string) =>
  page.request.post(`${product.url}/api/contacts`, { data: { name, phone: "31 90234-1187" } });

test("an open screen says when the server is gone, and refetches when it is back", async ({ page }) => {
  const account = await accountOf(rows.db, await signUpUnseen(page, product.url));
  await addContact(page, "Ana");
  await page.goto(`${product.url}/contacts`);
  await expect(page.getByRole("article", { name: "Contato manual - Ana" })).toBeVisible();
  await expect(strip(page)).toHaveCount(0);
  await product.kill9();
  await expect(strip(page)).toHaveText(AWAY);
  // A screen not loaded yet must not be replaced by the browser's error page, nor when it is pressed again or
  // reloaded.
  const places = page.getByRole("navigation");
  const error = page.getByRole("alert").filter({ hasText: "Não foi possível abrir esta tela" });
  for (const place of ["Chat", "Campanhas", "Chat"]) {
    await places.getByRole("link", { name: place }).click();
    await expect(error).toContainText("O servidor não respondeu.");
  }
  const asked = page.waitForEvent("requestfailed", (request) => request.url().endsWith("/api/health/live"));
  await error.getByRole("button", { name: "Recarregar" }).click();
  await asked;
  await places.getByRole("link", { name: "Contatos" }).click();
  await expect(page.getByRole("article", { name: "Contato manual - Ana" })).toBeVisible();
  await listRow(rows.db, account, 3, "Clientes");
  await product.start();
  await expect(strip(page)).toHaveCount(0);
  await expect(page.getByText("Clientes")).toBeVisible();
});

test("what changed while the server was away is fetched when it is back, also where the stream is not", async ({
  page,
}) => {
  const account = await accountOf(rows.db, await signUpUnseen(page, product.url));
  await page.goto(`${product.url}/contacts`);
  await expect(page.getByText("Nenhuma lista de contatos")).toBeVisible();
  await page.route("**/api/events*", (route) => route.abort());
  await product.kill9();
  await expect(strip(page)).toBeVisible();
  await listRow(rows.db, account, 3, "Clientes");
  let asked = 0;
  await page.route("**/api/campaign-summary", (route) => route.abort());
  page.on("requestfinished", (request) => {
    if (new URL(request.url()).pathname === "/api/contact-lists") asked++;
  });
  await product.start();
  await expect.poll(() => asked).toBeGreaterThan(0);
  const before = asked;
  await page.unroute("**/api/campaign-summary");
  await expect(strip(page)).toHaveCount(0, { timeout: 25_000 });
  await expect.poll(() => asked, { timeout: 10_000 }).toBeGreaterThan(before);
  await expect(page.getByText("Clientes")).toBeVisible();
});

/** Waits for the stream: one that opens later would be missed once the clock is held. */
async function listening(page: Page): Promise<void> {
  await signUpUnseen(page, product.url);
  await page.clock.install();
  const opened = page.waitForResponse("**/api/events*");
  await page.goto(`${product.url}/contacts`);
  await expect(page.getByText("Nenhuma lista de contatos")).toBeVisible();
  await opened;
}

test("a server that is back within five seconds is not worth a word", async ({ page }) => {
  // Otherwise the page's timeout would pass before the server is gone.
  await listening(page);
  await page.clock.pauseAt(await page.evaluate(() => Date.now() + 1_000));
  await noteFlash(page);
  await page.route("**/api/events*", (route) => route.abort());
  const broken = page.waitForRequest("**/api/events*");
  await product.kill9();
  await broken;
  for (let passed = 0; passed < 4_000; passed += 250) {
    await page.clock.runFor(250);
    await page.evaluate(() => document.readyState);
  }
  await product.start();
  let answered = false;
  page.on("response", (response) => {
    answered ||= response.url().endsWith("/api/campaign-summary");
  });
  await expect
    .poll(async () => {
      await page.clock.runFor(250);
      return answered;
    })
    .toBe(true);
  await page.clock.runFor(20_000);
  expect(await flashed(page)).toBeUndefined();
});

test("a session ended elsewhere leads to the login page, not to the offline strip", async ({ page }) => {
  await listening(page);
  await noteFlash(page);
  const door = Promise.withResolvers<void>();
  await page.route(/login-page/, (route) => door.promise.then(() => route.continue()));
  const asked = page.waitForRequest(/login-page/);
  await page.request.post(`${product.url}/api/logout`);
  const passing = setInterval(() => void page.clock.runFor(1_000).catch(() => undefined), 100);
  await asked.finally(() => clearInterval(passing));
  await expect(page.getByText("Nenhuma lista de contatos")).toBeVisible();
  await page.clock.runFor(1_000);
  door.resolve();
  await expect(page.getByText("Sua sessão terminou.")).toBeVisible();
  expect(await flashed(page)).toBeUndefined();
});

test("a line that went dead without a word is noticed by its silence, and what changed is fetched when it is healed", async ({
  page,
}) => {
  const wire = await openFaultProxy({ port: Number(new URL(product.url).port) });
  const through = `http://127.0.0.1:${wire.port}`;
  try {
    const account = await accountOf(rows.db, await signUpUnseen(page, through));
    await page.clock.install();
    const opened = page.waitForResponse("**/api/events*");
    await page.goto(`${through}/contacts`);
    await expect(page.getByText("Nenhuma lista de contatos")).toBeVisible();
    await opened;
    wire.swallow("there", "back");
    await listRow(rows.db, account, 3, "Clientes");
    await page.clock.runFor(36_000);
    await expect
      .poll(async () => {
        await page.clock.runFor(1_000);
        return strip(page).count();
      })
      .toBe(1);
    const again = page.waitForResponse("**/api/events*");
    wire.heal();
    await expect
      .poll(async () => {
        await page.clock.runFor(5_000);
        return strip(page).count();
      })
      .toBe(0);
    await expect(page.getByText("Clientes")).toBeVisible();
    await again;
  } finally {
    await wire.close();
  }
});

test("a stream with heartbeats only is not reopened", async ({ page }) => {
  await page.addInitScript(() => {
    window.EventSource = class extends EventSource {
      constructor(url: string | URL) {
        super(url);
        const heard = () => Object.assign(document.documentElement.dataset, { heard: Date.now() });
        this.addEventListener("open", heard);
        this.addEventListener("beat", () => {
          heard();
          document.documentElement.setAttribute("data-beat", "");
        });
      }
    };
  });
  await signUpUnseen(page, product.url);
  await page.clock.install();
  let streams = 0;
  page.on("request", (request) => {
    if (new URL(request.url()).pathname === "/api/events") streams++;
  });
  await page.goto(`${product.url}/contacts`);
  await expect(page.getByText("Nenhuma lista de contatos")).toBeVisible();
  await expect(page.locator("html[data-heard]")).toBeAttached();
  await page.clock.pauseAt(await page.evaluate(() => Date.now() + 1_000));
  const silent = await page.evaluate(() => Date.now() - Number(document.documentElement.dataset.heard));
  await page.clock.runFor(30_000 - silent);
  await page.evaluate(() => document.documentElement.removeAttribute("data-beat"));
  await expect(page.locator("html[data-beat]")).toBeAttached();
  await page.clock.runFor(30_000);
  expect(streams).toBe(1);
});

test("the chat gives its height to the strip: one goes on writing where one was", async ({
  page,
  context,
}) => {
  await someTalks(rows.db, await signUpUnseen(page, product.url));
  for (const width of [390, 1440]) {
    await page.setViewportSize({ width, height: 844 });
    await page.goto(`${product.url}/chat`);
    if (width < 768) await page.getByRole("link", { name: /Ana Beatriz/ }).click();
    await expect(log(page)).toContainText("Passo aí às 17h");
    await context.setOffline(true);
    await expect(strip(page)).toBeVisible();
    await expect(field(page)).toBeInViewport({ ratio: 1 });
    await expect(log(page).getByText("Passo aí às 17h")).toBeInViewport();
    const longer = await page.evaluate(() => document.documentElement.scrollHeight - window.innerHeight);
    expect(longer).toBeLessThanOrEqual(0);
    await context.setOffline(false);
    await expect(strip(page)).toHaveCount(0);
  }
});
