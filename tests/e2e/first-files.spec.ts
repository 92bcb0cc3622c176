import { expect, type Page, type Request, test } from "@playwright/test";
import { type ProductServer, startProduct } from "../support/server.ts";
import { signUp } from "./support/person.ts";
import { sideBySide } from "./support/side-by-side.ts";

/* The server names a screen's files in the page (server/http/first-files.ts), so that a browser need not run
   the page's script to find them. */

const QUIET_MS = 1_000;
const IS_RESTORE_LOCKED = /\/start-[^/]*\.js$/;

let product: ProductServer;

test.beforeAll(async () => {
  product = await startProduct();
});
test.afterAll(() => product.close());

async function asksFor(page: Page, place: string) {
  const asked: string[] = [];
  const missing: string[] = [];
  page.on("response", (answer) => {
    if (answer.status() === 404) missing.push(new URL(answer.url()).pathname);
  });
  let moved = performance.now();
  const underWay = new Set<Request>();
  page.on("request", (request) => {
    const { pathname, search } = new URL(request.url());
    asked.push(pathname.replace(/.*\/assets\/[^/]+\//, "") + search);
    moved = performance.now();
    if (!IS_RESTORE_LOCKED.test(pathname) && pathname !== "/api/events") underWay.add(request);
  });
  for (const ended of ["requestfinished", "requestfailed"] as const)
    page.on(ended as "requestfinished", (request) => {
      underWay.delete(request);
      moved = performance.now();
    });
  const quiet = () =>
    expect
      .poll(() => underWay.size === 0 && performance.now() - moved > QUIET_MS, { intervals: [100] })
      .toBe(true);
  let release = () => {};
  const held = new Promise<void>((go) => {
    release = go;
  });
  await page.route(IS_RESTORE_LOCKED, async (route) => {
    await held;
    await route.continue();
  });
  await page.goto(`${product.url}${place}`, { waitUntil: "commit" });
  await page.waitForFunction(() => document.readyState !== "loading");
  await quiet();
  const early = [...asked];
  release();
  await expect(page.locator("#ahead")).toHaveCount(0);
  await expect(page.getByRole("heading", { level: 1, includeHidden: true }).first()).toBeVisible();
  await expect(page.getByText("Carregando...")).toHaveCount(0);
  await quiet();
  return { early, late: asked.slice(early.length), missing };
}

const LATER = /^(teller|notifications|palette|disk|assistant-dialog)[\w-]*\.(js|css)$/;
const ofAScreen = (name: string) => /\.(js|css)$/.test(name) && !LATER.test(name);

test("all that a screen is made of is fetched with the page, in either language", async ({
  page,
  browser,
}) => {
  const storageState = async () => page.context().storageState();
  const stranger = await storageState();
  await signUp(page, product.url);
  const person = await storageState();
  await page.close();
  const languageOnly = person.cookies.filter(({ name }) => name === "language");
  const english = { origins: [], cookies: languageOnly.map((each) => ({ ...each, value: "en" })) };
  const visits = [
    ...["/login", "/signup", "/esqueci-a-senha", "/termos"].map((place) => ({ place, who: stranger })),
    ...["/", "/campaigns", "/campaigns/new", "/contacts", "/baileys", "/whatsapp/connections", "/chat"].map(
      (place) => ({ place, who: person }),
    ),
    ...["/instances", "/chatbot", "/criar-robo", "/settings"].map((place) => ({ place, who: person })),
    ...["geral", "chaves", "conexao", "notificacoes", "uso", "atividade"].map((tab) => ({
      place: `/settings?aba=${tab}`,
      who: person,
    })),
    { place: "/login", who: english },
  ];
  await sideBySide(visits, async ({ place, who }) => {
    const context = await browser.newContext({ storageState: who });
    const { early, late, missing } = await asksFor(await context.newPage(), place);
    await context.close();
    // A named file that is missing would cost a request and log an error in the console.
    expect(missing, place).toEqual([]);
    expect(late.filter(ofAScreen), place).toEqual([]);
    expect(
      early.filter((name, at) => early.indexOf(name) < at),
      place,
    ).toEqual([]);
  });
});

test("a screen's data is requested before the page's script runs, and only when signed in", async ({
  page,
  browser,
}) => {
  const questions = (asked: string[]) => asked.filter((name) => name.startsWith("/api/"));
  const context = await browser.newContext();
  const atLogin = await asksFor(await context.newPage(), "/login");
  expect(questions([...atLogin.early, ...atLogin.late])).toEqual([]);
  const ledAway = await asksFor(await context.newPage(), "/campaigns");
  expect(ledAway.early).toContainEqual(expect.stringMatching(/^login-page-/));
  expect(questions(ledAway.early)).toEqual([]);
  await context.close();
  await signUp(page, product.url);
  const frame = ["/api/me", "/api/campaign-summary", "/api/installation"];
  const screens = {
    "/?dias=30": ["/api/dashboard?days=30", "/api/dashboard/first-steps"],
    "/campaigns/?busca=inverno": ["/api/campaigns?search=inverno"],
    "/settings": [],
  };
  for (const [place, its] of Object.entries(screens)) {
    const tab = await page.context().newPage();
    const { early } = await asksFor(tab, place);
    await tab.close();
    expect(questions(early).toSorted(), place).toEqual([...frame, ...its].toSorted());
  }
});
