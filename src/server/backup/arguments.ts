import { StartError } from "../base/start-error.ts";

export const BACKUP_USE = "Use: npm run backup -- [ARQUIVO] [--minutes MINUTOS]";

/** During the snapshot the database removes no old rows, and its tables grow. */
const LONGEST_MINUTES = 120;
const MOST_MINUTES = 7 * 24 * 60;

export type BackupArguments = { file: string | undefined; minutes: number };

export function backupArguments(args: readonly string[]): BackupArguments {
  const rest = [...args];
  const at = rest.indexOf("--minutes");
  const typed = at === -1 ? undefined : rest.splice(at, 2)[1];
  const minutes = at === -1 ? LONGEST_MINUTES : /^\d{1,5}$/.test(typed ?? "") ? Number(typed) : 0;
  const [file, ...others] = rest;
  if (others.length > 0 || file === "" || file?.startsWith("-") || minutes < 1 || minutes > MOST_MINUTES)
    throw new StartError(BACKUP_USE);
  return { file, minutes };
}

export function stopAfter(stop: AbortController, minutes: number): () => void {
  const limit = minutes === 1 ? "1 minuto" : `${minutes} minutos`;
  const error = new StartError(
    `A cópia não terminou em ${limit} e foi interrompida: nenhuma cópia foi feita. Enquanto ela dura, o banco de dados não limpa ` +
      "linhas antigas. Grave em um disco mais rápido, ou dê mais tempo com --minutes MINUTOS.",
  );
  const timer = setTimeout(() => stop.abort(error), minutes * 60_000).unref();
  return () => clearTimeout(timer);
}
