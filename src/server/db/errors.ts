/** SQLSTATE or Node's socket error code. */
function codeOf(error: unknown): string {
  if (typeof error !== "object" || error === null || !("code" in error)) return "";
  return typeof error.code === "string" ? error.code : "";
}

const SOCKET_CODES = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "ENOENT",
  "EPIPE",
  "ETIMEDOUT",
  "EHOSTUNREACH",
  "ENOTFOUND",
  "EAI_AGAIN",
]);

/**
 * 08 connection, 53 resources (disk, connections), 57P starting or stopping, 25P03 idle transaction, 25006
 * read-only (provider's full disk, replaced server).
 */
const SQLSTATE_UNAVAILABLE = /^(08|53|57P|25P03|25006)/;

const DRIVER_TEXT =
  /Connection terminated|timeout exceeded when trying to connect|Query read timeout|Client was closed|is not queryable/;

/** Null for errors not from PostgreSQL: no SQLSTATE class starts like EPIPE. */
export function sqlState(error: unknown): string | null {
  const code = codeOf(error);
  return /^(?!E)[0-9A-Z]{5}$/.test(code) ? code : null;
}

/** A missing file and a missing socket share a code. */
const isOfFile = (error: unknown) =>
  error instanceof Error && "path" in error && "syscall" in error && error.syscall !== "connect";

/** Answer 503 and retry later. */
export function isDatabaseDown(error: unknown): boolean {
  const code = codeOf(error);
  if ((SOCKET_CODES.has(code) && !isOfFile(error)) || SQLSTATE_UNAVAILABLE.test(code)) return true;
  return error instanceof Error && DRIVER_TEXT.test(error.message);
}

export function isCancelled(error: unknown): boolean {
  return codeOf(error) === "57014";
}

export const isLockTimeout = (error: unknown): boolean => codeOf(error) === "55P03";

/** Deadlock or serialization failure: nothing was done, retry works. */
export function isLostRace(error: unknown): boolean {
  return /^40(001|P01)$/.test(codeOf(error));
}

/** A constraint or range error: a retry fails again. */
export function isDataError(error: unknown): boolean {
  return /^(22|23502|23505|23514)/.test(codeOf(error));
}

export function isUniqueViolation(error: unknown, constraint?: string): boolean {
  if (codeOf(error) !== "23505") return false;
  if (constraint === undefined) return true;
  return (
    typeof error === "object" && error !== null && "constraint" in error && error.constraint === constraint
  );
}

/** A referenced row was deleted since the look-up. */
export function isMissingReference(error: unknown): boolean {
  return codeOf(error) === "23503";
}
