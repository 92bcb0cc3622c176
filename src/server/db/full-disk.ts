import { codeOf } from "../base/start-error.ts";
import { sqlState } from "./errors.ts";

const DISK_FULL = new Set(["ENOSPC", "EDQUOT"]);
/** Disk of the database is full: it did answer, so retrying does not help. */
const DATABASE_FULL = "53100";

export function fullDisk(error: unknown): string | null {
  if (DISK_FULL.has(codeOf(error))) return "Não há espaço em disco.";
  return sqlState(error) === DATABASE_FULL ? "Não há espaço no disco do banco de dados." : null;
}
