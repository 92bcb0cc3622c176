/** At one question in about six seconds these take a working day. */
export const CHECKS_MOST = 5_000;

/** Between two questions to WhatsApp, on average. */
export const CHECK_MS = 6_000;
