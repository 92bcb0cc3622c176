import { AppError } from "../../../domain/errors.ts";
import type { GuardedFetch } from "../../net/guarded-fetch.ts";

/** Tells of moments in which a gateway may have lost messages without a change of the instance's state that we saw. */
export function makeInterruptions() {
  const listeners = new Set<() => void>();
  return {
    tell: (): void => {
      for (const listener of listeners) listener();
    },
    listen: (listener: () => void) => {
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
      };
    },
  };
}

/** What a proxy answers in the place of a gateway that is away. */
const AWAY = new Set([502, 503, 504]);

/** Failures of a call that was answered. */
const ANSWERS = new Set<unknown>(["too_large", "redirect"]);

/** Calls `silent` when the gateway does not answer. It may be starting again, and forgets the webhooks it had to repeat. */
export function noticeSilence(
  guardedFetch: Pick<GuardedFetch, "fetch">,
  silent: () => void,
): Pick<GuardedFetch, "fetch"> {
  return {
    fetch: async (url, options) => {
      try {
        const answer = await guardedFetch.fetch(url, options);
        if (AWAY.has(answer.status)) silent();
        return answer;
      } catch (error) {
        if (error instanceof AppError && error.code === "url_failed" && !ANSWERS.has(error.details.reason))
          silent();
        throw error;
      }
    },
  };
}
