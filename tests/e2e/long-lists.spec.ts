import { expect, type Locator, type Page, test } from "@playwright/test";
import { formatPhone } from "../../src/domain/phone-written.ts";
import { longAudience, longChatList, longOptOuts, longTalk } from "../support/long-rows.ts";
import type { ProductServer } from "../support/server.ts";
import { expectAccessible } from "./support/axe.ts";
import { signUpUnseen } from "./support/person.ts";
import { accountOf, heldConnection, type ProductRows } from "./support/product-rows.ts";
import { startedFor } from "./support/started.ts";
import { log } from "./support/talks.ts";

const PEOPLE = 100_000;
const ROW_PX = 53;
const MOST = 100;

let product: ProductServer;
let rows: ProductRows;

startedFor((started) => {
  ({ product, rows } = started);
});

async function place(page: Page) {
  const account = await accountOf(rows.db, await signUpUnseen(page, product.url));
  return { account, connectionId: await heldConnection(rows.db, account, "connected", "Matriz") };
}

type Counting = typeof globalThis & { mostRows: number };

/** Counts rows after each DOM change, until `most` is asked for. */
async function countRows(page: Page, row: string) {
  await page.evaluate((selector) => {
    const counting = globalThis as Counting;
    counting.mostRows = document.querySelectorAll(selector).length;
    const look = () => {
      counting.mostRows = Math.max(counting.mostRows, document.querySelectorAll(selector).length);
    };
    new MutationObserver(look).observe(document.body, { childList: true, subtree: true });
  }, row);
  return { most: () => page.evaluate(() => (globalThis as Counting).mostRows) };
}

const jumpTo = (box: Locator, top: number) =>
  box.evaluate((element, px) => {
    element.scrollTop = px;
  }, top);
const scrollTo = (box: Locator, top: number) =>
  box.evaluate(async (element, px) => {
    const wanted = Math.min(px, element.scrollHeight - element.clientHeight);
    for (let calm = 0; calm < 10; calm++) {
      if (Math.abs(element.scrollTop - wanted) > 1) {
        element.scrollTop = wanted;
        calm = 0;
      }
      await new Promise(requestAnimationFrame);
    }
  }, top);
const topOf = (box: Locator) => box.evaluate((element) => element.scrollTop);

async function walkThrough(page: Page, box: Locator, person: (name: string) => Locator) {
  await expect(person("Pessoa 0")).toBeInViewport();
  await box.hover();
  for (let turn = 0; turn < 15; turn++) await page.mouse.wheel(0, 600);
  await expect(person("Pessoa 0")).toHaveCount(0);
  for (let part = 1; part <= 9; part++) {
    const place = (part * PEOPLE) / 10;
    await scrollTo(box, place * ROW_PX - 80);
    await expect(person(`Pessoa ${place}`)).toBeInViewport();
  }
  await box.focus();
  await page.keyboard.press("End");
  await expect(person(`Pessoa ${PEOPLE - 1}`)).toBeInViewport();
  await page.keyboard.press("Home");
  await expect(person("Pessoa 0")).toBeInViewport();
}

/**
 * Rows that failed to load leave the others in place and load on retry. Must run first: a walk may already
 * load these rows.
 */
async function loseAPage(page: Page, box: Locator, asked: RegExp, person: (name: string) => Locator) {
  await expect(person("Pessoa 0")).toBeInViewport();
  await page.route(asked, (route) => route.abort());
  const there = 75_050 * ROW_PX;
  await scrollTo(box, there);
  const error = page.getByRole("dialog").getByRole("alert");
  await expect(error).toBeVisible();
  expect(await topOf(box)).toBe(there);
  await page.unroute(asked);
  await error.getByRole("button", { name: "Tentar novamente" }).click();
  await expect(person("Pessoa 75052")).toBeInViewport();
  await expect(error).toBeHidden();
  expect(await topOf(box)).toBe(there);
  await scrollTo(box, 0);
}

test("a hundred thousand people of a campaign are scrolled through with at most a hundred rows in the page @spec 2.40", async ({
  page,
}) => {
  const { campaignId } = await longAudience(rows.db, await place(page), PEOPLE);
  await page.goto(`${product.url}/campaigns?detalhes=${campaignId}`);
  const dialog = page.getByRole("dialog", { name: "Detalhes dos Envios" });
  const person = (name: string) => dialog.getByText(name, { exact: true });
  const counted = await countRows(page, "[data-ui~=deliveries] tbody tr:not([class*=details_space])");
  await expect(dialog.getByRole("table")).toHaveAttribute("aria-rowcount", String(PEOPLE + 1));
  const box = dialog.getByRole("region", { name: "Envios" });
  await loseAPage(page, box, /\/deliveries\?.*after=74999/, person);
  await walkThrough(page, box, person);
  await dialog.getByPlaceholder("Buscar por nome ou telefone...").fill("Pessoa 77777");
  await expect(dialog.getByRole("table")).toHaveAttribute("aria-rowcount", "2");
  await expect(person("Pessoa 77777")).toBeInViewport();
  expect(await counted.most()).toBeGreaterThan(5);
  expect(await counted.most()).toBeLessThanOrEqual(MOST);
});

