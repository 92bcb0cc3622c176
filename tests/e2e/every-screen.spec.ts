import { expect, type Page, test } from "@playwright/test";
import { type Evolution, startEvolution } from "../../simulators/evolution/evolution.ts";
import { type MistralStandIn, startMistral } from "../../simulators/mistral/stand-in.ts";
import { type ProductServer, startProduct } from "../support/server.ts";
import { violationsByAxe } from "./support/axe.ts";
import { signUpUnread, signUpUnseen } from "./support/person.ts";
import { type ProductRows, productRows } from "./support/product-rows.ts";
import { seedLongNames, seedWorkingAccount } from "./support/screen-rows.ts";
import {
  agents,
  campaigns,
  EMPTY,
  FAILING,
  INSTANCES,
  PEOPLE,
  PUBLIC,
  REST,
  type Screen,
  WAITING,
  WIDTHS,
} from "./support/screens.ts";
import { unreadable } from "./support/unreadable.ts";

/* Every screen and state: both themes without axe violations, every width with complete words (26.10), usable
   at 400 % zoom. */

let gateway: Evolution;
let mistral: MistralStandIn;
let product: ProductServer;
let rows: ProductRows;

test.use({ contextOptions: { reducedMotion: "reduce" } });
test.beforeAll(async () => {
  [gateway, mistral] = await Promise.all([startEvolution(), startMistral()]);
  product = await startProduct({
    env: {
      RECADO_PRIVATE_HOSTS: `${new URL(gateway.url).host},${mistral.host}`,
      RECADO_MISTRAL_URL: mistral.url,
    },
  });
  rows = await productRows(product);
});
test.afterAll(async () => {
  await rows.close();
  await product.close();
  await Promise.all([gateway.close(), mistral.stop()]);
});

/** What overflows the window to the right without clipping or scrolling, and misplaced titles. */
const reachingOut = (page: Page) =>
  page.evaluate(() => {
    const edge = window.innerWidth;
    if (document.documentElement.scrollWidth > edge) return ["the page"];
    const held = (node: Element | null): boolean =>
      node !== null && (getComputedStyle(node).overflowX !== "visible" || held(node.parentElement));
    const past = (node: Element) =>
      node.localName === "h1"
        ? node.scrollWidth > node.clientWidth && !held(node)
        : node.getBoundingClientRect().right > edge + 1 && !held(node.parentElement);
    return [...document.querySelectorAll("[role$=dialog], [role$=dialog] *, [role=menu], main *")]
      .filter(past)
      .map((node) => `${node.tagName} ${node.className}`);
  });

/** In a low window: menu entries that cannot be scrolled to, and bars that leave little room. */
const outOfReach = (page: Page) =>
  page.evaluate(() => {
    const name = (node: Element) => `«${(node.getAttribute("aria-label") || node.textContent || "").trim()}»`;
    document.querySelector("[aria-haspopup=menu][data-state=open]")?.scrollIntoView({ block: "center" });
    const pressed = document.querySelectorAll("[role$=dialog] button, [role=menu] [role^=menuitem]");
    const errors = [...pressed]
      .filter((node) => node.checkVisibility())
      .filter((node) => {
        node.scrollIntoView({ block: "nearest", inline: "nearest" });
        const { left, right, top, bottom } = node.getBoundingClientRect();
        return Math.min(left, top) < -1 || right > window.innerWidth + 1 || bottom > window.innerHeight + 1;
      })
      .map((node) => `${name(node)} is out of reach`);
    for (const body of document.querySelectorAll("[data-ui~=dialog-body]"))
      if (getComputedStyle(body).overflowY === "auto" && body.clientHeight < window.innerHeight / 2)
        if (body.scrollHeight > body.clientHeight)
          errors.push(`${body.clientHeight} px for a window's words`);
    const bars = [...document.querySelectorAll<HTMLElement>("[data-ui~=topbar], [data-ui~=form-bar]")]
      .filter((bar) => getComputedStyle(bar).position === "sticky")
      .reduce((sum, bar) => sum + bar.offsetHeight, 0);
    if (bars > window.innerHeight / 3) errors.push(`bars take ${bars} px`);
    return errors;
  });

/** Menus are repositioned some frames after a resize: on a slow machine, seconds. */
async function lasting(errors: () => Promise<string[]>): Promise<string[]> {
  const patience = performance.now() + 20_000;
  for (;;) {
    const parts = await errors();
    if (parts.length === 0 || performance.now() > patience) return parts;
  }
}

