import { expect, type Page, test } from "@playwright/test";
import { sql } from "kysely";
import { messageRow } from "../support/chat-rows.ts";
import type { ProductServer } from "../support/server.ts";
import { signUpUnseen } from "./support/person.ts";
import { accountOf, heldConnection, type ProductRows } from "./support/product-rows.ts";
import { startedFor } from "./support/started.ts";
import { log, someTalks, talk } from "./support/talks.ts";

let product: ProductServer;
let rows: ProductRows;

test.use({ viewport: { width: 1440, height: 700 } });
startedFor((started) => {
  ({ product, rows } = started);
});

async function arrives(page: Page, chat: number, text: string): Promise<void> {
  await messageRow(rows.db, chat, { text });
  await sql`update chat set unread = unread + 1, last_at = now(), last_text = ${text}, last_from_me = false where id = ${chat}`.execute(
    rows.db,
  );
  await page.request.patch(`${product.url}/api/chats/${chat}`, { data: { assistant: true } });
}

async function openSixty(page: Page): Promise<number> {
  const { account, connectionId } = await someTalks(rows.db, await signUpUnseen(page, product.url));
  const texts = Array.from({ length: 60 }, (_, at) => `mensagem ${at + 1}`);
  const chat = await talk(
    rows.db,
    { account, connectionId },
    { name: "Otávio", phone: 5_531_905_620_009, texts, endedMinutesAgo: 1 },
  );
  await page.goto(`${product.url}/chat?conversa=${chat}`);
  await expect(log(page).getByText("mensagem 60", { exact: true })).toBeInViewport();
  return chat;
}

test("scrolling up is not undone by a redraw", async ({ page }) => {
  await openSixty(page);
  const scrolled = (wish: { by: number; awaited: boolean; grown: number }) =>
    log(page).evaluate(async (box, { by, awaited, grown }) => {
      const frames = async () => {
        for (let frame = 0; frame < 3; frame++) await new Promise(requestAnimationFrame);
      };
      box.scrollTop = box.scrollHeight;
      await frames();
      box.scrollTop -= by;
      if (awaited) await frames();
      const last = [...box.querySelectorAll("article")].at(-1);
      if (last && grown > 0) last.style.marginBottom = `${grown}px`;
      for (const visibilityState of ["hidden", "visible"]) {
        Object.defineProperty(document, "visibilityState", { value: visibilityState, configurable: true });
        document.dispatchEvent(new Event("visibilitychange"));
        await Promise.resolve();
      }
      await frames();
      return Math.round(box.scrollHeight - box.clientHeight - box.scrollTop);
    }, wish);
  expect(await scrolled({ by: 0, awaited: false, grown: 0 })).toBe(0);
  expect(await scrolled({ by: 30, awaited: true, grown: 0 })).toBe(30);
  expect(await scrolled({ by: 400, awaited: false, grown: 50 })).toBe(450);
});

/** Scrolls up in steps to the first of `count` messages, and says where one moved otherwise than the scroll. */
const readUp = (page: Page, count: number) =>
  log(page).evaluate(async (box, whole) => {
    const place = box.getBoundingClientRect();
    const inView = () =>
      [...box.querySelectorAll<HTMLElement>("article")]
        .map((element) => ({ element, ...element.getBoundingClientRect().toJSON() }))
        .filter(({ top, bottom }) => bottom > place.top && top < place.bottom);
    const errors: string[] = [];
    const seen = new Set<string | undefined>();
    for (let step = 0; step < 1_000 && (box.scrollTop > 0 || seen.size < whole); step++) {
      const shown = inView();
      for (const { element } of shown) seen.add(element.dataset.key);
      const covered = shown.some(({ top, bottom }) => top < place.bottom - 200 && bottom > place.top + 200);
      if (!covered) errors.push(`a hole at step ${step}`);
      const by = Math.min(300, box.scrollTop);
      box.scrollTop -= by;
      for (let frame = 0; frame < 3; frame++) await new Promise(requestAnimationFrame);
      const moved = (shown[0]?.element.getBoundingClientRect().top ?? Number.NaN) - shown[0]?.top;
      if (box.scrollTop > 0 && !(Math.abs(moved - by) <= 1))
        errors.push(`step ${step}: ${by} became ${moved}`);
    }
    return { errors, seen: seen.size, top: box.scrollTop };
  }, count);

test("reading up through messages of all heights each stands where it stood, and nowhere is a hole", async ({
  page,
}) => {
  const account = await accountOf(rows.db, await signUpUnseen(page, product.url));
  const connectionId = await heldConnection(rows.db, account, "connected", "Matriz");
  const texts = Array.from(
    { length: 120 },
    (_, at) => `mensagem ${at + 1}${"\nmais".repeat(at % 3 ? 0 : 25)}`,
  );
  const uneven = { name: "Ana", phone: 5_531_902_341_187, texts, endedMinutesAgo: 1 };
  const ana = await talk(rows.db, { account, connectionId }, uneven);
  await page.goto(`${product.url}/chat`);
  await expect(log(page).getByText("mensagem 120", { exact: true })).toBeInViewport();
  const read = await readUp(page, 120);
  expect(read).toEqual({ errors: [], seen: 120, top: 0 });
  await arrives(page, ana, "mais uma");
  await expect(page.getByRole("button", { name: "1 nova mensagem" })).toBeVisible();
  await expect(log(page).getByText(/^mensagem 1\b/)).toBeInViewport();
});

test("in a window made narrower, what was read before stays in place when read up again", async ({
  page,
}) => {
  const { account, connectionId } = await someTalks(rows.db, await signUpUnseen(page, product.url));
  const texts = Array.from({ length: 90 }, (_, at) => `mensagem ${at + 1}${" e mais".repeat((at % 5) * 12)}`);
  const long = { name: "Otávio", phone: 5_531_905_620_009, texts, endedMinutesAgo: 1 };
  const chat = await talk(rows.db, { account, connectionId }, long);
  await page.goto(`${product.url}/chat?conversa=${chat}`);
  await expect(log(page).getByText(/^mensagem 90\b/)).toBeInViewport();
  expect(await readUp(page, 90)).toEqual({ errors: [], seen: 90, top: 0 });
  await page.getByRole("button", { name: "Ir para o fim da conversa" }).click();
  await expect(log(page).getByText(/^mensagem 90\b/)).toBeInViewport();
  await page.setViewportSize({ width: 900, height: 700 });
  await expect(log(page).getByText(/^mensagem 90\b/)).toBeInViewport();
  expect(await readUp(page, 90)).toEqual({ errors: [], seen: 90, top: 0 });
});
