import type { Logger } from "pino";
import type { Clock } from "../../domain/clock.ts";
import type { AccountEmails } from "../accounts/emails.ts";
import { attemptLimit } from "../accounts/limits.ts";
import { CONFIRM_KEY, RESET_KEY } from "../accounts/link-token.ts";
import type { Sender, SmtpServer } from "../base/smtp-url.ts";
import type { Database } from "../db/client.ts";
import type { Secrets } from "../db/secrets.ts";
import type { FairQueues } from "../jobs/fair-queue.ts";
import { StoredWork } from "../jobs/stored-work.ts";
import { accountEmails } from "./account-emails.ts";
import { deleteOldEmails, type EmailQueue, MAIL_CHANNEL } from "./mail-repo.ts";
import { writeEmail } from "./news.ts";
import { lookForNotices } from "./notices.ts";
import { forgetSeen } from "./notices-repo.ts";
import { type EmailSender, emailSender } from "./sender.ts";
import { type NotificationService, notificationService } from "./service.ts";
import { UNSUBSCRIBE_KEY, type Unsubscribing, unsubscribing } from "./unsubscribe.ts";

export type MailConfig = { server: SmtpServer; from: Sender };

export type NotificationsDeps = {
  database: Database;
  secrets: Secrets;
  clock: Clock;
  log: Logger;
  /** Accounts take turns in it. */
  queues: Pick<FairQueues, "open">;
  publicUrl: string | null;
  /** Null where the operator has named no mail server: nothing is written then either. */
  mail: MailConfig | null;
  /** Whether letters are looked for and sent by this process; what others ask of it at once (a test) any process sends. */
  works: boolean;
};

export type NotificationsFeature = {
  service: NotificationService;
  unsubscribing: Unsubscribing;
  accountEmails: AccountEmails;
  /** For the nightly job. */
  forgetOld(): Promise<void>;
  close(): Promise<void>;
};

/** How often letters that are due, ended campaigns and connections that are down are looked for. */
const LOOK_MS = 5_000;
/** Letters that a process sends at once, of each queue: a link never waits for the others. */
const AT_ONCE: Readonly<Record<EmailQueue, number>> = { urgent: 1, other: 2 };
const TESTS = { attempts: 5, seconds: 60 * 60 };
const KEEP_MS = 90 * 86_400_000;

/** Letters: who wants which, what there is to tell, and sending them as jobs that outlive a crash. */
export async function openNotifications(deps: NotificationsDeps): Promise<NotificationsFeature> {
  const { database, secrets, clock, log, publicUrl, mail } = deps;
  const { db } = database;
  const key = secrets.derive(UNSUBSCRIBE_KEY);
  // The mail library is loaded only where there is a mail server.
  const mailer = mail && (await import("./mailer.ts")).openMailer(mail.server, mail.from);
  const write = writeEmail({
    ...{ publicUrl, key },
    resetKey: secrets.derive(RESET_KEY),
    confirmKey: secrets.derive(CONFIRM_KEY),
  });
  const sender = mailer && emailSender({ db, mailer, clock, log, write });
  const stops = sender && deps.works ? await sendInTurns(database, { ...deps, sender }) : [];
  if (!sender) await forgetSeen(db);
  return {
    service: notificationService({
      ...{ clock, publicUrl, sender },
      limitTests: attemptLimit(database, "test-mail", TESTS),
    }),
    unsubscribing: unsubscribing(db, secrets.deriveAll(UNSUBSCRIBE_KEY), clock.now),
    accountEmails: accountEmails({ clock, url: publicUrl, configured: mailer !== null }),
    forgetOld: () => deleteOldEmails(db, new Date(clock.now().getTime() - KEEP_MS)),
    async close() {
      for (const stop of stops) await stop();
      mailer?.close();
    },
  };
}

type Sending = Pick<NotificationsDeps, "queues" | "log" | "clock" | "publicUrl"> & {
  sender: Pick<EmailSender, "accounts" | "sendNext">;
};

/** Sends what is due: as soon as a letter is put out, and when one has become due that was put off. */
async function sendInTurns(
  database: Database,
  { queues, log, clock, publicUrl, sender }: Sending,
): Promise<(() => Promise<void>)[]> {
  const { db } = database;
  const works = (["urgent", "other"] as const).map((queue) => {
    const turns = queues.open({
      name: queue === "urgent" ? "letters_urgent" : "letters",
      running: AT_ONCE[queue],
      runningOfAccount: 1,
      waitingOfAccount: 1,
    });
    return new StoredWork(turns, {
      accounts: () => sender.accounts(queue),
      work: async (accountId) => (await sender.sendNext(accountId, queue)) !== "none",
      failed: (error) => log.warn({ err: error }, "letters not sent yet"),
    });
  });
  const wake = () => {
    for (const work of works) work.wake();
  };
  const listener = await database.listen(MAIL_CHANNEL, wake, wake);
  wake();

  let looking: Promise<void> | null = null;
  const timer = setInterval(() => {
    wake();
    looking ??= lookForNotices({ db, clock, url: publicUrl })
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
    ...works.map((work) => () => work.stop()),
  ];
}
