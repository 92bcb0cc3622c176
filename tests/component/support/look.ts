import { expect } from "vitest";
import { commands, page } from "vitest/browser";
import { opened, violations } from "./axe.ts";
import { fakeServer } from "./fake-server.ts";
import { renderApp } from "./render-app.tsx";
import type { Screen } from "./screens.ts";
import { findUnreadable } from "./unreadable.ts";

const WIDTHS = [320, 390, 768, 1024, 1200, 1280, 1366, 1440, 1920] as const;
const OF_COLOURS = ["color-contrast", "link-in-text-block"];
/** Menus are placed again some frames after a resize, on a slow machine after seconds. */
const PATIENCE_MS = 10_000;

export async function look(screen: Screen): Promise<void> {
  await open(screen);
  const found = new Found();
  await accessible(found);
  await complete(found, screen.widths ?? WIDTHS);
  expect(found.errors).toEqual({});
}

async function open({ path, words, world, prepare, opened: act }: Screen): Promise<void> {
  const server = fakeServer(world());
  prepare?.(server);
  await renderApp(path);
  if (words) await expect.poll(() => visible(words)).toBe(true);
  if (words) await settled();
  await act?.();
  if (words) await settled();
}

const visible = (words: string | RegExp) =>
  page
    .getByText(words)
    .elements()
    .some((each) => each.checkVisibility({ visibilityProperty: true }));

async function settled(): Promise<void> {
  await expect.poll(() => document.querySelector("[data-ui~=sk]")).toBeNull();
  await expect.poll(() => document.body.textContent).not.toContain("Carregando...");
}

async function accessible(found: Found): Promise<void> {
  for (const [width, height] of [
    [1440, 900],
    [390, 844],
  ] as const) {
    await page.viewport(width, height);
    for (const colorScheme of ["light", "dark"] as const) {
      await commands.emulateMedia({ colorScheme });
      const rules = colorScheme === "dark" ? OF_COLOURS : [];
      await found.note(`${colorScheme}, ${width} px`, () => violations(rules));
    }
  }
}

async function complete(found: Found, widths: readonly number[]): Promise<void> {
  for (const width of widths) {
    await page.viewport(width, 900);
    await found.note(`wider than ${width} px`, reachingOut);
    await found.note(`unreadable at ${width} px`, () => findUnreadable(opened() ?? document.body));
  }
  await page.viewport(320, 256);
  await found.note("wider than 320 px, enlarged", reachingOut);
  await found.note("enlarged", outOfReach);
}

class Found {
  readonly errors: Record<string, string[]> = {};
  #patience = PATIENCE_MS;

  async note(what: string, check: () => string[] | Promise<string[]>): Promise<void> {
    for (;;) {
      const began = performance.now();
      const errors = await check();
      if (errors.length === 0) return;
      await new Promise(requestAnimationFrame);
      this.#patience -= performance.now() - began;
      if (this.#patience < 0) {
        this.errors[what] = errors;
        return;
      }
    }
  }
}

function reachingOut(): string[] {
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
}

function outOfReach(): string[] {
  document.querySelector("[aria-haspopup=menu][data-state=open]")?.scrollIntoView({ block: "center" });
  const pressed = document.querySelectorAll("[role$=dialog] button, [role=menu] [role^=menuitem]");
  const errors = [...pressed]
    .filter((node) => node.checkVisibility())
    .filter((node) => {
      node.scrollIntoView({ block: "nearest", inline: "nearest" });
      const { left, right, top, bottom } = node.getBoundingClientRect();
      return Math.min(left, top) < -1 || right > window.innerWidth + 1 || bottom > window.innerHeight + 1;
    })
    .map((node) => `«${(node.getAttribute("aria-label") || node.textContent || "").trim()}» is out of reach`);
  for (const body of document.querySelectorAll("[data-ui~=dialog-body]"))
    if (getComputedStyle(body).overflowY === "auto" && body.clientHeight < window.innerHeight / 2)
      if (body.scrollHeight > body.clientHeight) errors.push(`${body.clientHeight} px for a dialog's words`);
  const bars = [...document.querySelectorAll<HTMLElement>("[data-ui~=topbar], [data-ui~=form-bar]")]
    .filter((bar) => getComputedStyle(bar).position === "sticky")
    .reduce((sum, bar) => sum + bar.offsetHeight, 0);
  if (bars > window.innerHeight / 3) errors.push(`bars take ${bars} px`);
  return errors;
}
