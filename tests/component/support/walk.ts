import { commands } from "vitest/browser";

const THEMES = ["light", "dark"] as const;
/** Presses at once: each way to the browser and back takes longer than a press. */
const PRESSES = 40;
const MOST = 400;

export async function walk(): Promise<string[]> {
  const stops = await stopsOfTab();
  if (stops === null) return [`more than ${MOST} stops`];
  const errors: string[] = [];
  for (const colorScheme of THEMES) {
    await commands.emulateMedia({ colorScheme });
    const looks = looksWithoutFocus();
    for (const stop of stops) {
      // After a key the browser shows this focus too.
      stop.focus();
      errors.push(...errorsAt(stop, looks).map((error) => `${colorScheme}: ${error}`));
    }
  }
  return [...errors, ...unreached(stops)];
}

/** Null: too many, or Tab came to its start no more. */
async function stopsOfTab(): Promise<Set<HTMLElement> | null> {
  (document.activeElement as HTMLElement | null)?.blur();
  const stops = new Set<HTMLElement>();
  let around = false;
  const note = ({ target }: FocusEvent) => {
    around ||= stops.has(target as HTMLElement);
    stops.add(target as HTMLElement);
  };
  document.addEventListener("focusin", note);
  for (let pressed = 0; !around && pressed < MOST; pressed += PRESSES) await commands.keys("Tab", PRESSES);
  document.removeEventListener("focusin", note);
  return around ? stops : null;
}

function looksWithoutFocus(): Map<Element, string> {
  (document.activeElement as HTMLElement | null)?.blur();
  return new Map([...document.querySelectorAll("body *")].map((node) => [node, lookOf(node)]));
}

function lookOf(node: Element): string {
  const { boxShadow, outlineStyle, outlineWidth, borderColor } = getComputedStyle(node);
  return [boxShadow, outlineStyle, outlineWidth, borderColor].join();
}

function errorsAt(node: HTMLElement, looks: Map<Element, string>): string[] {
  const at = `${node.tagName.toLowerCase()} «${(node.getAttribute("aria-label") || node.textContent || node.id).trim().slice(0, 40)}»`;
  // A group hands the focus on to one of its own.
  if (document.activeElement !== node)
    return node.contains(document.activeElement) ? [] : [`${at}: takes no focus`];
  const errors: string[] = [];
  // The box drawn for a hidden control surrounds it or follows it.
  const drawn = [node, node.nextElementSibling, node.parentElement, node.parentElement?.parentElement];
  const marked = drawn.some((each) => {
    if (!each) return false;
    const { boxShadow, outlineStyle } = getComputedStyle(each);
    const was = looks.get(each);
    return was === undefined ? boxShadow !== "none" || outlineStyle !== "none" : was !== lookOf(each);
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
  return errors;
}

function unreached(stops: Set<HTMLElement>): string[] {
  const all = document.querySelectorAll<HTMLElement>("a[href], button, input, select, textarea, [tabindex]");
  return [...all]
    .filter((node) => node.tabIndex >= 0 && !node.matches(":disabled") && node.checkVisibility())
    .filter((node) => !(node instanceof HTMLInputElement && node.type === "radio" && !node.checked))
    .filter((node) => !node.querySelector("[tabindex='-1']") || !node.matches("[role=group], [role=tablist]"))
    .filter((node) => !stops.has(node) && !node.closest("[aria-hidden=true], [inert]"))
    .map(
      (node) =>
        `${node.tagName.toLowerCase()} «${(node.getAttribute("aria-label") || node.textContent || "").trim().slice(0, 40)}»: never reached`,
    );
}
