import { AppError } from "../../../domain/errors.ts";
import type { GuardedFetch } from "../../net/guarded-fetch.ts";

/** Times in which messages may be lost without a state change. */
export class Interruptions {
  readonly #listeners = new Set<() => void>();

  notify(): void {
    for (const listener of this.#listeners) listener();
  }

  /** Returns the unsubscribe function. */
  listen(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  }
}

/** A proxy's answers when the gateway is down. */
const AWAY = new Set([502, 503, 504]);

/** Errors of a call that was answered. */
const ANSWERS = new Set<unknown>(["too_large", "redirect"]);

/** A restarting gateway forgets webhooks it had to repeat. */
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
