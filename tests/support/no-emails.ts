import { systemClock } from "../../src/server/base/clock.ts";
import { QueuedAccountEmails } from "../../src/server/notifications/account-emails.ts";

export const noEmails = new QueuedAccountEmails({ clock: systemClock, url: null, configured: false });