test("100,000 contacts open from their card, scroll and search with at most 100 rows rendered @decision 24", async ({
  page,
}) => {
  await longAudience(rows.db, await place(page), PEOPLE);
  await page.goto(`${product.url}/contacts`);
  await page.getByRole("button", { name: /^\+99\.997 contatos/ }).click();
  const dialog = page.getByRole("dialog", { name: "Clientes de todas as lojas" });
  const person = (name: string) => dialog.getByText(name, { exact: true });
  const counted = await countRows(page, "[class*=list-dialog_list-people] li");
  const box = dialog.getByRole("region", { name: "Contatos da lista" });
  await loseAPage(page, box, /\/contacts\?.*after=74999/, person);
  await walkThrough(page, box, person);
  await expect(dialog.getByRole("listitem").first()).toHaveAttribute("aria-setsize", String(PEOPLE));
  await expectAccessible(page);
  const search = dialog.getByPlaceholder("Buscar por nome ou telefone...");
  await search.fill("Pessoa 7777");
  await expect(person("Pessoa 77779")).toBeVisible();
  await expect(dialog.getByRole("listitem").first()).toHaveAttribute("aria-setsize", "11");
  await search.fill("ninguém");
  await expect(dialog.getByText("Nada encontrado para «ninguém».")).toBeVisible();
  expect(await counted.most()).toBeGreaterThan(5);
  expect(await counted.most()).toBeLessThanOrEqual(MOST);
  await page.keyboard.press("Escape");
  await page.keyboard.press("Escape");
  await expect(dialog).toBeHidden();
  await expect(page.getByRole("button", { name: /^\+99\.997 contatos/ })).toBeFocused();
});

test("a hundred thousand people who want no campaigns are scrolled through and searched, at most a hundred rows at a time", async ({
  page,
}) => {
  const { account } = await place(page);
  await longOptOuts(rows.db, account, PEOPLE);
  await page.goto(`${product.url}/contacts`);
  await page.getByRole("button", { name: "Descadastrados (100.000)" }).click();
  const dialog = page.getByRole("dialog", { name: "Quem não quer receber campanhas" });
  const number = (place: number) => dialog.getByText(formatPhone(String(5_511_900_000_000 + place)));
  const counted = await countRows(page, "[class*=opt-outs-dialog_left-rows] li");
  const box = dialog.getByRole("region", { name: "Pessoas que não querem receber campanhas" });
  await expect(number(0)).toBeInViewport();
  await expect(dialog.getByRole("listitem").first()).toHaveAttribute("aria-setsize", String(PEOPLE));
  await scrollTo(box, 50_000 * 61);
  await expect(number(50_001)).toBeInViewport();
  await box.focus();
  await page.keyboard.press("End");
  await expect(number(PEOPLE - 1)).toBeInViewport();
  await expectAccessible(page);
  await dialog.getByRole("listitem").last().getByRole("button").focus();
  await page.keyboard.press("Home");
  await expect(number(0)).toBeInViewport();
  await expect(box).toBeFocused();

  await scrollTo(box, 50_000 * 61);
  const allow = (phone: string) =>
    dialog.getByRole("button", { name: `Permitir de novo: ${formatPhone(phone)}`, exact: true });
  await allow("5511900050002").press("Enter");
  await expect(dialog.getByRole("listitem").first()).toHaveAttribute("aria-setsize", String(PEOPLE - 1));
  await expect(number(50_002)).toHaveCount(0);
  await expect(number(50_003)).toBeInViewport();
  await expect(allow("5511900050003")).toBeFocused();

  await dialog.getByRole("searchbox").fill("90009999");
  await expect(dialog.getByRole("listitem")).toHaveCount(10);
  await expect(number(99_990)).toBeInViewport();
  expect(await counted.most()).toBeGreaterThan(5);
  expect(await counted.most()).toBeLessThanOrEqual(MOST);
});

test("a conversation and a list of conversations without end never put more than a hundred rows into the page", async ({
  page,
}) => {
  const here = await place(page);
  const chat = await longTalk(rows.db, here, 2_000);
  await longChatList(rows.db, here, 500);
  await page.goto(`${product.url}/chat?conversa=${chat}`);
  const said = (place: number) => log(page).getByText(new RegExp(`^Mensagem ${place}\\b`));
  await expect(said(0)).toBeInViewport();
  const messages = await countRows(page, "[role=log] article");
  for (let asked = 1; asked <= 6; asked++) {
    await jumpTo(log(page), 0);
    await expect(said(asked * 100 + 3)).toBeAttached();
  }
  await log(page).hover();
  for (let turn = 0; turn < 10; turn++) await page.mouse.wheel(0, 500);
  expect(await messages.most()).toBeGreaterThan(5);
  expect(await messages.most()).toBeLessThanOrEqual(MOST);
  await page.getByRole("button", { name: "Ir para o fim da conversa" }).click();
  await expect(said(0)).toBeInViewport();

  const list = page.getByRole("navigation", { name: "Conversas" });
  const chats = await countRows(page, "[data-ui~=threads] li");
  // At the very end and at rest: a page may load between two checks.
  await expect(async () => {
    await jumpTo(list, 1_000_000);
    await expect(list.getByText("Conversa 499", { exact: true })).toBeAttached({ timeout: 300 });
  }).toPass();
  expect(await chats.most()).toBeLessThanOrEqual(MOST);
});
