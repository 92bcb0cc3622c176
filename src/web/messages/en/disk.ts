import type { diskText as portuguese } from "../disk.ts";
import type { Texts } from "../texts.ts";

export const diskText: Texts<typeof portuguese> = {
  label: "Disk space",
  fact: "The disk of this installation is almost full.",
  after:
    "Once it is full, nothing more can be stored: messages wait, and imports and changes are refused until there is room. What is already stored is not lost.",
  next: "The administrator makes room in the data folder or enlarges the disk; everything goes on by itself.",
};
