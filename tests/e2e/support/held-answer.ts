import type { Page } from "@playwright/test";

/** `asked` resolves with the first match, `answer` releases all. */
export async function heldAnswer(
  page: Page,
  url: RegExp,
): Promise<{ asked: Promise<void>; answer: () => void }> {
  let answer = () => {};
  let begin = () => {};
  const held = new Promise<void>((resolve) => {
    answer = resolve;
  });
  const asked = new Promise<void>((resolve) => {
    begin = resolve;
  });
  await page.route(url, async (route) => {
    begin();
    await held;
    await route.continue();
  });
  return { asked, answer };
}
