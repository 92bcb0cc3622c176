import path from "node:path";
import type { Logger } from "pino";
import { refuseFilled } from "../backup/catalog.ts";
import { readBackupFile } from "../backup/file.ts";
import { loadCopy, openCopy } from "../backup/load.ts";
import { type PlacedKey, placeSecretKey } from "../backup/secret-key.ts";
import { type Config, readConfig } from "../base/config.ts";
import { isDiskLow } from "../base/disk.ts";
import { commandLog } from "../base/log.ts";
import { StartError } from "../base/start-error.ts";
import { isDatabaseDown } from "../db/errors.ts";
import { openStore, refuseFilledStore } from "../files/open-store.ts";
import { openRawStorage, openStorage } from "../postgres/storage.ts";
import { endOnSignals, endWithError, figure, printedUsage, say, warn } from "./cli-words.ts";
import { keepQuiet, releaseRestoreLock } from "./restored-copy.ts";

let restored = false;

const USE = "Use: npm run restore -- ARQUIVO   ou, depois: npm run restore -- --release";

/** `npm run restore -- FILE` fills an empty installation; `--release` allows sending. */
async function main(args: string[]): Promise<void> {
  if (printedUsage(args, USE)) return;
  const [asked, ...rest] = args;
  if (asked === undefined || rest.length > 0 || (asked.startsWith("-") && asked !== "--release"))
    throw new StartError(USE);
  endOnSignals(() =>
    asked === "--release" || restored ? "Interrompido." : "Interrompido: nada foi restaurado.",
  );
  const config = readConfig(process.env);
  const log = commandLog();
  if (asked === "--release") await release(config, log);
  else await restore(config, log, path.resolve(asked));
}

async function restore(config: Config, log: Logger, file: string): Promise<void> {
  // The file first: a wrong passphrase must fail before anything is created.
  const copy = await openCopy(readBackupFile(file, config.backupPassphrase));
  const { header } = copy;
  const storage = await openRawStorage(config, log);
  try {
    for (const notice of storage.notices) warn(notice);
    const opened = await openStore(config, storage.dataFolder, log);
    await refuseFilledStore(opened);
    let key: PlacedKey | null = null;
    try {
      const { rows, tables } = await loadCopy(storage.database, copy, {
        log,
        where: whereTo(storage),
        files: opened.store,
        finish: async (tx) => {
          await keepQuiet(tx, header.madeAt);
          // Last before the commit: rows without their key are lost, a key without rows is harmless.
          key = placeSecretKey(header.secretKey, {
            fromEnvironment: config.secretKey,
            dataFolder: storage.dataFolder,
          });
          await key.check(tx);
        },
      });
      restored = true;
      say(
        `Restaurado: ${figure(rows)} linhas de ${tables} tabelas, conferidas, como estavam em ${header.madeAt}.`,
      );
    } catch (error) {
      const placed = key as PlacedKey | null;
      // A commit with a lost answer may have succeeded, and its rows need the key.
      if (placed) await refuseFilled(storage.database.db, "").then(placed.undo, () => undefined);
      // PostgreSQL stops when its log has no disk space.
      if (storage.kind === "embedded" && isDatabaseDown(error) && (await isDiskLow(storage.dataFolder)))
        throw new StartError(
          `Não há espaço no disco de ${storage.dataFolder}: nada foi restaurado. Libere espaço e tente de novo.`,
        );
      throw error;
    }
    say(
      "Nada é enviado nem conectado ainda. Quem recebeu mensagens do original depois da cópia consta aqui como pendente e " +
        "receberia de novo, e quem pediu para sair depois dela também: confira cada campanha antes de continuá-la.",
    );
    say("1. Desligue a instalação original para sempre, se ela ainda existe.");
    say("2. Libere esta: npm run restore -- --release (antes ou depois de npm start).");
    say("3. Em Campanhas, continue uma a uma as que devem seguir.");
  } finally {
    await storage.close();
  }
}

function whereTo({ kind, dataFolder }: { kind: "embedded" | "external"; dataFolder: string }): string {
  return kind === "external"
    ? "Aponte DATABASE_URL para um banco de dados novo."
    : `Defina RECADO_DATA com uma pasta nova, ou mova ${dataFolder} para outro lugar.`;
}

async function release(config: Config, log: Logger): Promise<void> {
  const storage = await openStorage(config, log, { visit: true });
  try {
    if (!(await releaseRestoreLock(storage.database.db))) {
      say("Nada espera liberação nesta instalação.");
      return;
    }
    say("Liberado: as conexões voltam sozinhas. As campanhas pausadas esperam por «Continuar», uma a uma.");
    say("A instalação original não pode ser ligada de novo: as duas disputariam os mesmos números.");
  } finally {
    await storage.close();
  }
}

main(process.argv.slice(2)).catch(endWithError);
