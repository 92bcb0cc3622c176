import type { Page } from "@playwright/test";

const STEP_MS = 250;

/** How far the page's clock, which must stand, goes between two requests: the next one and the one after it. In milliseconds, to a step. */
export async function timeBetween(page: Page, count: () => number): Promise<number> {
  const next = async () => {
    const before = count();
    for (let passed = STEP_MS; passed <= 60_000; passed += STEP_MS) {
      await page.clock.runFor(STEP_MS);
      // Whatever was asked for in this step has reached us after an answer of the page.
      await page.evaluate(() => document.readyState);
      if (count() > before) return passed;
    }
    throw new Error("nothing was asked for within a minute");
  };
  await next();
  return next();
}
