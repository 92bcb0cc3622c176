import type { Logger } from "pino";
import type { Clock } from "../../domain/clock.ts";
import type { Db } from "../db/client.ts";
import { type Claimed, claimLetters, dropLetter, noteFailed, noteSent } from "./mail-repo.ts";
import type { Attempt, Letter, Mailer } from "./mailer.ts";

const MINUTE = 60_000;
/** How long a letter is ours once taken; longer than the mailer's time limits together. */
const LEASE_MS = 5 * MINUTE;
/** Waits between attempts; after the last of them the letter is given up. Mail servers that put strangers off want minutes to hours. */
const WAITS_MS = [5, 15, 30, 60, 120, 240, 480].map((minutes) => minutes * MINUTE);
/** Sent at a time. Each is taken when its turn comes: of many taken together the last would wait for longer than they are ours. */
const AT_ONCE = 2;

export type SenderDeps = {
  db: Db;
  mailer: Mailer;
  clock: Clock;
  log: Logger;
  /** The letter as it goes out: news with the way to have no more of them. Null: its link needs our address, which nobody has said. */
  write(letter: Claimed): Letter | null;
};

export type LetterSender = {
  /** Sends what is due until nothing is, or until `untilMs` (monotonic). Answers how many went out. */
  sendDue(untilMs: number): Promise<number>;
  /** Sends this one now and never again by itself, whatever comes of it. */
  sendOnce(id: number): Promise<void>;
};

/**
 * Letters out of the table `mail`. Each is taken in one statement, so that of several processes one sends it. Should we die between the
 * server's yes and our noting it, it goes out again under the same Message-ID.
 */
export function letterSender({ db, mailer, clock, log, write }: SenderDeps): LetterSender {
  async function attempt(letter: Claimed, again: boolean): Promise<boolean> {
    if (letter.over) {
      await dropLetter(db, letter.id);
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

  async function claim(only?: number): Promise<Claimed | undefined> {
    const one = only === undefined ? {} : { only };
    const [letter] = await claimLetters(db, { now: clock.now(), leaseMs: LEASE_MS, limit: 1, ...one });
    return letter;
  }

  return {
    async sendDue(untilMs) {
      let sent = 0;
      const worker = async () => {
        while (clock.monotonic() < untilMs) {
          const letter = await claim();
          if (!letter) return;
          if (await attempt(letter, true)) sent++;
        }
      };
      await Promise.all(Array.from({ length: AT_ONCE }, worker));
      return sent;
    },

    async sendOnce(id) {
      const letter = await claim(id);
      if (letter) await attempt(letter, false);
    },
  };
}
