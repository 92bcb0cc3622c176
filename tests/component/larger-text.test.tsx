import { afterEach, expect, test } from "vitest";
import { page } from "vitest/browser";
import { SCREENS as CAMPAIGNS } from "./looks/campaigns.ts";
import { SCREENS as CHAT } from "./looks/chat.ts";
import { SCREENS as CONNECTIONS } from "./looks/connections.ts";
import { SCREENS as CONTACTS } from "./looks/contacts.ts";
import { SCREENS as EMPTY } from "./looks/empty.ts";
import { SCREENS as NEW_CAMPAIGN } from "./looks/new-campaign.ts";
import { SCREENS as SETTINGS } from "./looks/settings.ts";
import { SCREENS as VISITORS } from "./looks/visitors.ts";
import { fakeServer } from "./support/fake-server.ts";
import { renderApp } from "./support/render-app.tsx";
import { button, press } from "./support/screen.ts";
import type { Screen } from "./support/screens.ts";
import { AS_IT_COMES, FAR, letTextBe, PEOPLE, rowsFit, TWICE_AS_LARGE, there } from "./support/text-size.ts";
import { FINISHED, workingWorld } from "./support/working-world.ts";
import { person, world } from "./support/world.ts";

afterEach(() => letTextBe(AS_IT_COMES));

/* The product takes the size of text once: this file has one, and its lists come first. */

test("with text twice as large on a telephone, rows of long lists and the message field fit", async () => {
  const state = workingWorld();
  state.optOuts = state.optOuts.slice(0, 1);
  fakeServer(state);
  await page.viewport(320, 844);
  await letTextBe(TWICE_AS_LARGE);
  for (const status of ["", "&status=error", "&status=uncertain", "&status=skipped"]) {
    await renderApp(`/campaigns?detalhes=${FINISHED}${status}`);
    await rowsFit(PEOPLE, "tr[aria-rowindex]", status === "" ? 498 : null);
  }
  await renderApp("/contacts");
  await press(/^\+477 contatos/);
  await rowsFit(FAR, "li", 480);
  await renderApp("/contacts");
  await press(/^Descadastrados/);
  await rowsFit(FAR, "li", 1);

  const report = CONTACTS.find(({ name }) => name === "import-report");
  report?.prepare?.(fakeServer(workingWorld()));
  await renderApp("/contacts");
  await report?.opened?.();
  await there("[data-ui~=report]");
  const shown = document.querySelector("[data-ui~=report]") as Element;
  expect(shown.scrollHeight - shown.clientHeight).toBeLessThanOrEqual(1);
});

test("on a telephone with text twice as large the menu bar does not overflow", async () => {
  fakeServer(world({ me: person({ riskRead: false, stepsHidden: false }) }));
  await page.viewport(390, 844);
  await letTextBe(TWICE_AS_LARGE);
  for (const place of ["/campaigns", "/contacts", "/baileys", "/settings", "/settings?aba=uso"]) {
    await renderApp(place);
    await expect.element(button(/^Menu da conta/)).toBeVisible();
    await expect.element(page.getByRole("heading", { level: 1 })).toBeVisible();
    await expect.poll(() => document.querySelector("main")?.textContent).not.toContain("Carregando...");
    await expect.element(page.getByRole("banner").getByRole("link", { name: "Recado" })).toBeVisible();
    expect(document.documentElement.scrollWidth, place).toBeLessThanOrEqual(390);
  }
});

async function widerThanWindow(screens: readonly Screen[]): Promise<string[]> {
  const wider: string[] = [];
  for (const { name, path, words, world: worldOf, prepare } of screens) {
    await letTextBe(AS_IT_COMES);
    await page.viewport(1440, 900);
    const server = fakeServer(worldOf());
    prepare?.(server);
    await renderApp(path);
    await expect.element(page.getByText(words ?? "").first()).toBeInTheDocument();
    await letTextBe(TWICE_AS_LARGE);
    for (const width of [390, 320]) {
      await page.viewport(width, 844);
      const wide = document.documentElement.scrollWidth;
      if (wide > width) wider.push(`${name}: ${wide} px in ${width}`);
    }
  }
  return wider;
}

const plain = (screens: readonly Screen[]) =>
  screens.filter(({ opened, words }) => opened === undefined && words !== null);

test("with text twice as large no screen is wider than a telephone, with little on it", async () => {
  expect(await widerThanWindow(plain([...VISITORS, ...EMPTY]))).toEqual([]);
});

test("nor with much on it", async () => {
  const screens = [CAMPAIGNS, NEW_CAMPAIGN, CONTACTS, CONNECTIONS, CHAT, SETTINGS].flat();
  expect(await widerThanWindow(plain(screens))).toEqual([]);
});

test("with text twice as large on a telephone a message is written above what sends it, and its time stands in one line", async () => {
  fakeServer(workingWorld());
  await page.viewport(320, 844);
  await letTextBe(TWICE_AS_LARGE);
  await renderApp("/chat");
  await page.getByRole("link", { name: /^Ana/ }).first().click();
  const send = button("Enviar");
  await expect.element(send).toBeVisible();
  const written = page.getByRole("textbox", { name: "Mensagem" }).element().getBoundingClientRect();
  expect(written.width).toBeGreaterThan(150);
  expect(written.bottom).toBeLessThanOrEqual(send.element().getBoundingClientRect().y);
  await there("[data-ui~=bubble] [data-ui~=stamp] time");
  const times = [...document.querySelectorAll("[data-ui~=bubble] [data-ui~=stamp] time")];
  expect(Math.max(...times.map((one) => one.getBoundingClientRect().height))).toBeLessThan(50);
});
