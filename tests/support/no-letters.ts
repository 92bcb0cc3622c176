import { systemClock } from "../../src/server/base/clock.ts";
import { accountEmails } from "../../src/server/notifications/account-emails.ts";

export const noEmails = accountEmails({ clock: systemClock, url: null, configured: false });
