import fs from "node:fs/promises";
import path from "node:path";
import AxeBuilder from "@axe-core/playwright";
import { expect, type Page } from "@playwright/test";

/**
 * An open menu is portalled to the end of the page, outside any landmark; this axe rule is advice, not WCAG.
 */
const MENU_OUTSIDE = "region: div[data-radix-popper-content-wrapper";

const AXE = path.resolve(import.meta.dirname, "../../../node_modules/axe-core/axe.min.js");

/** WCAG 2.2 AA without violations. */
export async function expectAccessible(page: Page): Promise<void> {
  expect(await violationsByAxe(page)).toEqual([]);
}

/** Violations with their elements; `rules` limits the check. */
async function violationsByAxe(page: Page, rules: string[] = []): Promise<string[]> {
  // Half a fade has half a contrast: ends running animations and prevents new ones.
  await page.emulateMedia({ reducedMotion: "reduce" });
  await bringAxe(page);
  await page.evaluate(() =>
    Promise.all(
      document
        .getAnimations()
        .filter((each) => each.effect?.getComputedTiming().iterations !== Number.POSITIVE_INFINITY)
        .map((each) => each.finished.catch(() => undefined)),
    ),
  );
  // Runs in the page itself instead of a second page that merges frames (we have none), and reports
  // violations only: less than half the time.
  const axe = new AxeBuilder({ page, axeSource: "undefined" })
    .setLegacyMode()
    .options({ resultTypes: ["violations"] });
  if (rules.length) axe.withRules(rules);
  else axe.withTags(["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]);
  const { violations } = await axe.analyze();
  const found = violations.flatMap((violation) =>
    violation.nodes.map((node) => `${violation.id}: ${node.target.join(" ")} (${node.failureSummary})`),
  );
  return found.filter((each) => !each.startsWith(MENU_OUTSIDE));
}

/** Once per document; the builder would send axe with comments, 1.5 MB, twice per check. */
async function bringAxe(page: Page): Promise<void> {
  if (await page.evaluate(() => "axe" in window)) return;
  await page.evaluate(await fs.readFile(AXE, "utf8"));
}
