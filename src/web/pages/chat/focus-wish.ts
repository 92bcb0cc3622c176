import type { RefObject } from "react";

/** Where the keyboard shall be once it is there: in the conversation that was just opened, or back in the list. */
export type FocusWish = RefObject<"talk" | "list" | null>;
