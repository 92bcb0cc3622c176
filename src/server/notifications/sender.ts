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
/** How long a letter is ours once taken; longer than the mailer's time limits together. */
const LEASE_MS = 5 * MINUTE;
/** Waits between attempts; after the last of them the letter is given up. Mail servers that put strangers off want minutes to hours. */
const WAITS_MS = [5, 15, 30, 60, 120, 240, 480].map((minutes) => minutes * MINUTE);

export type SenderDeps = {
  db: Db;
  mailer: Mailer;
  clock: Clock;
  log: Logger;
  /** The letter as it goes out: news with the way to have no more of them. Null: its link needs our address, which nobody has said. */
  write(letter: Claimed): Email | null;
};

/** Sent at a time by a command, which has no queue of its own. */
const AT_ONCE = 2;

export type EmailSender = {
  /** Accounts with a letter of this queue that may go out now. */
  accounts(queue: EmailQueue): Promise<string[]>;
  /** Sends the account's next letter of this queue. */
  sendNext(accountId: string, queue: EmailQueue): Promise<"sent" | "not sent" | "none">;
  /** Sends what is due until nothing is, or until `untilMs` (monotonic). Answers how many went out. */
  sendDue(untilMs: number): Promise<number>;
  /** Sends this one now and never again by itself, whatever comes of it. */
  sendOnce(id: number): Promise<void>;
};

/**
 * Letters out of the table `mail`. Each is taken in one statement, so that of several processes one sends it. Should we die between the
 * server's yes and our noting it, it goes out again under the same Message-ID.
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

  /** A letter of each account in turn. Answers how many went out; null when there was none to send. */
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
