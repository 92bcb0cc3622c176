import { expect, type Page, type Request } from "@playwright/test";
import type { Db } from "../../src/server/db/client.ts";
import { longAudience, longChatList, longTalk } from "../support/long-rows.ts";
import { signUp } from "./support/person.ts";
import { test } from "./support/product.ts";
import { accountOf, heldConnection } from "./support/product-rows.ts";
import { sideBySide } from "./support/side-by-side.ts";

const QUIET_MS = 1_000;
const IS_SCREEN = /-page-[^/]*\.js$/;

async function writeRows(db: Db, email: string) {
  const account = await accountOf(db, email);
  const place = { account, connectionId: await heldConnection(db, account, "connected", "Matriz") };
  const { campaignId } = await longAudience(db, place, 1_000);
  const chatId = await longTalk(db, place, 300);
  await longChatList(db, place, 300);
  return { campaignId, chatId, connectionId: place.connectionId };
}

/** What is requested again on purpose waits 5 s or more: a slow machine would call it twice. */
function withoutTime(): void {
  const now = Date.now();
  const wait = window.setTimeout;
  const setTimeout = (run: () => void, ms = 0) => (ms < 5_000 ? wait(run, ms) : 0);
  Object.assign(Date, { now: () => now });
  Object.assign(window, { setTimeout, setInterval: () => 0 });
}

async function firstVisit(page: Page, place: string) {
  const asked: string[] = [];
  const early: string[] = [];
  let open = 0;
  let moved = performance.now();
  const isQuestion = (request: Request) => /\/api\/(?!events|me$)/.test(request.url());
  const closed = (request: Request) => {
    if (!isQuestion(request)) return;
    open--;
    moved = performance.now();
  };
  page.on("request", (request) => {
    if (!isQuestion(request)) return;
    open++;
    moved = performance.now();
    const { pathname, search } = new URL(request.url());
    asked.push(pathname + search);
  });
  page.on("requestfinished", closed);
  page.on("requestfailed", closed);
  // As the stream opens, all is requested once more: what changed before is unknown.
  await page.route("**/api/events", (route) => route.abort());
  await page.addInitScript(withoutTime);
  await page.route(IS_SCREEN, async (route) => {
    await expect.poll(() => asked.length).toBeGreaterThan(1);
    await expect.poll(() => performance.now() - moved, { intervals: [100] }).toBeGreaterThan(300);
    early.push(...asked);
    await route.continue();
  });
  await page.goto(place);
  await expect(page.getByRole("heading", { level: 1, includeHidden: true })).toBeVisible();
  await expect
    .poll(() => open === 0 && performance.now() - moved > QUIET_MS, { intervals: [100] })
    .toBe(true);
  return { early, twice: asked.filter((url, at) => asked.indexOf(url) < at) };
}

test("a screen's data are asked for with its files, and nothing is asked for twice", async ({
  page,
  browser,
  db,
}) => {
  const { campaignId, chatId, connectionId } = await writeRows(db, await signUp(page));
  const frame = ["/api/campaign-summary", "/api/installation"];
  const screens: Record<string, readonly string[]> = {
    "/": ["/api/dashboard"],
    "/?dias=30": ["/api/dashboard?days=30"],
    "/campaigns": ["/api/campaigns"],
    "/campaigns?filtro=completed&busca=inverno": ["/api/campaigns?search=inverno&status=completed"],
    [`/campaigns?detalhes=${campaignId}`]: [`/api/campaigns/${campaignId}`],
    "/campaigns/new": ["/api/connections", "/api/contact-lists?limit=100"],
    "/contacts": ["/api/contact-lists?limit=24", "/api/contact-imports", "/api/opt-outs?skip=0&limit=100"],
    [`/chat?conexao=${connectionId}&conversa=${chatId}`]: [
      `/api/chats?connectionId=${connectionId}`,
      `/api/chats/${chatId}`,
      `/api/chats/${chatId}/messages`,
    ],
    "/instances": ["/api/gateways"],
    "/chatbot": ["/api/mistral/settings", "/api/assistants"],
  };
  const storageState = await page.context().storageState();
  await page.close();
  await sideBySide(Object.entries(screens), async ([place, questions]) => {
    const context = await browser.newContext({ storageState });
    const visit = firstVisit(await context.newPage(), place);
    const { early, twice } = await visit.finally(() => context.close());
    expect(early, place).toEqual(expect.arrayContaining([...frame, ...questions]));
    expect(twice, place).toEqual([]);
  });
});
