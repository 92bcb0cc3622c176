import type { LucideIcon } from "../components/icon.tsx";

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

/** Those that hold every typed word; first those whose label has a word that begins with the first one. */
export function matching(options: readonly PaletteOption[], typed: string): PaletteOption[] {
  const words = folded(typed).split(/\s+/).filter(Boolean);
  const [first] = words;
  if (first === undefined) return [...options];
  const begins = ({ label }: PaletteOption) => ` ${folded(label)}`.includes(` ${first}`);
  const found = options.filter((option) => {
    const text = folded(`${option.label} ${option.also ?? ""}`);
    return words.every((word) => text.includes(word));
  });
  return [...found.filter(begins), ...found.filter((option) => !begins(option))];
}
