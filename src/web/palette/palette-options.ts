import type { LucideIcon } from "../ui/icon.tsx";

export const GROUPS = ["actions", "screens", "campaigns", "lists", "contacts"] as const;
export type Group = (typeof GROUPS)[number];

/** A line of the palette. */
export type PaletteOption = {
  /** The same as long as the line means the same. */
  id: string;
  group: Group;
  icon: LucideIcon;
  label: string;
  /** Of the label, where it is not the page's. */
  lang?: string;
  /** Said at the right, less loudly. */
  detail?: string;
  /** Words that are not shown, by which it is found too. */
  also?: string;
  /** The one in force, among choices. */
  chosen?: boolean;
  run: () => void;
};

/** Letters without case and accents, as the searches of the server take them. */
export const folded = (text: string) => text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();

/** Those in which every typed word begins a word, first those whose label has the first one: «vol» means no «Evolution». */
export function matching(options: readonly PaletteOption[], typed: string): PaletteOption[] {
  const words = folded(typed).split(/\s+/).filter(Boolean);
  const [first] = words;
  if (first === undefined) return [...options];
  const begins = (text: string, word: string) => ` ${folded(text)}`.includes(` ${word}`);
  const found = options.filter(({ label, also = "" }) =>
    words.every((word) => begins(`${label} ${also}`, word)),
  );
  const named = found.filter(({ label }) => begins(label, first));
  return [...named, ...found.filter((option) => !named.includes(option))];
}
