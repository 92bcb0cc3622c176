import axe from "axe-core";
import { expect } from "vitest";

/** An open menu is portalled outside any landmark; this axe rule is advice, not WCAG. */
const MENU_OUTSIDE = "region: div[data-radix-popper-content-wrapper";
const TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

/** WCAG 2.2 AA without violations, in the page as it stands. */
export async function expectNoViolations(): Promise<void> {
  expect(await violations()).toEqual([]);
}

/** With their elements; `rules` limits the check. */
export async function violations(rules: string[] = []): Promise<string[]> {
  await calm();
  const result = await axe.run(document, {
    resultTypes: ["violations"],
    runOnly: rules.length > 0 ? { type: "rule", values: rules } : { type: "tag", values: TAGS },
  });
  return result.violations
    .flatMap(({ id, nodes }) =>
      nodes.map((node) => `${id}: ${node.target.join(" ")} (${node.failureSummary})`),
    )
    .filter((each) => !each.startsWith(MENU_OUTSIDE));
}

/** Half a fade has half a contrast: waits for animations that end. */
function calm(): Promise<unknown> {
  const ending = document
    .getAnimations()
    .filter((each) => each.effect?.getComputedTiming().iterations !== Number.POSITIVE_INFINITY);
  return Promise.all(ending.map((each) => each.finished.catch(() => undefined)));
}
