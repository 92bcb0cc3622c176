import { systemClock } from "../../src/server/base/clock.ts";
import { accountLetters } from "../../src/server/notifications/account-emails.ts";

/** As where no mail server is configured. */
export const noLetters = accountLetters({ clock: systemClock, url: null, configured: false });
