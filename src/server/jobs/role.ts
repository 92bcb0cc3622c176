import type { WorkSignals } from "../db/work-signals.ts";

/** `works`: takes jobs. Otherwise only adds them and signals the workers. */
export type JobsRole = { works: boolean; signals: Pick<WorkSignals, "tell" | "hear"> };

/** All processes work, so none needs a signal. */
export const WORKS: JobsRole = { works: true, signals: { tell: () => undefined, hear: () => undefined } };
