import { StartError, systemReason } from "../base/start-error.ts";
import { isDatabaseDown } from "../db/errors.ts";
import { fullDisk } from "../db/full-disk.ts";

export const say = (line: string) => void process.stdout.write(`${line}\n`);
export const warn = (line: string) => void process.stderr.write(`${line}\n`);

export const figure = (n: number) => n.toLocaleString("pt-BR");

export function size(bytes: number): string {
  const [amount, unit] =
    bytes < 1e6 ? [bytes / 1e3, "kB"] : bytes < 1e9 ? [bytes / 1e6, "MB"] : [bytes / 1e9, "GB"];
  return `${amount.toLocaleString("pt-BR", { maximumFractionDigits: 1 })} ${unit}`;
}

/** True for whoever asks how a command is used: told then, and no fault. */
export function printedUsage(args: readonly string[], usage: string): boolean {
  if (!args.includes("--help") && !args.includes("-h")) return false;
  say(usage);
  return true;
}

/** The last of two would count, silently: another account's password, or the other half of the readers. */
export function refuseTwice(tokens: readonly { kind: string; rawName?: string }[], usage: string): void {
  const given = tokens.flatMap(({ kind, rawName }) => (kind === "option" && rawName ? [rawName] : []));
  const twice = given.find((name, at) => given.indexOf(name) !== at);
  if (twice) throw new StartError(`${twice} foi dada mais de uma vez.\n\n${usage}`);
}

/**
 * Ctrl-C ends a command, in words. What it had under way in the database is undone with its connection; a database that it has started
 * itself ends with the process, where the signal alone would leave it running.
 */
export function endOnSignals(words: () => string): void {
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
    process.on(signal, () => {
      warn(words());
      process.exit(1);
    });
}

/** Words for what a person can mend; the rest with where it happened. */
export function endWithError(error: unknown): void {
  const full = fullDisk(error);
  if (error instanceof StartError) warn(error.message);
  else if (full !== null) warn(full);
  // Beside a server that has taken its data folder and whose database is not up yet, say.
  else if (isDatabaseDown(error))
    warn(
      `O banco de dados não respondeu: ${systemReason(error)}. Se o Recado está iniciando, tente de novo em instantes.`,
    );
  else warn(error instanceof Error ? (error.stack ?? error.message) : String(error));
  process.exitCode = 1;
}
