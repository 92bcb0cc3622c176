import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import type { NotificationPreferences, Notifications } from "../../contract/settings.ts";
import type { Clock } from "../../domain/clock.ts";
import { AppError } from "../../domain/errors.ts";
import type { Db } from "../db/client.ts";
import { mayUse } from "../db/operator-services.ts";
import type { Owner } from "../db/owner.ts";
import * as counts from "./counts.ts";
import { testEmail } from "./emails.ts";
import { findLastMail, findReader, insertEmail, MAIL_CHANNEL } from "./mail-repo.ts";
import { mailError } from "./notification-words.ts";
import { changePreferences } from "./preferences.ts";
import { findPreferences } from "./preferences-repo.ts";
import type { EmailSender } from "./sender.ts";

export const mailCounts = counts;

export type NotificationDeps = {
  clock: Pick<Clock, "now">;
  publicUrl: string | null;
  /** Null: no mail server. */
  sender: Pick<EmailSender, "sendOnce"> | null;
  /** Throws `too_many_requests` after a few. */
  limitTests(accountId: string): Promise<void>;
};

/** Wakes the process that sends e-mail, when the transaction commits. */
export async function wakeMailer(tx: Db): Promise<void> {
  await sql`select pg_notify(${MAIL_CHANNEL}, '')`.execute(tx);
}

type Change = { [Name in keyof NotificationPreferences]?: boolean | undefined };

export type NotificationService = {
  get(owner: Owner): Promise<Notifications>;
  save(owner: Owner, change: Change): Promise<Notifications>;
  test(owner: Owner): Promise<Notifications>;
};

/** Reserves the test e-mail for us. */
const OURS_MS = 10 * 60_000;

export function notificationService(deps: NotificationDeps): NotificationService {
  const { clock, sender } = deps;

  async function get(owner: Owner): Promise<Notifications> {
    const preferences = await findPreferences(owner);
    if (!preferences) throw new AppError("unauthenticated");
    const last = await findLastMail(owner);
    return {
      ...preferences,
      mail: {
        configured: sender !== null,
        closed: sender !== null && !(await mayUse(owner, "mail")),
        last: last
          ? {
              subject: last.subject,
              at: last.at.toISOString(),
              error: last.error === null ? null : mailError(last.language, last.error),
            }
          : null,
      },
    };
  }

  return {
    get,

    async save(owner, change) {
      await changePreferences(owner, change, clock.now());
      return get(owner);
    },

    async test(owner) {
      if (!sender) throw new AppError("mail_not_configured");
      if (!(await mayUse(owner, "mail"))) throw new AppError("service_closed");
      const reader = await findReader(owner);
      if (!reader) throw new AppError("unauthenticated");
      if (!reader.confirmed) throw new AppError("email_not_confirmed");
      await deps.limitTests(owner.accountId);
      const now = clock.now();
      const email = testEmail(reader, { at: now, url: deps.publicUrl });
      const notBefore = new Date(now.getTime() + OURS_MS);
      const id = await insertEmail(owner, { kind: "test", key: randomUUID(), ...email, notBefore }, now);
      if (id !== null) await sender.sendOnce(id);
      return get(owner);
    },
  };
}
