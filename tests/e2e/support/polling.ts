import { expect, type Page, type Request } from "@playwright/test";

const STEP_MS = 250;

/**
 * How far the page's clock, which must stand, goes between two requests to this path: the next one and the one after it. In
 * milliseconds, to a step. The clock waits for every answer: a slow machine must not make the page look slow.
 */
export async function timeBetween(page: Page, path: string): Promise<number> {
  const open = new Set<Request>();
  let asked = 0;
  const ask = (request: Request) => {
    if (new URL(request.url()).pathname !== path) return;
    asked++;
    open.add(request);
  };
  const settle = (request: Request) => void open.delete(request);
  page.on("request", ask).on("requestfinished", settle).on("requestfailed", settle);
  const next = async () => {
    const before = asked;
    for (let passed = STEP_MS; passed <= 60_000; passed += STEP_MS) {
      await page.clock.runFor(STEP_MS);
      // Whatever was asked for in this step has reached us after an answer of the page.
      await page.evaluate(() => document.readyState);
      if (asked === before) continue;
      await expect.poll(() => open.size).toBe(0);
      return passed;
    }
    throw new Error("nothing was asked for within a minute");
  };
  await next();
  const between = await next();
  page.off("request", ask).off("requestfinished", settle).off("requestfailed", settle);
  return between;
}
