import { expect, type Page } from "@playwright/test";

const STEP_MS = 250;

/**
 * Milliseconds of the page's clock between the next two requests to this path. The clock waits until each
 * answer is read, so that a slow machine does not count.
 */
export async function timeBetween(page: Page, path: string): Promise<number> {
  // Counted in the page: Playwright reports an answer before the page has it, and a request later.
  await page.evaluate(countQuestions, path);
  const next = async () => {
    const before = await page.evaluate(() => counted.asked);
    for (let passed = STEP_MS; passed <= 60_000; passed += STEP_MS) {
      await page.clock.runFor(STEP_MS);
      if ((await page.evaluate(() => counted.asked)) === before) continue;
      await expect.poll(() => page.evaluate(() => counted.open)).toBe(0);
      return passed;
    }
    throw new Error("nothing was asked for within a minute");
  };
  await next();
  const between = await next();
  await page.evaluate(() => counted.stop());
  return between;
}

declare let counted: { asked: number; open: number; stop: () => void };

function countQuestions(path: string): void {
  const { fetch } = window;
  const { json } = Response.prototype;
  const answers = new WeakSet<Response>();
  const counts = {
    asked: 0,
    open: 0,
    stop() {
      window.fetch = fetch;
      Response.prototype.json = json;
    },
  };
  Object.assign(window, { counted: counts });
  window.fetch = async (input, init) => {
    const url = input instanceof Request ? input.url : String(input);
    if (new URL(url, location.href).pathname !== path) return fetch(input, init);
    counts.asked++;
    counts.open++;
    try {
      const answer = await fetch(input, init);
      answers.add(answer);
      return answer;
    } catch (error) {
      counts.open--;
      throw error;
    }
  };
  Response.prototype.json = async function read() {
    try {
      return await json.call(this);
    } finally {
      if (answers.delete(this)) counts.open--;
    }
  };
}
