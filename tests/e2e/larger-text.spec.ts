import { expect, type Page, test } from "@playwright/test";
import { sql } from "kysely";
import type { ProductServer } from "../support/server.ts";
import { signUpUnread } from "./support/person.ts";
import type { ProductRows } from "./support/product-rows.ts";
import { seedWorkingAccount } from "./support/screen-rows.ts";
import { campaigns, EMPTY, PEOPLE, PUBLIC, REST, type Screen } from "./support/screens.ts";
import { startedFor } from "./support/started.ts";

let product: ProductServer;
let rows: ProductRows;
startedFor((started) => {
  ({ product, rows } = started);
});

const AS_IT_COMES = 16;
const HALF_AS_LARGE_AGAIN = 24;
const TWICE_AS_LARGE = 32;

async function letTextBe(page: Page, standard: number): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send("Page.enable");
  await session.send("Page.setFontSizes", { fontSizes: { standard } });
}

const lengthOf = (page: Page, list: string, row: string) =>
  page.locator(list).evaluate((element, one) => {
    const drawn = [...element.querySelectorAll<HTMLElement>(one)];
    return {
      rows:
        Math.round(
          (element.getBoundingClientRect().height / (drawn[0]?.getBoundingClientRect().height ?? 0)) * 10,
        ) / 10,
      cut: drawn.filter(({ scrollHeight, clientHeight }) => scrollHeight > clientHeight + 1).length,
    };
  }, row);

test("who has their browser show all text larger gets it so, in a layout and in rows that have room for it", async ({
  page,
}) => {
  const email = await signUpUnread(page, product.url);
  const campaign = await seedWorkingAccount(rows.db, page, product.url, email);
  await page.setViewportSize({ width: 1440, height: 900 });
  await letTextBe(page, HALF_AS_LARGE_AGAIN);
  await page.goto(`${product.url}/campaigns?detalhes=${campaign}`);
  await expect(page.getByRole("row")).not.toHaveCount(0);
  await expect(page.getByText("Carregando")).toHaveCount(0);
  expect(await page.evaluate(() => getComputedStyle(document.body).fontSize)).toBe("21px");
  const people = () => lengthOf(page, "[data-ui~=deliveries] tbody", "tr[aria-rowindex]");
  await expect.poll(people).toEqual({ rows: 498, cut: 0 });

  await page.goto(`${product.url}/contacts`);
  await expect(page.getByRole("button", { name: /^Abrir menu/ })).toBeVisible();
  await page.getByRole("button", { name: "+477 contatos" }).click();
  const list = page.getByRole("dialog", { name: "Clientes Savassi" });
  await expect(list.getByText("Pessoa 2", { exact: true })).toBeVisible();
  await expect
    .poll(() => lengthOf(page, "[class*=virtual-list_far-list] ul", "li"))
    .toEqual({ rows: 480, cut: 0 });

  await page.goto(`${product.url}/chat`);
  await expect(page.locator("[data-ui~=threads] li").first()).toBeVisible();
  const talks = await page.locator("[data-ui~=threads] li").count();
  await expect.poll(() => lengthOf(page, "[data-ui~=threads] ul", "li")).toEqual({ rows: talks, cut: 0 });
});

test("on a telephone with text twice as large the menu bar does not overflow", async ({ page }) => {
  await signUpUnread(page, product.url);
  await page.setViewportSize({ width: 390, height: 844 });
  await letTextBe(page, TWICE_AS_LARGE);
  for (const place of ["/campaigns", "/contacts", "/baileys", "/settings", "/settings?aba=uso"]) {
    await page.goto(`${product.url}${place}`);
    await expect(page.getByRole("button", { name: /^Menu da conta/ })).toBeVisible();
    await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
    await expect(page.getByRole("main").getByText("Carregando...")).toHaveCount(0);
    await expect(page.getByRole("banner").getByRole("link", { name: "Recado" })).toBeVisible();
    expect(await page.evaluate(() => document.documentElement.scrollWidth), place).toBeLessThanOrEqual(390);
  }
});

