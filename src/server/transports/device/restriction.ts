import type { WASocket } from "baileys";
import type { Logger } from "pino";
import type { Outcome, OutgoingMessage } from "../transport.ts";
import { type Screen, type Timelock, UNKNOWN_LOCK_MS } from "./screen.ts";
import type { Timelocks } from "./timelock.ts";

type Stop = Extract<Outcome, { kind: "stop" }>;
type IsWarm = OutgoingMessage["isWarm"];
type Deps = { screen: Screen; timelocks: Timelocks; now: () => Date; log: Logger };

/**
 * So many people in a row may be refused with 463 (or 479) by themselves. More are the number's trouble, whatever WhatsApp says of it: else a
 * whole campaign would be called failed.
 */
export const FEW_REFUSALS = 3;

/** WhatsApp did not say whether the number is restricted: asked again, by the next refusal, after this long. */
const UNANSWERED_LOCK_MS = 5 * 60_000;

/** What refusal 463 means for one number: whom it keeps from being written to, and until when. */
export class Restriction {
  readonly #deps: Deps;
  /** Cold people refused in a row while WhatsApp said that the number is not restricted, and warm ones whatever it said. */
  #coldInRow = 0;
  #warmInRow = 0;
  /** WhatsApp did not answer whether there is a restriction. */
  #unansweredUntil: Date | null = null;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Another number is linked: what was counted of the one before says nothing of it. */
  forget(): void {
    this.#coldInRow = 0;
    this.#warmInRow = 0;
    this.#unansweredUntil = null;
  }

  accepted(): void {
    this.#coldInRow = 0;
    this.#warmInRow = 0;
  }

  /** Until when cold people wait; null: there is no restriction. */
  until(): Date | null {
    const shown = this.#deps.screen.restriction();
    if (shown) return shown.until;
    const unanswered = this.#unansweredUntil;
    return unanswered && unanswered > this.#deps.now() ? unanswered : null;
  }

  /** Why this person is neither looked up nor written to now; null: they may be. A try within a restriction prolongs it. */
  async stopFor(isWarm: IsWarm): Promise<Stop | null> {
    const until = this.until();
    if (!until) return null;
    if (this.#deps.screen.restriction()?.everybody) return stopped("timelocked", until);
    return (await this.#isWarm(isWarm)) ? null : stopped("new_conversation", until);
  }

  /** WhatsApp has refused this person with 463. */
  async refused(sock: WASocket, isWarm: IsWarm): Promise<Outcome> {
    const answer = await this.#ask(sock);
    if (await this.#isWarm(isWarm)) return this.#warmRefused(answer);
    this.#coldInRow += 1;
    if (answer) return stopped("new_conversation", this.#lock(answer));
    if (this.#coldInRow <= FEW_REFUSALS) return REFUSED;
    return stopped("new_conversation", this.#lock(this.#guess()));
  }

  /** A refusal of that message alone; too many in a row, and the number rests. */
  #warmRefused(answer: Timelock | "unanswered" | null): Outcome {
    this.#warmInRow += 1;
    if (this.#warmInRow <= FEW_REFUSALS) {
      if (answer) this.#lock(answer);
      return REFUSED;
    }
    const lock = answer === null || answer === "unanswered" ? this.#guess() : answer;
    return stopped("timelocked", this.#lock({ ...lock, everybody: true }));
  }

  /** Stores the restriction, and answers until when it lasts. An unanswered question reaches no screen: it proves no restriction. */
  #lock(lock: Timelock | "unanswered"): Date {
    const { screen, now } = this.#deps;
    if (lock !== "unanswered") {
      // A guess made once stands: each refusal of a warm person would put it off by a day.
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

  /** Unknown counts as cold: they wait, which harms less than a refusal. */
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

  /**
   * The restriction as WhatsApp tells it; null: it says that there is none. Baileys never asks by itself after a refusal 463 (its branch
   * cannot be reached).
   */
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
