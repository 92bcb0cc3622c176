import type { dayBarsText as portuguese } from "../day-bars.ts";
import type { Texts } from "../texts.ts";

export const dayBarsText: Texts<typeof portuguese> = { today: "today" };
