import axe from "axe-core";

/** An open menu is portalled outside any landmark; this axe rule is advice, not WCAG. */
const MENU_OUTSIDE = "region: div[data-radix-popper-content-wrapper";
const TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

export const opened = () => [...document.querySelectorAll("[role$=dialog], [role=menu]")].at(-1);

/** `rules` limits the check. */
export async function violations(rules: string[] = []): Promise<string[]> {
  await calm();
  const result = await axe.run(opened() ?? document, {
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
