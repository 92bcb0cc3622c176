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
  write(letter: Claimed): Email | null;
};

/** For a command, which has no queue. */
const AT_ONCE = 2;

export type EmailSender = {
  accounts(queue: EmailQueue): Promise<string[]>;
  sendNext(accountId: string, queue: EmailQueue): Promise<"sent" | "not sent" | "none">;
  /** Until none is due or `untilMs` (monotonic); answers the number sent. */
  sendDue(untilMs: number): Promise<number>;
  /** A single attempt now, without retries. */
  sendOnce(id: number): Promise<void>;
};

/**
 * Sends the table `mail`; one statement claims each, so one process sends it. A crash before recording
 * success repeats it with the same Message-ID.
 */
export function emailSender({ db, mailer, clock, log, write }: SenderDeps): EmailSender {
  async function attempt(letter: Claimed, again: boolean): Promise<boolean> {
    if (letter.over) {
      await dropEmail(db, letter.id);
      return false;
    }
    const written = write(letter);
    const result: Attempt = written
      ? await mailer.send(written)
      : { sent: false, code: "mail_not_configured", again: true };
    const now = clock.now();
    if (result.sent) {
      await noteSent(db, letter.id, now);
      return true;
    }
    const wait = again && result.again ? WAITS_MS[letter.tries - 1] : undefined;
    const next = wait === undefined ? null : new Date(now.getTime() + wait);
    log.warn({ mail: letter.id, kind: letter.kind, code: result.code, again: next }, "letter not sent");
    await noteFailed(db, letter.id, { error: result.code, again: next, now });
    return false;
  }

  const accounts = (queue: EmailQueue) => accountsWithEmails(db, { now: clock.now(), queue });

  async function sendNext(accountId: string, queue: EmailQueue) {
    const wanted = { accountId, queue, now: clock.now() };
    const letter = await claimEmail(db, wanted, { leaseMs: LEASE_MS });
    if (!letter) return "none";
    return (await attempt(letter, true)) ? "sent" : "not sent";
  }

  /** One per account; null when none was due. */
  async function sendRound(queue: EmailQueue, untilMs: number): Promise<number | null> {
    const waiting = await accounts(queue);
    let [sent, tried] = [0, 0];
    const worker = async () => {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
        if (clock.monotonic() >= untilMs) return;
        const outcome = await sendNext(next, queue);
        if (outcome !== "none") tried++;
        if (outcome === "sent") sent++;
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, worker));
    return tried === 0 ? null : sent;
  }

  return {
    accounts,
    sendNext,

    async sendDue(untilMs) {
      let sent = 0;
      for (const queue of ["urgent", "other"] as const)
        for (let round = await sendRound(queue, untilMs); round !== null; )
          [sent, round] = [sent + round, await sendRound(queue, untilMs)];
      return sent;
    },

    async sendOnce(id) {
      const letter = await claimEmail(db, { now: clock.now(), only: id }, { leaseMs: LEASE_MS });
      if (letter) await attempt(letter, false);
    },
  };
}
