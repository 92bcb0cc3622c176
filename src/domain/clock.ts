/** Time as an argument, so that rules and tests decide what "now" is. */
export type Clock = {
  /** Wall time: for what people read and for schedules. It may jump when the machine's clock is corrected. */
  now(): Date;
  /** Milliseconds that only ever grow: for pacing, leases and time limits. Without a meaning across processes. */
  monotonic(): number;
};
