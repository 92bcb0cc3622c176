import { userEvent } from "vitest/browser";

type Step = { seen: boolean; errors: string[] };
type Walked = { looks: Map<Element, string>; been: Set<Element> };

/**
 * Walks the screen by Tab. Answers elements without a visible focus, covered by another, or never reached.
 */
export async function walk(): Promise<string[]> {
  const walked = prepareWalk();
  const errors: string[] = [];
  const most = 400;
  for (let press = 0; press < most; press++) {
    await userEvent.tab();
    const step = takeStep(walked);
    errors.push(...step.errors);
    if (step.seen) return [...errors, ...unreached(walked)];
  }
  return [...errors, `more than ${most} stops`];
}

function prepareWalk(): Walked {
  (document.activeElement as HTMLElement | null)?.blur();
  const looks = new Map<Element, string>();
  for (const node of document.querySelectorAll("body *")) {
    const { boxShadow, outlineStyle, outlineWidth, borderColor } = getComputedStyle(node);
    looks.set(node, [boxShadow, outlineStyle, outlineWidth, borderColor].join());
  }
  return { looks, been: new Set() };
}

function takeStep({ looks, been }: Walked): Step {
  const node = document.activeElement;
  if (!node || node === document.body) return { seen: false, errors: [] };
  const at = `${node.tagName.toLowerCase()} «${(node.getAttribute("aria-label") || node.textContent || node.id).trim().slice(0, 40)}»`;
  if (been.has(node)) return { seen: true, errors: [] };
  been.add(node);
  const errors: string[] = [];
  // The box drawn for a hidden control surrounds it or follows it.
  const drawn = [node, node.nextElementSibling, node.parentElement, node.parentElement?.parentElement];
  const marked = drawn.some((each) => {
    if (!each) return false;
    const { boxShadow, outlineStyle, outlineWidth, borderColor } = getComputedStyle(each);
    const was = looks.get(each);
    const is = [boxShadow, outlineStyle, outlineWidth, borderColor].join();
    return was === undefined ? boxShadow !== "none" || outlineStyle !== "none" : was !== is;
  });
  // The start of a screen and a full-screen element need no ring.
  if (!marked && node.id !== "content") errors.push(`${at}: nothing shows that it is focused`);
  const box = (
    getComputedStyle(node).opacity === "0" ? (node.parentElement ?? node) : node
  ).getBoundingClientRect();
  const inside = (x: number, y: number) => {
    const top = document.elementFromPoint(x, y);
    return top !== null && (top.contains(node) || node.contains(top) || top.parentElement?.contains(node));
  };
  const points = [0.1, 0.5, 0.9].map(
    (part) => [box.left + box.width * part, box.top + box.height * part] as const,
  );
  if (!points.some(([x, y]) => inside(x, y))) errors.push(`${at}: focused out of sight`);
  return { seen: false, errors };
}

function unreached({ been }: Walked): string[] {
  const all = document.querySelectorAll<HTMLElement>("a[href], button, input, select, textarea, [tabindex]");
  return (
    [...all]
      .filter((node) => node.tabIndex >= 0 && !node.matches(":disabled") && node.checkVisibility())
      // Only the checked radio is a tab stop; arrows reach the others.
      .filter((node) => !(node instanceof HTMLInputElement && node.type === "radio" && !node.checked))
      .filter(
        (node) => !node.querySelector("[tabindex='-1']") || !node.matches("[role=group], [role=tablist]"),
      )
      .filter((node) => !been.has(node) && !node.closest("[aria-hidden=true], [inert]"))
      .map(
        (node) =>
          `${node.tagName.toLowerCase()} «${(node.getAttribute("aria-label") || node.textContent || "").trim().slice(0, 40)}»: never reached`,
      )
  );
}
