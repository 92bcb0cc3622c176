import fs from "node:fs";
import pino from "pino";
import { RESET_KEY } from "../accounts/reset-token.ts";
import { systemClock } from "../clock.ts";
import { readConfig } from "../config.ts";
import { StartFault } from "../start-fault.ts";
import { openStorage } from "../storage.ts";
import { newsProgress, parseAnnouncement, queueNews, readNews } from "./announce.ts";
import { openMailer } from "./mailer.ts";
import { writeLetter } from "./news.ts";
import { letterSender } from "./sender.ts";
import { UNSUBSCRIBE_KEY } from "./unsubscribe.ts";

const say = (line: string) => void process.stdout.write(`${line}\n`);

const counted = (n: number, word: string) => `${n} ${word}${n === 1 ? "" : "s"}`;

/** `npm run announce -- …`: works beside a running server, on the same database; the two share the letters. */
async function main(args: string[]): Promise<void> {
  const { kind, file } = parseAnnouncement(args);
  const { publicUrl, mail, ...config } = readConfig(process.env);
  if (!mail) throw new StartFault("Nenhum servidor de e-mail: defina RECADO_SMTP_URL e RECADO_MAIL_FROM.");
  if (!publicUrl)
    throw new StartFault("Defina RECADO_URL: cada mensagem leva um link para não receber mais.");
  if (!fs.existsSync(file)) throw new StartFault(`O arquivo ${file} não existe.`);
  const news = readNews(kind, fs.readFileSync(file));
  const log = pino({ level: "warn" }, pino.destination({ dest: 2, sync: true }));
  const storage = await openStorage({ publicUrl, mail, ...config }, log, { visit: true });
  const mailer = openMailer(mail.server, mail.from);
  try {
    const { db } = storage.database;
    const { secrets } = storage;
    const keys = { key: secrets.derive(UNSUBSCRIBE_KEY), resetKey: secrets.derive(RESET_KEY) };
    const write = writeLetter({ publicUrl, ...keys });
    const sender = letterSender({ db, mailer, clock: systemClock, log, write });
    const fresh = await queueNews(db, news, systemClock.now());
    say(`«${news.subject}»: ${fresh} na fila.`);
    await sender.sendDue(Number.POSITIVE_INFINITY);
    const { total, sent, failed, waiting } = await newsProgress(db, news);
    const parts = [counted(sent, "enviada"), counted(failed, "recusada")];
    say(`De ${total}: ${parts.join(", ")}, ${waiting} para tentar de novo mais tarde.`);
    if (waiting > 0) say("O servidor continua o que falta; repetir este comando também.");
  } finally {
    mailer.close();
    await storage.close();
  }
}

main(process.argv.slice(2)).catch((error: unknown) => {
  process.stderr.write(`${error instanceof StartFault ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
