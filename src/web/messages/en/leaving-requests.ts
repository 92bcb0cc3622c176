import { formatNumber } from "../format.ts";
import type { leavingRequestsText as portuguese } from "../leaving-requests.ts";
import type { Texts } from "../texts.ts";

export const leavingRequestsText: Texts<typeof portuguese> = {
  title: "Wants to leave?",
  all: "Want to leave?",
  open: (count) => `Want to leave? (${formatNumber(count)})`,
  wrote: (text) => `Wrote “${text}”.`,
  until: "Left out of campaigns until you decide.",
  section:
    "What these people wrote looks like a request to leave. They are left out of campaigns until you decide, and got no notice.",
  list: "People who may want to leave",
  more: (shown, total) => `The ${shown} newest of ${formatNumber(total)}.`,
  leaves: "Unsubscribe",
  stays: "No, keep sending",
  leavesLabel: (who) => `Unsubscribe: ${who}`,
  staysLabel: (who) => `No, keep sending: ${who}`,
  left: (who) => `${who} gets no more campaigns`,
  stayed: (who) => `${who} keeps getting campaigns`,
  undone: (who) => `${who} is left out of campaigns until you decide`,
  failed: "The decision could not be made.",
  badge: "May want to leave",
};
