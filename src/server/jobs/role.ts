import type { WorkSignals } from "../db/work-signals.ts";

/** How a process takes part: `works` says whether it takes jobs or only puts them, for others whom `signals` tell. */
export type JobsRole = { works: boolean; signals: Pick<WorkSignals, "tell" | "hear"> };

/** Alone, or among others who all work: nobody has to be told. */
export const WORKS: JobsRole = { works: true, signals: { tell: () => undefined, hear: () => undefined } };
