/**
 * Text and controls that cannot be read: clipped, outside card or window, or broken inside a word. Scrolled
 * content counts as readable; «…» needs a way to the full text.
 */
export function findUnreadable(root: Element): string[] {
  const BOXES =
    "[class*=card_card], [role$=dialog], [role=menu], [data-ui~=badge], [class*=button_btn], [data-ui~=notice], [data-ui~=fault], [class*=chip_chip], [class*=segmented-tabs_seg], td, th";
  const WHOLE_ELSEWHERE =
    "a, button, [role=option], [title], [class*=tooltip_cut-line], [class*=tooltip_cut-text], article:has(a)";
  const LONGEST_WORD = 16;
  const styles = new Map<Element, CSSStyleDeclaration>();
  const styleOf = (node: Element) => {
    const known = styles.get(node) ?? getComputedStyle(node);
    styles.set(node, known);
    return known;
  };
  const errors = new Set<string>();
  const say = (what: string, node: Element, words: string) =>
    errors.add(`${what}: «${words.trim().slice(0, 60)}» in ${node.localName}.${node.className}`);

  const isOut = (inner: DOMRect, outer: DOMRect, { across = true, along = false, by = 1 } = {}) =>
    (across && (inner.left < outer.left - by || inner.right > outer.right + by)) ||
    (along && (inner.top < outer.top - 4 || inner.bottom > outer.bottom + 4));
  const hides = (value: string) => value === "hidden" || value === "clip";
  const scrolls = (value: string) => value === "auto" || value === "scroll";

  function judge(place: DOMRect, start: Element, words: string): void {
    let boxed = false;
    // The window is checked below: behind a dialog the body clips.
    for (let node: Element | null = start; node && node !== document.body; node = node.parentElement) {
      const style = styleOf(node);
      const outer = node.getBoundingClientRect();
      if (!boxed && node.matches(BOXES)) {
        boxed = true;
        if (isOut(place, outer)) say("sticks out", node, words);
      }
      if (scrolls(style.overflowX) || scrolls(style.overflowY)) return;
      if (style.display === "inline") continue;
      const cut = { across: hides(style.overflowX), along: hides(style.overflowY) };
      if ((cut.across || cut.along) && isOut(place, outer, cut)) {
        const marked = style.textOverflow === "ellipsis" || style.webkitLineClamp !== "none";
        if (!marked || !node.closest(WHOLE_ELSEWHERE)) say("cut", node, words);
        return;
      }
      if (style.position === "fixed") break;
    }
    if (place.right > window.innerWidth + 1 || place.left < -1) say("past the window", start, words);
  }

  function judgeWords(text: Text, start: Element): void {
    for (const { 0: word, index } of text.data.matchAll(/[\p{L}\p{N}]+/gu)) {
      if (word.length < 2 || word.length > LONGEST_WORD) continue;
      const range = document.createRange();
      range.setStart(text, index);
      range.setEnd(text, index + word.length);
      const tops = [...range.getClientRects()].filter(({ width }) => width > 0).map(({ top }) => top);
      if (Math.max(...tops) - Math.min(...tops) > 4) say("broken", start, word);
    }
  }

  const onlySaid = (node: Element | null): boolean =>
    node !== null && (styleOf(node).clipPath.startsWith("inset(") || onlySaid(node.parentElement));
  const seen = (node: Element) =>
    node.checkVisibility({ visibilityProperty: true, opacityProperty: true }) && !onlySaid(node);
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const text = walker.currentNode as Text;
    const start = text.parentElement;
    if (!start || text.data.trim() === "" || start.closest("select, script, style, noscript")) continue;
    if (!seen(start)) continue;
    const range = document.createRange();
    range.selectNodeContents(text);
    const place = range.getBoundingClientRect();
    if (place.width <= 1 || place.height <= 1) continue;
    judge(place, start, text.data);
    if (range.getClientRects().length > 1) judgeWords(text, start);
  }
  for (const node of root.querySelectorAll("button, a, input, select, textarea, img, svg")) {
    const place = node.getBoundingClientRect();
    if (place.width <= 1 || !node.parentElement || !seen(node)) continue;
    judge(place, node.parentElement, node.getAttribute("aria-label") ?? node.textContent ?? "");
  }
  return [...errors];
}
