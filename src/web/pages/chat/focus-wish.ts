import type { RefObject } from "react";

/** Where to move the focus once it is drawn: the opened chat or the list. */
export type FocusWish = RefObject<"talk" | "list" | null>;
