import type { Logger } from "pino";
import type { Clock } from "../../domain/clock.ts";
import type { AccountLetters } from "../accounts/letters.ts";
import { attemptLimit } from "../accounts/limits.ts";
import { RESET_KEY } from "../accounts/reset-token.ts";
import type { Database } from "../db/client.ts";
import type { Jobs } from "../jobs/boss.ts";
import type { Secrets } from "../secrets.ts";
import { accountLetters } from "./account-letters.ts";
import { deleteOldLetters, MAIL_CHANNEL, nextLetterAt } from "./mail-repo.ts";
import { writeLetter } from "./news.ts";
import { lookForNotices } from "./notices.ts";
import { forgetSeen } from "./notices-repo.ts";
import { letterSender } from "./sender.ts";
import { type NotificationService, notificationService } from "./service.ts";
import type { Sender, SmtpServer } from "./smtp-url.ts";
import { UNSUBSCRIBE_KEY, type Unsubscribing, unsubscribing } from "./unsubscribe.ts";

export type MailConfig = { server: SmtpServer; from: Sender };

export type NotificationsDeps = {
  database: Database;
  secrets: Secrets;
  clock: Clock;
  log: Logger;
  jobs: Jobs;
  publicUrl: string | null;
  /** Null where the operator has named no mail server: nothing is written then either. */
  mail: MailConfig | null;
  /** Whether letters are looked for and sent by this process; what others ask of it at once (a test) any process sends. */
  works: boolean;
};

export type NotificationsFeature = {
  service: NotificationService;
  unsubscribing: Unsubscribing;
  accountLetters: AccountLetters;
  /** For the nightly job. */
  forgetOld(): Promise<void>;
  close(): Promise<void>;
};

/** How often letters that are due, ended campaigns and connections that are down are looked for. */
const LOOK_MS = 5_000;
/** Longer than this a job may not take; the rest is for the next one. */
const JOB_MS = 120_000;
const TESTS = { attempts: 5, seconds: 60 * 60 };
const KEEP_MS = 90 * 86_400_000;

/** Letters: who wants which, what there is to tell, and sending them as jobs that outlive a crash. */
export async function openNotifications(deps: NotificationsDeps): Promise<NotificationsFeature> {
  const { database, secrets, clock, log, jobs, publicUrl, mail } = deps;
  const { db } = database;
  const key = secrets.derive(UNSUBSCRIBE_KEY);
  // The mail library is loaded only where there is a mail server.
  const mailer = mail && (await import("./mailer.ts")).openMailer(mail.server, mail.from);
  const write = writeLetter({ publicUrl, key, resetKey: secrets.derive(RESET_KEY) });
  const sender = mailer && letterSender({ db, mailer, clock, log, write });
  const stops =
    sender && deps.works
      ? await sendInJobs(database, { jobs, log, clock, publicUrl, sendDue: sender.sendDue })
      : [];
  if (!sender) await forgetSeen(db);
  return {
    service: notificationService({
      ...{ clock, publicUrl, sender },
      limitTests: attemptLimit(database, "test-mail", TESTS),
    }),
    unsubscribing: unsubscribing(db, secrets.deriveAll(UNSUBSCRIBE_KEY), clock.now),
    accountLetters: accountLetters({ clock, url: publicUrl, configured: mailer !== null }),
    forgetOld: () => deleteOldLetters(db, new Date(clock.now().getTime() - KEEP_MS)),
    async close() {
      for (const stop of stops) await stop();
      mailer?.close();
    },
  };
}

type Sending = Pick<NotificationsDeps, "jobs" | "log" | "clock" | "publicUrl"> & {
  sendDue(untilMs: number): Promise<number>;
};

/**
 * One kind of job, "send what is due": asked for when a letter is put out, and when one has become due that was put off. Never for a time
 * to come: of these jobs one waits at most, so one that waits for an hour would keep every other letter waiting for as long.
 */
async function sendInJobs(
  database: Database,
  { jobs, log, clock, publicUrl, sendDue }: Sending,
): Promise<(() => Promise<void>)[]> {
  const { db } = database;
  const queue = await jobs.queue({ name: "send-mail", workers: 1, silenceSeconds: 30, pollMs: 5_000 });
  const ask = () =>
    queue.put("now", {}, 0).catch((error: unknown) => log.warn({ err: error }, "letters not sent yet"));
  await queue.work(async () => void (await sendDue(clock.monotonic() + JOB_MS)));
  const listener = await database.listen(
    MAIL_CHANNEL,
    () => void ask(),
    () => void ask(),
  );
  await ask();

  async function look(): Promise<void> {
    const next = await nextLetterAt(db);
    if (next && next <= clock.now()) await ask();
    await lookForNotices({ db, clock, url: publicUrl });
  }
  let looking: Promise<void> | null = null;
  const timer = setInterval(() => {
    looking ??= look()
      .catch((error: unknown) => log.warn({ err: error }, "nothing looked for to tell of"))
      .finally(() => {
        looking = null;
      });
  }, LOOK_MS);
  timer.unref();
  return [
    () => listener.close(),
    async () => {
      clearInterval(timer);
      await looking;
    },
  ];
}
