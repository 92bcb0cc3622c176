import type { WASocket } from "baileys";
import type { Logger } from "pino";
import type { Outcome, WireMessage } from "../transport.ts";
import { type Screen, type Timelock, UNKNOWN_LOCK_MS } from "./screen.ts";
import type { Timelocks } from "./timelock.ts";

type Stop = Extract<Outcome, { kind: "stop" }>;
type IsWarm = WireMessage["isWarm"];
type Deps = {
  screen: Screen;
  timelocks: Timelocks;
  readQuota: () => Promise<void>;
  now: () => Date;
  log: Logger;
};

/**
 * More refusals (463, 479) in a row are the number's problem; otherwise a whole campaign would be marked
 * failed.
 */
export const FEW_REFUSALS = 3;

/** WhatsApp did not say whether the number is restricted; ask again after this. */
const UNANSWERED_LOCK_MS = 5 * 60_000;

/** Who may not be written to after refusal 463, and until when. */
export class Restriction {
  readonly #deps: Deps;
  /** Cold people while WhatsApp denied a restriction; warm people always. */
  #coldInRow = 0;
  #warmInRow = 0;
  #unansweredUntil: Date | null = null;
  /** A person was refused while WhatsApp's quota was used up: others wait until it is not. */
  #isQuotaUsed = false;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Counts belong to one number. */
  forget(): void {
    this.#coldInRow = 0;
    this.#warmInRow = 0;
    this.#unansweredUntil = null;
    this.#isQuotaUsed = false;
  }

  accepted(): void {
    this.#coldInRow = 0;
    this.#warmInRow = 0;
  }

  /** For cold people; null: none. */
  until(): Date | null {
    const shown = this.#deps.screen.restriction();
    if (shown) return shown.until;
    const usedUntil = this.#isQuotaUsed ? this.#deps.screen.quotaUsedUntil(this.#deps.now()) : null;
    if (usedUntil) return usedUntil;
    this.#isQuotaUsed = false;
    const unanswered = this.#unansweredUntil;
    return unanswered && unanswered > this.#deps.now() ? unanswered : null;
  }

  /** Null: allowed. An attempt during a restriction prolongs it. */
  async stopFor(isWarm: IsWarm): Promise<Stop | null> {
    const until = this.until();
    if (!until) return null;
    if (this.#deps.screen.restriction()?.everybody) return stopped("timelocked", until);
    return (await this.#isWarm(isWarm)) ? null : stopped("new_conversation", until);
  }

  async refused(sock: WASocket, isWarm: IsWarm): Promise<Outcome> {
    const answer = await this.#ask(sock);
    await this.#deps.readQuota();
    if (await this.#isWarm(isWarm)) return this.#warmRefused(answer);
    this.#coldInRow += 1;
    if (answer) return stopped("new_conversation", this.#lock(answer));
    const usedUntil = this.#deps.screen.quotaUsedUntil(this.#deps.now());
    if (usedUntil) {
      this.#isQuotaUsed = true;
      return stopped("new_conversation", usedUntil);
    }
    if (this.#coldInRow <= FEW_REFUSALS) return REFUSED;
    return stopped("new_conversation", this.#lock(this.#guess()));
  }

  /** Refusal of one message only; too many in a row pause the number. */
  #warmRefused(answer: Timelock | "unanswered" | null): Outcome {
    this.#warmInRow += 1;
    if (this.#warmInRow <= FEW_REFUSALS) {
      if (answer) this.#lock(answer);
      return REFUSED;
    }
    const lock = answer === null || answer === "unanswered" ? this.#guess() : answer;
    return stopped("timelocked", this.#lock({ ...lock, everybody: true }));
  }

  /** Returns the end. Without WhatsApp's answer nothing is shown, because no restriction is proven. */
  #lock(lock: Timelock | "unanswered"): Date {
    const { screen, now } = this.#deps;
    if (lock !== "unanswered") {
      // Otherwise each refusal of a warm person would postpone the end by a day.
      const stands = lock.known ? null : screen.restriction();
      const next = stands ? { ...stands, everybody: lock.everybody === true } : lock;
      screen.timelock(next);
      return next.until;
    }
    const until = this.until() ?? new Date(now().getTime() + UNANSWERED_LOCK_MS);
    this.#unansweredUntil = until;
    return until;
  }

  #guess(): Timelock {
    return { until: new Date(this.#deps.now().getTime() + UNKNOWN_LOCK_MS), known: false };
  }

  /** Unknown counts as cold: waiting harms less than a refusal. */
  async #isWarm(isWarm: IsWarm): Promise<boolean> {
    if (!isWarm) return false;
    return isWarm().catch((error: unknown) => {
      this.#deps.log.warn(
        { err: error },
        "it is not known whether the person has a conversation with the number",
      );
      return false;
    });
  }

  /** Null: none. Baileys never asks after a 463 (unreachable branch). */
  async #ask(sock: WASocket): Promise<Timelock | "unanswered" | null> {
    const answer = await this.#deps.timelocks.ask(sock);
    if (!answer) return "unanswered";
    if (!answer.isActive) return null;
    const end = answer.timeEnforcementEnds;
    return end ? { until: end, known: true } : this.#guess();
  }
}

const REFUSED = { kind: "refused", code: "wa_463", passing: false } as const;

const stopped = (cause: Stop["cause"], until: Date): Stop => ({
  kind: "stop",
  cause,
  retryAt: until.getTime(),
});
