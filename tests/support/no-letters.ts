import { systemClock } from "../../src/server/base/clock.ts";
import { accountEmails } from "../../src/server/notifications/account-emails.ts";

/** As where no mail server is configured. */
export const noEmails = accountEmails({ clock: systemClock, url: null, configured: false });
