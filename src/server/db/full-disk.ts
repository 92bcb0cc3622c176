import { codeOf } from "../base/start-error.ts";
import { sqlState } from "./errors.ts";

const DISK_FULL = new Set(["ENOSPC", "EDQUOT"]);
/** The same, of the disk on which the database stands: it did answer, and to try again is of no use. */
const DATABASE_FULL = "53100";

/** In words, that a disk is full; null of any other fault. */
export function fullDisk(error: unknown): string | null {
  if (DISK_FULL.has(codeOf(error))) return "Não há espaço em disco.";
  return sqlState(error) === DATABASE_FULL ? "Não há espaço no disco do banco de dados." : null;
}
