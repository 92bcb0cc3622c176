import { folded } from "../lib/folded.ts";
import type { LucideIcon } from "../ui/icon.tsx";

export const GROUPS = ["actions", "screens", "campaigns", "lists", "contacts", "templates"] as const;
export type Group = (typeof GROUPS)[number];

export type PaletteOption = {
  id: string;
  group: Group;
  icon: LucideIcon;
  label: string;
  lang?: string;
  detail?: string;
  also?: string;
  chosen?: boolean;
  run: () => void;
};

/** Every typed word must begin a word; label matches first. */
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