async function widerThanWindow(page: Page, screens: readonly Screen[]): Promise<string[]> {
  const wider: string[] = [];
  for (const { name, path, shows } of screens.filter(({ open }) => !open)) {
    await letTextBe(page, AS_IT_COMES);
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.goto(`${product.url}${path}`);
    await shows(page);
    for (const width of [390, 320]) {
      await page.setViewportSize({ width, height: 844 });
      await letTextBe(page, TWICE_AS_LARGE);
      const root = () => page.evaluate(() => getComputedStyle(document.documentElement).fontSize);
      await expect.poll(root).toBe(`${TWICE_AS_LARGE}px`);
      const wide = await page.evaluate(() => document.documentElement.scrollWidth);
      if (wide > width) wider.push(`${name}: ${wide} px in ${width}`);
    }
  }
  return wider;
}

test("with text twice as large no screen is wider than a telephone, with little on it", async ({ page }) => {
  expect(await widerThanWindow(page, PUBLIC)).toEqual([]);
  await signUpUnread(page, product.url);
  expect(await widerThanWindow(page, EMPTY)).toEqual([]);
});

test("nor with much on it", async ({ page }) => {
  const email = await signUpUnread(page, product.url);
  const campaign = await seedWorkingAccount(rows.db, page, product.url, email);
  expect(await widerThanWindow(page, [...campaigns(campaign), ...PEOPLE, ...REST])).toEqual([]);
});

const outside = (page: Page, list: string, row: string) =>
  page.locator(list).evaluate((element, one) => {
    const isOut = (drawn: HTMLElement) => {
      const { top, bottom, left, right } = drawn.getBoundingClientRect();
      const words = document.createTreeWalker(drawn, NodeFilter.SHOW_TEXT);
      while (words.nextNode()) {
        const within = words.currentNode.parentElement;
        if (
          !within ||
          within.closest("[class*=layout_sr-only], [class*=tooltip_cut-line], [class*=tooltip_cut-text]")
        )
          continue;
        const range = document.createRange();
        range.selectNodeContents(words.currentNode);
        const place = range.getBoundingClientRect();
        const out = [top - place.top, place.bottom - bottom, left - place.left, place.right - right];
        if (place.width > 0 && out.some((by) => by > 1)) return true;
      }
      return false;
    };
    return [...element.querySelectorAll<HTMLElement>(one)].filter(isOut).map((drawn) => drawn.textContent);
  }, row);

test("with text twice as large on a telephone, rows of long lists and the message field fit", async ({
  page,
}) => {
  const email = await signUpUnread(page, product.url);
  const campaign = await seedWorkingAccount(rows.db, page, product.url, email);
  await page.setViewportSize({ width: 320, height: 844 });
  await letTextBe(page, TWICE_AS_LARGE);
  const hold = async (list: string, row: string, count?: number) => {
    const rows = count ?? expect.any(Number);
    await expect.poll(() => lengthOf(page, list, row)).toEqual({ rows, cut: 0 });
    expect(await outside(page, list, row)).toEqual([]);
  };
  for (const status of ["", "&status=error", "&status=uncertain", "&status=skipped"]) {
    await page.goto(`${product.url}/campaigns?detalhes=${campaign}${status}`);
    await expect(page.locator("[data-ui~=deliveries] [data-ui~=person]").first()).toBeVisible();
    await hold("[data-ui~=deliveries] tbody", "tr[aria-rowindex]", status === "" ? 498 : undefined);
  }
  await page.goto(`${product.url}/contacts`);
  await page.getByRole("button", { name: "+477 contatos" }).click();
  await hold("[class*=virtual-list_far-list] ul", "li", 480);
  await page.goto(`${product.url}/contacts`);
  await page.getByRole("button", { name: /^Descadastrados/ }).click();
  await hold("[class*=virtual-list_far-list] ul", "li", 1);

  await page.goto(`${product.url}/contacts`);
  await PEOPLE.find(({ name }) => name === "import-report")?.open?.(page);
  const shown = page.locator("[data-ui~=report]");
  expect(await shown.evaluate((one) => one.scrollHeight - one.clientHeight)).toBeLessThanOrEqual(1);

  await page.goto(`${product.url}/chat`);
  await page.locator("[data-ui~=threads] a").first().click();
  const field = page.getByRole("textbox", { name: "Mensagem" });
  const send = page.getByRole("button", { name: "Enviar", exact: true });
  await expect(send).toBeVisible();
  const [written, pressed] = [await field.boundingBox(), await send.boundingBox()];
  expect(written?.width).toBeGreaterThan(150);
  expect((written?.y ?? 0) + (written?.height ?? 0)).toBeLessThanOrEqual(pressed?.y ?? 0);
  const times = page.locator("[data-ui~=bubble] [data-ui~=stamp] time");
  const high = await times.evaluateAll((all) =>
    Math.max(...all.map((one) => one.getBoundingClientRect().height)),
  );
  expect(high, "a time in one line").toBeLessThan(50);
});

