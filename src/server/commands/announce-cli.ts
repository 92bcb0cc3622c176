import fs from "node:fs";
import { systemClock } from "../base/clock.ts";
import { readConfig } from "../base/config.ts";
import { CONFIRM_KEY, RESET_KEY } from "../base/link-token.ts";
import { commandLog } from "../base/log.ts";
import { StartError, systemReason } from "../base/start-error.ts";
import { readRestoreLock } from "../db/restore-lock.ts";
import { openMailer } from "../notifications/mailer.ts";
import { writeEmail } from "../notifications/news.ts";
import { newsProgress, queueNews } from "../notifications/news-repo.ts";
import { EmailSender } from "../notifications/sender.ts";
import { UNSUBSCRIBE_KEY } from "../notifications/unsubscribe.ts";
import { openStorage } from "../postgres/storage.ts";
import { parseAnnouncement, readNews, USAGE } from "./announce.ts";
import { endOnSignals, endWithError, printedUsage, say } from "./cli-words.ts";

const counted = (n: number, word: string) => `${n} ${word}${n === 1 ? "" : "s"}`;

/** Works beside a running server; both send the queued e-mails. */
async function main(args: string[]): Promise<void> {
  if (printedUsage(args, USAGE)) return;
  const { kind, file } = parseAnnouncement(args);
  const { publicUrl, mail, ...config } = readConfig(process.env);
  if (!mail) throw new StartError("Nenhum servidor de e-mail: defina RECADO_SMTP_URL e RECADO_MAIL_FROM.");
  if (!publicUrl)
    throw new StartError("Defina RECADO_URL: cada mensagem leva um link para não receber mais.");
  endOnSignals(() => "Interrompido: repita o comando para continuar de onde parou.");
  const news = readNews(kind, contentOf(file));
  const log = commandLog();
  const storage = await openStorage({ publicUrl, mail, ...config }, log, { visit: true });
  const mailer = openMailer(mail.server, mail.from);
  try {
    const { db } = storage.database;
    const { secrets } = storage;
    // It would wait unseen, and the original may have sent it.
    if (await readRestoreLock(db))
      throw new StartError(
        "Nada é enviado daqui ainda: esta instalação é uma cópia restaurada. Com a original desligada: npm run restore -- --release",
      );
    const keys = {
      key: secrets.derive(UNSUBSCRIBE_KEY),
      resetKey: secrets.derive(RESET_KEY),
      confirmKey: secrets.derive(CONFIRM_KEY),
    };
    const write = writeEmail({ publicUrl, ...keys });
    const sender = new EmailSender({ db, mailer, clock: systemClock, log, write });
    const fresh = await queueNews(db, news, systemClock.now());
    say(`«${news.subject}»: ${fresh} na fila.`);
    await sender.sendDue(Number.POSITIVE_INFINITY);
    const { total, sent, failed, waiting } = await newsProgress(db, news);
    const parts = [counted(sent, "enviada"), counted(failed, "não enviada")];
    say(`De ${total}: ${parts.join(", ")}, ${waiting} para tentar de novo mais tarde.`);
    if (waiting > 0) say("O servidor continua o que falta; repetir este comando também.");
  } finally {
    mailer.close();
    await storage.close();
  }
}

function contentOf(file: string): Buffer {
  if (!fs.existsSync(file)) throw new StartError(`O arquivo ${file} não existe.`);
  try {
    return fs.readFileSync(file);
  } catch (error) {
    throw new StartError(`O arquivo ${file} não pode ser lido: ${systemReason(error)}.`);
  }
}

main(process.argv.slice(2)).catch(endWithError);
