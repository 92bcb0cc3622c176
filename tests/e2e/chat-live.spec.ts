import { expect, type Page, test } from "@playwright/test";
import { sql } from "kysely";
import { chatRow, messageRow } from "../support/chat-rows.ts";
import type { ProductServer } from "../support/server.ts";
import { heldAnswer } from "./support/held-answer.ts";
import { signUpUnseen } from "./support/person.ts";
import { accountOf, heldConnection, type ProductRows } from "./support/product-rows.ts";
import { startedFor } from "./support/started.ts";
import { field, log, minutesAgo, scrollTo, someTalks, talk, thread } from "./support/talks.ts";

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

const unreadOf = async (chat: number) =>
  (await sql<{ unread: number }>`select unread from chat where id = ${chat}`.execute(rows.db)).rows[0]
    ?.unread;

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

test("what arrives appears by itself: at the end where one is there, else behind a mark @decision 15", async ({
  page,
}) => {
  const chat = await openSixty(page);
  await arrives(page, chat, "a sessenta e um");
  await expect(log(page).getByText("a sessenta e um")).toBeInViewport();
  await expect.poll(() => unreadOf(chat)).toBe(0);

  await scrollTo(page, 900);
  const reading = log(page).getByText("mensagem 20", { exact: true });
  await expect(reading).toBeInViewport();
  const before = await reading.boundingBox();
  await arrives(page, chat, "a sessenta e dois");
  await arrives(page, chat, "a sessenta e três");
  const pill = page.getByRole("button", { name: "2 novas mensagens" });
  await expect(pill).toBeVisible();
  expect(await reading.boundingBox()).toEqual(before);
  expect(await unreadOf(chat)).toBe(2);
  await expect(thread(page, /Otávio/)).toContainText("2 mensagens não lidas");
  await pill.click();
  await expect(log(page).getByText("a sessenta e três")).toBeInViewport();
  await expect(pill).toBeHidden();
  await expect.poll(() => unreadOf(chat)).toBe(0);
});

test("a message for another conversation moves it up and marks it, and a page in the background reads nothing", async ({
  page,
}) => {
  const { ana, bruno } = await someTalks(rows.db, await signUpUnseen(page, product.url));
  await page.goto(`${product.url}/chat`);
  await expect(log(page)).toContainText("Passo aí às 17h");
  const first = page.getByRole("navigation", { name: "Conversas" }).getByRole("link").first();
  await expect(first).toContainText("Ana Beatriz Rocha");
  await expect.poll(() => unreadOf(ana)).toBe(0);
  await arrives(page, bruno, "ainda quero");
  await expect(first).toContainText(/Bruno Carvalho.*ainda quero.*2 mensagens não lidas/s);
  await expect(page.getByRole("heading", { level: 2, name: "Ana Beatriz Rocha" })).toBeVisible();

  const hide = (hidden: boolean) =>
    page.evaluate(
      (state) => {
        Object.defineProperty(document, "visibilityState", { value: state, configurable: true });
        document.dispatchEvent(new Event("visibilitychange"));
      },
      hidden ? "hidden" : "visible",
    );
  await hide(true);
  await arrives(page, ana, "tem alguém aí?");
  await expect(log(page)).toContainText("tem alguém aí?");
  await arrives(page, bruno, "e mais um");
  await expect(thread(page, /Bruno/)).toContainText("3 mensagens não lidas");
  await expect(thread(page, /Ana Beatriz/)).toContainText("1 mensagem não lida");
  expect(await unreadOf(ana)).toBe(1);
  await hide(false);
  await expect(thread(page, /Ana Beatriz/)).not.toContainText("não lida");
  expect(await unreadOf(ana)).toBe(0);

  await page.getByRole("link", { name: "Contatos" }).click();
  const more = page.getByRole("navigation", { name: "Mais" });
  await expect(more.getByRole("link", { name: "Chat 3 mensagens não lidas" })).toBeVisible();
  await arrives(page, ana, "e agora?");
  await expect(more.getByRole("link", { name: "Chat 4 mensagens não lidas" })).toBeVisible();
  await page.setViewportSize({ width: 390, height: 700 });
  await page.getByRole("button", { name: "Abrir menu, 4 mensagens não lidas" }).click();
  await more.getByRole("link", { name: /Chat/ }).click();
  await thread(page, /Ana Beatriz/).click();
  await expect(page.getByRole("button", { name: "Abrir menu, 3 mensagens não lidas" })).toBeVisible();
});

