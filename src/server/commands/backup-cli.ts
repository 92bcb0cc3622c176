import fs from "node:fs";
import path from "node:path";
import { BACKUP_USE, backupArguments, stopAfter } from "../backup/arguments.ts";
import { draftOf, writeBackupFile } from "../backup/file.ts";
import { noteBackup } from "../backup/last-backup.ts";
import { writeBackup } from "../backup/write.ts";
import { readConfig } from "../base/config.ts";
import { commandLog } from "../base/log.ts";
import { StartError, systemReason } from "../base/start-error.ts";
import { findSecretKey } from "../db/secrets.ts";
import { openStore } from "../files/open-store.ts";
import { openRawStorage, readVersion } from "../postgres/storage.ts";
import { endWithError, figure, printedUsage, say, size, warn } from "./cli-words.ts";

/** The passphrase protects every secret of a stolen file; guessing must be too expensive. */
const SHORTEST = 12;

const OPEN_WARNING =
  "Atenção: esta cópia não tem senha. Dentro dela estão os contatos, as mensagens e a chave que abre as credenciais do WhatsApp: " +
  "quem tiver o arquivo pode usar os seus números. Guarde-o em lugar seguro, ou defina RECADO_BACKUP_PASSPHRASE.";

/** `npm run backup -- [FILE] [--minutes N]`: a snapshot, with the server running or stopped. */
async function main(args: string[]): Promise<void> {
  if (printedUsage(args, BACKUP_USE)) return;
  const { file: typed, minutes } = backupArguments(args);
  const config = readConfig(process.env);
  const file = path.resolve(typed ?? `recado-${stamp(new Date())}.recado`);
  const passphrase = config.backupPassphrase;
  if (passphrase !== undefined && [...passphrase].length < SHORTEST)
    throw new StartError(`RECADO_BACKUP_PASSPHRASE precisa de ao menos ${SHORTEST} caracteres.`);
  const stop = new AbortController();
  // npm forwards the signal, so it arrives twice; after `once` the second would leave the draft.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
    process.on(signal, () => stop.abort(new StartError("Interrompido: nenhuma cópia foi feita.")));
  refuseUnwritable(file);
  const giveUpLimit = stopAfter(stop, minutes);
  const log = commandLog();
  const storage = await openRawStorage(config, log, { visit: true });
  try {
    for (const notice of storage.notices) warn(notice);
    const secretKey = keyOf(config.secretKey, storage.dataFolder);
    const { store: files } = await openStore(config, storage.dataFolder, log);
    let bytes = 0;
    const written = await writeBackup(
      storage.database,
      { product: readVersion(), secretKey, files },
      async (content) => {
        bytes = await writeBackupFile(file, passphrase, content, stop.signal);
      },
      stop.signal,
    );
    noteBackup(storage.dataFolder, { madeAt: written.madeAt, bytes });
    if (written.foreign.length > 0)
      warn(`Fora da cópia, por não serem do Recado: ${written.foreign.join(", ")}.`);
    if (written.missing > 0)
      warn(
        `Fora da cópia, por não estarem mais no armazenamento: ${figure(written.missing)} arquivos anexos.`,
      );
    if (passphrase === undefined) warn(OPEN_WARNING);
    say(
      `Cópia feita: ${file} (${size(bytes)}, ${figure(written.rows)} linhas de ${written.tables} tabelas).`,
    );
    say(`Ela tem o que estava gravado em ${written.madeAt}; o que foi enviado depois não consta nela.`);
  } finally {
    giveUpLimit();
    await storage.close();
  }
}

function stamp(now: Date): string {
  const two = (n: number) => String(n).padStart(2, "0");
  const day = [now.getFullYear(), two(now.getMonth() + 1), two(now.getDate())].join("-");
  return `${day}-${two(now.getHours())}${two(now.getMinutes())}${two(now.getSeconds())}`;
}

/** Tries to write, since the name may also be too long for its folder. */
function refuseUnwritable(file: string): void {
  if (fs.existsSync(file) && fs.statSync(file).isDirectory())
    throw new StartError(
      `${file} é uma pasta: diga o nome do arquivo, como ${path.join(file, "hoje.recado")}.`,
    );
  if (fs.existsSync(file)) throw new StartError(`O arquivo ${file} já existe e não será substituído.`);
  try {
    fs.closeSync(fs.openSync(draftOf(file), "wx", 0o600));
    fs.rmSync(draftOf(file));
  } catch (error) {
    throw new StartError(`Não é possível gravar ${file}: ${systemReason(error)}.`);
  }
}

/** Never creates a key: a new one would open nothing in the copy. */
function keyOf(fromEnvironment: string | undefined, dataFolder: string): string {
  const key = findSecretKey(fromEnvironment, dataFolder);
  if (key === null)
    throw new StartError(
      `A chave secreta não está em ${dataFolder}: sem ela a cópia não teria como abrir as credenciais. ` +
        "Defina RECADO_DATA ou RECADO_SECRET_KEY como no servidor.",
    );
  return key;
}

main(process.argv.slice(2)).catch(endWithError);
