import { setTimeout as pause } from "node:timers/promises";
import type { Browser, BrowserContext, Page } from "@playwright/test";

/** CPU slowdown of the simulated visitor. */
const SLOWER = 4;
const QUIET_MS = 700;
const MOST_MS = 30_000;

/** Times in ms since navigation. */
type Noted = { fcp: number; lcp: number; tasks: { start: number; end: number }[] };
type Noting = typeof globalThis & { noted: Noted };

export type RequestContext = {
  scriptKB: number;
  requests: number;
  fcpMs: number;
  lcpMs: number;
  blockingMs: number;
};

/** The caller closes the context. */
export async function slowPage(
  browser: Browser,
  cookie: { url: string; header: string } | null,
  slower = SLOWER,
): Promise<Page> {
  const context: BrowserContext = await browser.newContext({
    locale: "pt-BR",
    timezoneId: "America/Sao_Paulo",
    viewport: { width: 1280, height: 800 },
  });
  if (cookie) {
    const cookies = cookie.header.split("; ").map((pair) => {
      const at = pair.indexOf("=");
      return { name: pair.slice(0, at), value: pair.slice(at + 1), url: cookie.url };
    });
    await context.addCookies(cookies);
  }
  const page = await context.newPage();
  await page.addInitScript(note);
  const session = await context.newCDPSession(page);
  await session.send("Emulation.setCPUThrottlingRate", { rate: slower });
  return page;
}

/** Runs in the page before its own scripts. */
function note(): void {
  const noted: Noted = { fcp: 0, lcp: 0, tasks: [] };
  (globalThis as Noting).noted = noted;
  const listen = (type: string, take: (entry: PerformanceEntry) => void) =>
    new PerformanceObserver((list) => list.getEntries().forEach(take)).observe({ type, buffered: true });
  listen("paint", (entry) => {
    if (entry.name === "first-contentful-paint") noted.fcp = entry.startTime;
  });
  listen("largest-contentful-paint", (entry) => {
    noted.lcp = entry.startTime;
  });
  listen("longtask", ({ startTime, duration }) => {
    noted.tasks.push({ start: startTime, end: startTime + duration });
  });
}

export async function visit(page: Page, url: string): Promise<RequestContext> {
  await page.goto(url);
  await settled(page, url);
  return page.evaluate(() => {
    const { fcp, lcp, tasks } = (globalThis as Noting).noted;
    const resources = performance.getEntriesByType("resource") as PerformanceResourceTiming[];
    const scripts = resources.filter(({ name }) => new URL(name).pathname.endsWith(".js"));
    // Blocking time beyond 50 ms, counted from when something can be pressed.
    const blocked = tasks.map(({ start, end }) => Math.max(0, end - Math.max(start, fcp) - 50));
    return {
      scriptKB: scripts.reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0) / 1000,
      requests: resources.length,
      fcpMs: fcp,
      lcpMs: lcp,
      blockingMs: blocked.reduce((sum, each) => sum + each, 0),
    };
  });
}

async function settled(page: Page, url: string): Promise<void> {
  const end = performance.now() + MOST_MS;
  while (performance.now() < end) {
    await pause(200);
    const quietMs = await page.evaluate(() => {
      const { noted } = globalThis as Noting;
      if (noted.lcp === 0 || document.querySelector("h1") === null) return 0;
      if (document.querySelector("[data-ui~=after-a-moment]")) return 0;
      const fetched = (performance.getEntriesByType("resource") as PerformanceResourceTiming[]).map(
        ({ responseEnd, startTime }) => Math.max(responseEnd, startTime),
      );
      const worked = noted.tasks.map((task) => task.end);
      return performance.now() - Math.max(noted.lcp, ...fetched, ...worked);
    });
    if (quietMs > QUIET_MS) return;
  }
  throw new Error(`${url} did not come to rest within ${MOST_MS / 1000} s`);
}
