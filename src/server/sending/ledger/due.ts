/**
 * Twice as long as anybody waits: a time beyond it was set before the database's clock was put back, and whoever waited until that comes
 * round again would do so for an hour, or a day.
 */
const LONGEST_WAIT = "interval '30 minutes'";

/** SQL: the time to which a row was put off (null: it was not) has come. */
export const isDue = (notBefore: string): string =>
  `(${notBefore} is null or ${notBefore} <= now() or ${notBefore} > now() + ${LONGEST_WAIT})`;
