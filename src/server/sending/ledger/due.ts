/**
 * Twice the longest wait: a later time was set before the database clock was put back, and would delay by an
 * hour or a day.
 */
const LONGEST_WAIT = "interval '30 minutes'";

export const isDue = (notBefore: string): string =>
  `(${notBefore} is null or ${notBefore} <= now() or ${notBefore} > now() + ${LONGEST_WAIT})`;

export const IS_TIME = "(send_at is null or send_at <= now())";
