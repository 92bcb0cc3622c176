/** Passed as an argument, so that tests control time. */
export type Clock = {
  /** Wall time; it may jump when the system clock is corrected. */
  now(): Date;
  /** Never decreasing milliseconds for pacing, leases and time limits; not comparable between processes. */
  monotonic(): number;
};
