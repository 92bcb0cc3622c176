import type { Logger } from "pino";
import { afterAll } from "vitest";
import {
  type MailServer,
  type MailServerOptions,
  startMailServer,
} from "../../simulators/mail/smtp-server.ts";
import type { Clock } from "../../src/domain/clock.ts";
import type { SmtpServer } from "../../src/server/base/smtp-url.ts";
import type { Db } from "../../src/server/db/client.ts";
import { openMailer } from "../../src/server/notifications/mailer.ts";
import { writeEmail } from "../../src/server/notifications/news.ts";
import { EmailSender } from "../../src/server/notifications/sender.ts";
import { testLog } from "./database.ts";

export const UNSUBSCRIBE_TEST_KEY = Buffer.alloc(32, 5);
export const TEST_ORIGIN = "https://recado.exemplo.com.br";
const FROM = { name: "Recado", address: "avisos@exemplo.com.br" };

export async function testMailServer(options?: MailServerOptions): Promise<MailServer> {
  const server = await startMailServer(options);
  afterAll(() => server.close());
  return server;
}

export const smtpOf = (server: MailServer, auth: SmtpServer["auth"] = null): SmtpServer => ({
  host: "127.0.0.1",
  port: server.port,
  secure: false,
  auth,
});

export function testSender(db: Db, clock: Clock, smtp: SmtpServer, log: Logger = testLog) {
  const mailer = openMailer(smtp, FROM);
  afterAll(mailer.close);
  const write = writeEmail({
    publicUrl: TEST_ORIGIN,
    key: UNSUBSCRIBE_TEST_KEY,
    resetKey: UNSUBSCRIBE_TEST_KEY,
    confirmKey: UNSUBSCRIBE_TEST_KEY,
  });
  return new EmailSender({ db, mailer, clock, log, write });
}