/** Rules whose result a theme or width can change. */
const OF_LOOKS = ["color-contrast", "link-in-text-block", "target-size", "scrollable-region-focusable"];

async function look(page: Page, { path, shows, open, widths = WIDTHS }: Screen): Promise<string[]> {
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.emulateMedia({ colorScheme: "light" });
  await page.goto(`${product.url}${path}`);
  await shows(page);
  await open?.(page);
  const found = await violationsByAxe(page);
  await page.setViewportSize({ width: 390, height: 844 });
  await page.emulateMedia({ colorScheme: "dark" });
  found.push(...(await violationsByAxe(page, OF_LOOKS)));
  for (const width of widths) {
    await page.setViewportSize({ width, height: 900 });
    for (const part of await lasting(() => reachingOut(page)))
      found.push(`${part} is wider than ${width} px`);
    for (const words of await lasting(() => unreadable(page))) found.push(`at ${width} px ${words}`);
  }
  // 1280 × 1024 enlarged four times (WCAG 2.2, 1.4.10).
  await page.setViewportSize({ width: 320, height: 256 });
  for (const part of await lasting(() => reachingOut(page))) found.push(`${part} is wider than 320 px`);
  found.push(...(await lasting(() => outOfReach(page))));
  return found;
}

async function lookAll(page: Page, screens: readonly Screen[]): Promise<void> {
  const errors: Record<string, string[]> = {};
  for (const each of screens)
    await test.step(each.name, async () => {
      const found = await look(page, each);
      if (found.length) errors[each.name] = found;
    });
  expect(errors).toEqual({});
}

test("open to everybody", ({ page }) => lookAll(page, PUBLIC));

test("of an account that has nothing yet", async ({ page }) => {
  await signUpUnread(page, product.url);
  await lookAll(page, EMPTY);
});

async function working(page: Page): Promise<number> {
  const name = "Uma Empresa de Nome Muito Comprido Comércio e Serviços Ltda.";
  const email = await signUpUnread(page, product.url, name);
  const campaign = await seedWorkingAccount(rows.db, page, product.url, email);
  await seedLongNames(rows.db, email);
  return campaign;
}

test("of campaigns", async ({ page }) => lookAll(page, campaigns(await working(page))));

test("of contacts and connections", async ({ page }) => {
  await working(page);
  await lookAll(page, PEOPLE);
});

test("of chat and settings", async ({ page }) => {
  await working(page);
  await lookAll(page, REST);
});

const ASKED = /\/api\/(?!me$|events$)/;

test("while nothing has come, and when nothing comes", async ({ page }) => {
  await signUpUnseen(page, product.url);
  await page.route(ASKED, () => undefined);
  await lookAll(page, WAITING);
  await page.unroute(ASKED);
  const refused = {
    status: 503,
    json: { code: "unavailable", error: "O serviço está indisponível no momento." },
  };
  await page.route(ASKED, (route) => route.fulfill(refused));
  await lookAll(page, FAILING);
});

test("of servers and their instances", async ({ page }) => {
  await signUpUnseen(page, product.url);
  const post = async (path: string, data: object) => {
    const answer = await page.request.post(`${product.url}${path}`, { data });
    expect(answer.status(), await answer.text()).toBe(201);
    return (await answer.json()) as { id: number };
  };
  const { id } = await post("/api/gateways", {
    name: "Servidor da loja",
    url: gateway.url,
    apiKey: gateway.apiKey,
  });
  await post(`/api/gateways/${id}/instances`, {
    instanceName: "vendas",
    token: "um-token-qualquer-123",
    number: "5531907773055",
  });
  await lookAll(page, INSTANCES);
});

test("of agents", async ({ page }) => {
  await signUpUnseen(page, product.url);
  const key = await page.request.put(`${product.url}/api/mistral/settings`, {
    data: { apiKey: mistral.keys[0], baseUrl: mistral.url },
  });
  expect(key.ok()).toBe(true);
  mistral.answers(() => "Abrimos às 9h.");
  const agent = { name: "Atendente", description: "Responde sobre horários", instructions: "Seja breve." };
  const made = await page.request.post(`${product.url}/api/mistral/agents`, { data: agent });
  const { id } = (await made.json()) as { id: string };
  await lookAll(page, agents(id));
});