test("also far down the list a conversation that was read elsewhere loses its mark", async ({ page }) => {
  const account = await accountOf(rows.db, await signUpUnseen(page, product.url));
  const connectionId = await heldConnection(rows.db, account, "connected", "Matriz");
  let last = 0;
  for (let at = 1; at <= 60; at++)
    last = await chatRow(rows.db, {
      account,
      connectionId,
      phone: 5_531_912_340_000 + at,
      pushName: `Pessoa ${at}`,
      lastAt: minutesAgo(at),
      unread: at < 59 ? 0 : 2,
    });
  const upTo = await messageRow(rows.db, last, { text: "oi" });
  await page.goto(`${product.url}/chat`);
  const list = page.getByRole("navigation", { name: "Conversas" });
  await expect(async () => {
    await list.evaluate((box) => {
      box.scrollTop = box.scrollHeight;
    });
    await expect(thread(page, /Pessoa 60/)).toBeVisible({ timeout: 500 });
  }).toPass();
  await expect(thread(page, /Pessoa 60/)).toContainText("2 mensagens não lidas");
  await expect(page).toHaveTitle(/^\(4\)/);
  await page.request.post(`${product.url}/api/chats/${last}/read`, { data: { upTo } });
  await expect(thread(page, /Pessoa 60/)).not.toContainText("não lida");
  await expect(page).toHaveTitle(/^\(2\)/);
  await expect(thread(page, /Pessoa 59/)).toContainText("2 mensagens não lidas");
});

test("on return the new-messages line stands above later messages, whatever is answered first", async ({
  page,
}) => {
  const { ana } = await someTalks(rows.db, await signUpUnseen(page, product.url));
  await page.goto(`${product.url}/chat?conversa=${ana}`);
  const line = log(page).getByText("1 mensagem não lida");
  await expect(log(page).getByText("2 mensagens não lidas")).toBeVisible();
  for (const [said, late] of [
    ["e de manhã?", new RegExp(`/api/chats/${ana}$`)],
    ["ou à noite?", new RegExp(`/api/chats/${ana}/messages$`)],
  ] as const) {
    await expect(thread(page, /Ana Beatriz/)).not.toContainText("não lida");
    await thread(page, /Bruno/).click();
    await expect(log(page)).toContainText("QUERO");
    await arrives(page, ana, said);
    await expect(thread(page, /Ana Beatriz/)).toContainText("1 mensagem não lida");
    const held = await heldAnswer(page, late);
    await thread(page, /Ana Beatriz/).click();
    await held.asked;
    await expect(log(page)).toContainText("Passo aí às 17h");
    held.answer();
    await expect(line).toBeVisible();
    await expect(log(page).locator("[data-ui~=unread-line] + [data-ui~=bubble]")).toContainText(said);
    await page.unroute(late);
  }
});

test("who leaves a conversation has not read what arrives there afterwards, however late the server hears of what was", async ({
  page,
}) => {
  const { ana } = await someTalks(rows.db, await signUpUnseen(page, product.url));
  const held: (() => Promise<void>)[] = [];
  await page.route("**/api/chats/*/read", (route) => {
    held.push(() => route.continue());
  });
  await page.goto(`${product.url}/chat?conversa=${ana}`);
  await expect(log(page)).toContainText("Passo aí às 17h");
  await expect.poll(() => held.length).toBe(1);
  await page.getByRole("link", { name: "Contatos" }).click();
  await arrives(page, ana, "e agora?");
  const heard = page.waitForResponse((response) => response.url().endsWith("/read"));
  await held[0]?.();
  await heard;
  expect(await unreadOf(ana)).toBe(1);
});

test("a conversation that has gone is said to be, beside what was being written in it", async ({ page }) => {
  const { ana, bruno } = await someTalks(rows.db, await signUpUnseen(page, product.url));
  await page.goto(`${product.url}/chat?conversa=${ana}`);
  await field(page).fill("Até as 17h então");
  await expect.poll(() => unreadOf(ana)).toBe(0);
  await sql`delete from chat where id = ${ana}`.execute(rows.db);
  await arrives(page, bruno, "ainda dá tempo?");
  await expect(thread(page, /Ana Beatriz/)).toBeHidden();
  await expect(page.getByText("Conversa não encontrada")).toBeVisible();
  await expect(field(page)).toHaveValue("Até as 17h então");
});

test("without the stream of changes the chat asks by itself", async ({ page }) => {
  const { ana } = await someTalks(rows.db, await signUpUnseen(page, product.url));
  await page.route("**/api/events*", (route) => route.abort());
  await page.goto(`${product.url}/chat`);
  await expect(log(page)).toContainText("Passo aí às 17h");
  await arrives(page, ana, "sem aviso");
  await expect(log(page)).toContainText("sem aviso");
});

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

