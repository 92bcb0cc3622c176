import AxeBuilder from "@axe-core/playwright";
import { expect, type Page } from "@playwright/test";

/** An open menu lies at the end of the page, over everything: no part of it, so in no landmark. Advice of axe's, no rule of WCAG's. */
const MENU_OUTSIDE = "region: div[data-radix-popper-content-wrapper";

/** WCAG 2.2 AA by axe: no violation at all, each named with the element that has it. */
export async function expectAccessible(page: Page): Promise<void> {
  // Half a fade has half a contrast: none may begin any more, and those under way end.
  await page.emulateMedia({ reducedMotion: "reduce" });
  await page.evaluate(() =>
    Promise.all(
      document
        .getAnimations()
        .filter((each) => each.effect?.getComputedTiming().iterations !== Number.POSITIVE_INFINITY)
        .map((each) => each.finished.catch(() => undefined)),
    ),
  );
  const { violations } = await new AxeBuilder({ page })
    .withTags(["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"])
    .analyze();
  const found = violations.flatMap((violation) =>
    violation.nodes.map((node) => `${violation.id}: ${node.target.join(" ")} (${node.failureSummary})`),
  );
  expect(found.filter((each) => !each.startsWith(MENU_OUTSIDE))).toEqual([]);
}
