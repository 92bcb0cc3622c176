import { expect, type Locator } from "@playwright/test";

/**
 * Presses a button that then says these words for a moment. The page itself watches for them: on a busy machine a look from outside
 * comes when what stands for a second and a half is gone again.
 */
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
