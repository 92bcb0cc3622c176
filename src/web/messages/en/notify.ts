import { counted, formatNumber } from "../format.ts";
import type { notifyText as portuguese } from "../notify.ts";
import type { Texts } from "../texts.ts";

export const notifyText: Texts<typeof portuguese> = {
  ended: (name) => `Campaign completed: ${name}`,
  endedText: (sent, total) => `${formatNumber(sent)} of ${counted(total, "message", "messages")} sent.`,
  endedWithErrors: (name) => `Campaign completed with failures: ${name}`,
  failures: ({ sent, total, errors, uncertain, accepted }) => {
    const parts = [
      `${formatNumber(sent)} of ${counted(total, "message", "messages")} sent`,
      errors > 0 && counted(errors, "error", "errors"),
      uncertain > 0 && `${formatNumber(uncertain)} unconfirmed`,
      accepted > 0 && `${formatNumber(accepted)} without confirmation`,
    ];
    return `${parts.filter(Boolean).join(", ")}.`;
  },
  failed: (name) => `Campaign failed: ${name}`,
  failedText: "No message was sent. See the reason in the details.",
  paused: (name) => `Campaign paused: ${name}`,
  empty: "New message",
  manyTitle: "New messages",
  many: (count) => `${formatNumber(count)} conversations with new messages.`,
};
