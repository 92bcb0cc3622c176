import type { WASocket } from "baileys";
import type { Logger } from "pino";
import { z } from "zod";
import type { Clock } from "../../../domain/clock.ts";
import { type NewChats, newChatsLeft } from "../../../domain/new-chats.ts";
import { type Coalesced, coalesced } from "../../base/coalesced.ts";
import type { Screen } from "./screen.ts";

type NewChatDeps = {
  open: () => WASocket | null;
  screen: Pick<Screen, "newChats">;
  clock: Pick<Clock, "now">;
  after: (ms: number, call: () => void) => () => void;
  everyMs: number;
  log: Logger;
};

/** Most accounts have no quota and get an error or -1. */
export class NewChatQuota {
  readonly #deps: NewChatDeps;
  readonly #query: Coalesced = coalesced(() => this.#ask());
  #cancel: (() => void) | null = null;

  constructor(deps: NewChatDeps) {
    this.#deps = deps;
  }

  follow(ready: boolean): void {
    if (ready === (this.#cancel !== null)) return;
    this.#cancel?.();
    this.#cancel = null;
    if (ready) this.#askRegularly();
  }

  ask(): void {
    this.#query.ask();
  }

  /** Once an answer to a question asked from now on is read, or none came. */
  async read(): Promise<void> {
    this.ask();
    await this.#query.idle();
  }

  /** WhatsApp's notices may be old or incomplete, so they only cause a query. */
  listen(sock: WASocket): void {
    sock.ev.on("message-capping.update", () => this.ask());
  }

  #askRegularly(): void {
    const { after, everyMs } = this.#deps;
    this.#cancel = after(everyMs, () => this.#askRegularly());
    this.ask();
  }

  async #ask(): Promise<void> {
    const { open, screen, clock, log } = this.#deps;
    const sock = open();
    if (!sock) return;
    const answer: unknown = await sock.fetchNewChatMessageCap().catch((error: unknown) => {
      log.debug({ err: error }, "WhatsApp did not say how many new conversations are left");
      return null;
    });
    // The number behind another socket may be another one.
    if (open() === sock) screen.newChats(readQuota(answer, clock.now()));
  }
}

/** In seconds, the year 2286. */
const MOST = 9_999_999_999;
const Whole = z
  .union([z.number(), z.string().regex(/^\d{1,10}$/)])
  .pipe(z.coerce.number<string | number>().int().min(0).max(MOST));

const Quota = z.object({
  total_quota: Whole.refine((total) => total > 0),
  used_quota: Whole,
  cycle_end_timestamp: Whole,
  capping_status: z.unknown(),
});

/** Null: unknown, as for -1, no end or an old cycle. */
export function readQuota(answer: unknown, now: Date): NewChats | null {
  const read = Quota.safeParse(answer);
  if (!read.success) return null;
  const { total_quota, used_quota, cycle_end_timestamp, capping_status } = read.data;
  const quota = {
    total: total_quota,
    used: used_quota,
    capped: capping_status === "CAPPED",
    until: new Date(cycle_end_timestamp * 1000).toISOString(),
    readAt: now.toISOString(),
  };
  return newChatsLeft(quota, now) === null ? null : quota;
}
