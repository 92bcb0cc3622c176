import fs from "node:fs/promises";
import path from "node:path";
import AxeBuilder from "@axe-core/playwright";
import { expect, type Page } from "@playwright/test";

/** An open menu lies at the end of the page, over everything: no part of it, so in no landmark. Advice of axe's, no rule of WCAG's. */
const MENU_OUTSIDE = "region: div[data-radix-popper-content-wrapper";

const AXE = path.resolve(import.meta.dirname, "../../../node_modules/axe-core/axe.min.js");

/** WCAG 2.2 AA by axe: no violation at all, each named with the element that has it. */
export async function expectAccessible(page: Page): Promise<void> {
  expect(await violationsByAxe(page)).toEqual([]);
}

/** What axe finds, each with the element that has it; by these of its rules alone where some are named. */
export async function violationsByAxe(page: Page, rules: string[] = []): Promise<string[]> {
  // Half a fade has half a contrast: none may begin any more, and those under way end.
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
  // In the page itself: without this a second page is opened for each look, in a process of its own, to put together what frames have
  // said, and no page of ours has frames. What holds is not described, only what does not: together less than half the work.
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

/** Once for each document. The builder itself would hand over axe with all its comments, 1.5 MB, twice for each look. */
async function bringAxe(page: Page): Promise<void> {
  if (await page.evaluate(() => "axe" in window)) return;
  await page.evaluate(await fs.readFile(AXE, "utf8"));
}
