import type { Logger } from "pino";
import type { Clock } from "../../domain/clock.ts";
import type { Db } from "../db/client.ts";
import {
  accountsWithEmails,
  type Claimed,
  claimEmail,
  dropEmail,
  type EmailQueue,
  noteFailed,
  noteSent,
} from "./mail-repo.ts";
import type { Attempt, Email, Mailer } from "./mailer.ts";

const MINUTE = 60_000;
/** Longer than all time limits of the mailer together. */
const LEASE_MS = 5 * MINUTE;
/** Then it is given up. Greylisting takes minutes to hours. */
const WAITS_MS = [5, 15, 30, 60, 120, 240, 480].map((minutes) => minutes * MINUTE);

export type SenderDeps = {
  db: Db;
  mailer: Mailer;
  clock: Clock;
  log: Logger;
  /** Null: its link needs RECADO_URL. */
  write(email: Claimed): Email | null;
};

/** For a command, which has no queue. */
const AT_ONCE = 2;

type Sent = "sent" | "not sent" | "none";

export class EmailSender {
  readonly #deps: SenderDeps;

  constructor(deps: SenderDeps) {
    this.#deps = deps;
  }

  accounts(queue: EmailQueue): Promise<string[]> {
    return accountsWithEmails(this.#deps.db, { now: this.#deps.clock.now(), queue });
  }

  async sendNext(accountId: string, queue: EmailQueue): Promise<Sent> {
    const { db, clock } = this.#deps;
    const wanted = { accountId, queue, now: clock.now() };
    const email = await claimEmail(db, wanted, { leaseMs: LEASE_MS });
    if (!email) return "none";
    return (await this.#attempt(email, { retry: true })) ? "sent" : "not sent";
  }

  /** Until none is due or `untilMs` (monotonic); answers the number sent. */
  async sendDue(untilMs: number): Promise<number> {
    let sent = 0;
    for (const queue of ["urgent", "other"] as const)
      for (let round = await this.#sendRound(queue, untilMs); round !== null; )
        [sent, round] = [sent + round, await this.#sendRound(queue, untilMs)];
    return sent;
  }

  /** A single attempt now, without retries. */
  async sendOnce(id: number): Promise<void> {
    const { db, clock } = this.#deps;
    const email = await claimEmail(db, { now: clock.now(), only: id }, { leaseMs: LEASE_MS });
    if (email) await this.#attempt(email, { retry: false });
  }

  /** One per account; null when none was due. */
  async #sendRound(queue: EmailQueue, untilMs: number): Promise<number | null> {
    const waiting = await this.accounts(queue);
    let [sent, tried] = [0, 0];
    const worker = async () => {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
        if (this.#deps.clock.monotonic() >= untilMs) return;
        const outcome = await this.sendNext(next, queue);
        if (outcome !== "none") tried++;
        if (outcome === "sent") sent++;
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, worker));
    return tried === 0 ? null : sent;
  }

  /** Answers whether it was sent. */
  async #attempt(email: Claimed, { retry }: { retry: boolean }): Promise<boolean> {
    const { db, clock, log } = this.#deps;
    if (email.over) {
      await dropEmail(db, email.id);
      return false;
    }
    const result = await this.#send(email);
    const now = clock.now();
    if (result.sent) {
      await noteSent(db, email.id, now);
      return true;
    }
    const wait = retry && result.again ? WAITS_MS[email.tries - 1] : undefined;
    const again = wait === undefined ? null : new Date(now.getTime() + wait);
    log.warn({ mail: email.id, kind: email.kind, code: result.code, again }, "e-mail not sent");
    await noteFailed(db, email.id, { error: result.code, again, now });
    return false;
  }

  async #send(email: Claimed): Promise<Attempt> {
    const { write, mailer } = this.#deps;
    const written = write(email);
    return written ? mailer.send(written) : { sent: false, code: "mail_not_configured", again: true };
  }
}
