/** What the driver says of a fault: PostgreSQL's five-letter SQLSTATE, or Node's code of a broken socket. */
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
 * Class 08 connection, 53 no resources (disk full, too many connections), 57P server stopping or starting, 25P03 a transaction that stood
 * still for too long, 25006 a server that only lets read: one whose provider found its disk full, or that another one has replaced.
 */
const SQLSTATE_UNAVAILABLE = /^(08|53|57P|25P03|25006)/;

const DRIVER_TEXT =
  /Connection terminated|timeout exceeded when trying to connect|Query read timeout|Client was closed|is not queryable/;

/** PostgreSQL's SQLSTATE of a failed statement; null where it was no answer of PostgreSQL's: of its classes none begins as EPIPE does. */
export function sqlState(error: unknown): string | null {
  const code = codeOf(error);
  return /^(?!E)[0-9A-Z]{5}$/.test(code) ? code : null;
}

/** A file that is not there has the code of a socket that is not. */
const isOfFile = (error: unknown) =>
  error instanceof Error && "path" in error && "syscall" in error && error.syscall !== "connect";

/** True when the database cannot serve now and the same call may work later: answer 503, wait and try again. */
export function isDatabaseDown(error: unknown): boolean {
  const code = codeOf(error);
  if ((SOCKET_CODES.has(code) && !isOfFile(error)) || SQLSTATE_UNAVAILABLE.test(code)) return true;
  return error instanceof Error && DRIVER_TEXT.test(error.message);
}

/** True when PostgreSQL ended a statement that ran for too long, or that its caller did not want any more. */
export function isCancelled(error: unknown): boolean {
  return codeOf(error) === "57014";
}

/** True when two transactions waited for each other's locks, or a serializable one came too late: nothing was done, and the same call works. */
export function isLostRace(error: unknown): boolean {
  return /^40(001|P01)$/.test(codeOf(error));
}

/** True when what was written is at fault (a constraint, a value out of range): the same again fails again. */
export function isDataError(error: unknown): boolean {
  return /^(22|23502|23505|23514)/.test(codeOf(error));
}

/** True when a unique constraint (the named one, when given) refused the row. */
export function isUniqueViolation(error: unknown, constraint?: string): boolean {
  if (codeOf(error) !== "23505") return false;
  if (constraint === undefined) return true;
  return (
    typeof error === "object" && error !== null && "constraint" in error && error.constraint === constraint
  );
}

/** True when what a new row names has been deleted since it was looked up. */
export function isMissingReference(error: unknown): boolean {
  return codeOf(error) === "23503";
}
