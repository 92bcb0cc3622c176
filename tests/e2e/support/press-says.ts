import { expect, type Locator } from "@playwright/test";

/** The page itself watches for the words: on a busy machine an outside check misses what shows for 1.5 s. */
export async function pressSays(button: Locator, words: string): Promise<void> {
  const seen = await button.evaluateHandle((element, wanted) => {
    const watched = { said: false };
    new MutationObserver(() => {
      watched.said ||= element.checkVisibility() && element.textContent.includes(wanted);
    }).observe(element, { subtree: true, childList: true, characterData: true });
    return watched;
  }, words);
  await button.click();
  await expect.poll(() => seen.evaluate(({ said }) => said), words).toBe(true);
}
