import type { Logger } from "pino";
import type { Clock } from "../../domain/clock.ts";
import type { AccountEmails } from "../accounts/service.ts";
import { CONFIRM_KEY, RESET_KEY } from "../base/link-token.ts";
import type { Sender, SmtpServer } from "../base/smtp-url.ts";
import type { Database } from "../db/client.ts";
import { attemptLimit } from "../db/rate-limit.ts";
import type { Secrets } from "../db/secrets.ts";
import type { FairQueues } from "../jobs/fair-queue.ts";
import { StoredWork } from "../jobs/stored-work.ts";
import { QueuedAccountEmails } from "./account-emails.ts";
import { deleteOldEmails, type EmailQueue, MAIL_CHANNEL } from "./mail-repo.ts";
import { writeEmail } from "./news.ts";
import { lookForNotices } from "./notices.ts";
import { pruneSeen } from "./notices-repo.ts";
import { EmailSender } from "./sender.ts";
import { type NotificationService, notificationService } from "./service.ts";
import { UNSUBSCRIBE_KEY, type Unsubscribing, unsubscribing } from "./unsubscribe.ts";

export type MailConfig = { server: SmtpServer; from: Sender };

export type NotificationsDeps = {
  database: Database;
  secrets: Secrets;
  clock: Clock;
  log: Logger;
  queues: Pick<FairQueues, "open">;
  publicUrl: string | null;
  /** Null: no mail server, nothing is queued. */
  mail: MailConfig | null;
  /** Whether this process sends; any may send tests. */
  works: boolean;
};

export type NotificationsFeature = {
  service: NotificationService;
  unsubscribing: Unsubscribing;
  accountEmails: AccountEmails;
  pruneOld(): Promise<void>;
  close(): Promise<void>;
};

const LOOK_MS = 5_000;
/** Per queue: links never wait for others. */
const AT_ONCE: Readonly<Record<EmailQueue, number>> = { urgent: 1, other: 2 };
const TESTS = { attempts: 5, seconds: 60 * 60 };
const KEEP_MS = 90 * 86_400_000;

export async function openNotifications(deps: NotificationsDeps): Promise<NotificationsFeature> {
  const { database, secrets, clock, log, publicUrl, mail } = deps;
  const { db } = database;
  const key = secrets.derive(UNSUBSCRIBE_KEY);
  // Loads the mail library only when needed.
  const mailer = mail && (await import("./mailer.ts")).openMailer(mail.server, mail.from);
  const write = writeEmail({
    publicUrl,
    key,
    resetKey: secrets.derive(RESET_KEY),
    confirmKey: secrets.derive(CONFIRM_KEY),
  });
  const sender = mailer && new EmailSender({ db, mailer, clock, log, write });
  const stops = sender && deps.works ? await sendInTurns(database, { ...deps, sender }) : [];
  if (!sender) await pruneSeen(db);
  return {
    service: notificationService({
      clock,
      publicUrl,
      sender,
      limitTests: attemptLimit(database, "test-mail", TESTS),
    }),
    unsubscribing: unsubscribing(db, secrets.deriveAll(UNSUBSCRIBE_KEY), clock.now),
    accountEmails: new QueuedAccountEmails({ clock, url: publicUrl, configured: mailer !== null }),
    pruneOld: () => deleteOldEmails(db, new Date(clock.now().getTime() - KEEP_MS)),
    async close() {
      for (const stop of stops) await stop();
      mailer?.close();
    },
  };
}

type Sending = Pick<NotificationsDeps, "queues" | "log" | "clock" | "publicUrl"> & {
  sender: Pick<EmailSender, "accounts" | "sendNext">;
};

/** On new e-mails and when delayed ones are due. */
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
      failed: (error) => log.warn({ err: error }, "e-mails not sent yet"),
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