test("at the end one stays there when the message field grows and when the window shrinks", async ({
  page,
}) => {
  await openSixty(page);
  const last = log(page).getByText("mensagem 60", { exact: true });
  await field(page).fill("uma\nduas\ntrês\nquatro\ncinco\nseis");
  await expect(last).toBeInViewport({ ratio: 1 });
  await page.setViewportSize({ width: 900, height: 450 });
  await expect(last).toBeInViewport({ ratio: 1 });
  await expect(page.getByRole("button", { name: "Ir para o fim da conversa" })).toHaveCount(0);
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

test("while another connection's conversations are fetched none of the former one's stands there", async ({
  page,
}) => {
  const { away } = await someTalks(rows.db, await signUpUnseen(page, product.url));
  await page.goto(`${product.url}/chat`);
  await expect(thread(page, /Ana Beatriz/)).toBeVisible();
  const { asked, answer } = await heldAnswer(page, new RegExp(`/api/chats\\?.*connectionId=${away}\\b`));
  await page.getByLabel("Conexão").selectOption(String(away));
  await asked;
  await expect(page.getByRole("link", { name: /Ana Beatriz/ })).toHaveCount(0);
  answer();
  await expect(thread(page, /Rita Moura/)).toBeVisible();
});

test("what was said today is said to be of yesterday once midnight has passed", async ({ page }) => {
  const DAY = 24 * 3_600_000;
  let ahead = 0;
  await page.route(/\/api\/(?!events)/, async (route) => {
    const response = await route.fetch();
    const date = new Date(Date.now() + ahead).toUTCString();
    await route.fulfill({ response, headers: { ...response.headers(), date } });
  });
  await page.clock.install();
  const { ana } = await someTalks(rows.db, await signUpUnseen(page, product.url));
  await page.goto(`${product.url}/chat?conversa=${ana}`);
  const day = log(page).locator("[data-ui~=chat-day]").last();
  await expect(day).toHaveText(/Hoje|Ontem/);
  const said = await day.textContent();
  ahead = DAY;
  await page.request.patch(`${product.url}/api/chats/${ana}`, { data: { assistant: true } });
  await page.clock.runFor(12_000);
  await expect(day).toHaveText(said === "Hoje" ? "Ontem" : /\d\d\/\d\d\/\d{4}/);
  await page.unrouteAll({ behavior: "wait" });
});

test("on a telephone the arrow back to the contacts is a step back, and leaves none to be taken twice", async ({
  page,
}) => {
  await someTalks(rows.db, await signUpUnseen(page, product.url));
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto(`${product.url}/contacts`);
  await page.getByRole("button", { name: "Abrir menu" }).click();
  await page.getByRole("navigation", { name: "Mais" }).getByRole("link", { name: /^Chat/ }).click();
  const arrow = page.getByRole("link", { name: "Voltar aos contatos" });
  for (const name of [/Bruno/, /Ana Beatriz/]) {
    await thread(page, name).click();
    await expect(page.getByRole("heading", { level: 2, name })).toBeVisible();
    await arrow.click();
    await expect(thread(page, name)).toBeFocused();
  }
  await page.goBack();
  await expect(page).toHaveURL(`${product.url}/contacts`);
  await page.goForward();
  await thread(page, /Bruno/).click();
  await expect(page).toHaveURL(/conversa=\d+/);
  const talk = page.url();
  await page.goto(`${product.url}/contacts`);
  await page.goto(talk);
  await arrow.click();
  await expect(thread(page, /Bruno/)).toBeVisible();
  await expect(page).toHaveURL(/\/chat\?conexao=\d+$/);
});

test("that a connected number sends nothing is said where one writes, and not where campaigns alone wait", async ({
  page,
}) => {
  const { connectionId } = await someTalks(rows.db, await signUpUnseen(page, product.url));
  const waits = page.getByText("fica como Pendente e sai sozinho quando a conexão puder enviar");
  const shows = async (cause: string) => {
    await sql`update connection set state_reason = ${cause} where id = ${connectionId}`.execute(rows.db);
    await page.goto(`${product.url}/chat`);
    await expect(field(page)).toBeVisible();
  };
  for (const [cause, words] of [
    ["replies_refused", /: Restrito\. O WhatsApp recusa as mensagens deste número, até em conversas/],
    ["devices_refused", /: Envio recusado\. O WhatsApp recusa as mensagens deste número/],
    ["rate_limited", /: Conectado\. Este número recebeu um pedido de pausa/],
    ["not_sending", /: Conectado\. Nenhuma mensagem está saindo por este número/],
  ] as const) {
    await shows(cause);
    await expect(waits).toBeVisible();
    await expect(waits).toContainText(words);
  }
  for (const cause of ["timelocked", "new_chats_refused"]) {
    await shows(cause);
    await expect(page.getByText(/: Restrito\..* As conversas que já existem continuam/)).toBeVisible();
    await expect(waits, "26.1 what is written here leaves").toHaveCount(0);
  }
  await shows("catching_up");
  await expect(waits).toHaveCount(0);
});

test("a link that is pressed leads away, also if the list is answered before the other screen is there", async ({
  page,
}) => {
  await someTalks(rows.db, await signUpUnseen(page, product.url));
  await page.goto(`${product.url}/settings`);
  const list = await heldAnswer(page, /\/api\/chats\?/);
  await page.getByRole("navigation", { name: "Mais" }).getByRole("link", { name: /Chat/ }).click();
  await list.asked;
  await expect(page).toHaveURL(/conexao=/);
  const screen = await heldAnswer(page, /\/assets\//);
  await page.getByRole("link", { name: "Contatos" }).click();
  await screen.asked;
  list.answer();
  await expect(thread(page, /Bruno/)).toBeVisible();
  screen.answer();
  await expect(page.getByRole("heading", { level: 1, name: "Contatos" })).toBeVisible();
  await expect(page).toHaveURL(`${product.url}/contacts`);
});