const covered = (page: Page, list: string, words: string, by: string) =>
  page.locator(list).evaluate(
    (element, [one, other]) =>
      [...element.querySelectorAll(one)].filter((said) => {
        const range = document.createRange();
        range.selectNodeContents(said);
        const place = range.getBoundingClientRect();
        return [...(said.closest("li")?.querySelectorAll(other) ?? [])].some((above) => {
          const { left, right, top, bottom } = above.getBoundingClientRect();
          return place.right > left && place.left < right && place.bottom > top && place.top < bottom;
        });
      }).length,
    [words, by] as const,
  );

test("numbers of lists are not covered by what stands beside them on a small telephone, nor with text half as large again", async ({
  page,
}) => {
  const email = await signUpUnread(page, product.url);
  await seedWorkingAccount(rows.db, page, product.url, email);
  await sql`insert into opt_out (account_id, phone, source)
    select id, 5511900000001, 'manual' from account where email = ${email}`.execute(rows.db);
  for (const [width, standard] of [
    [320, AS_IT_COMES],
    [390, HALF_AS_LARGE_AGAIN],
  ] as const) {
    await page.setViewportSize({ width, height: 844 });
    await letTextBe(page, standard);
    await page.goto(`${product.url}/contacts`);
    await expect(page.locator("[data-ui~=lists] [data-ui~=badge]").first()).toBeVisible();
    expect(await outside(page, "[data-ui~=lists]", "li")).toEqual([]);
    await page.getByRole("button", { name: "+477 contatos" }).click();
    await expect(page.locator("[class*=list-dialog_list-people] [data-ui~=badge]").first()).toBeVisible();
    await expect
      .poll(() => lengthOf(page, "[class*=virtual-list_far-list] ul", "li"))
      .toEqual({ rows: 480, cut: 0 });
    expect(await outside(page, "[class*=virtual-list_far-list] ul", "li")).toEqual([]);
    expect(
      await covered(
        page,
        "[class*=list-dialog_list-people]",
        "[class*=list-dialog_phone]",
        "[data-ui~=badge]",
      ),
    ).toBe(0);
    await page.goto(`${product.url}/contacts`);
    await page.getByRole("button", { name: /^Descadastrados/ }).click();
    await expect
      .poll(() => lengthOf(page, "[class*=virtual-list_far-list] ul", "li"))
      .toEqual({ rows: 2, cut: 0 });
    expect(await outside(page, "[class*=virtual-list_far-list] ul", "li")).toEqual([]);
    expect(
      await covered(page, "[class*=opt-outs-dialog_left-rows]", "[data-ui~=num]", "[class*=button_btn]"),
    ).toBe(0);
  }
});
