import { AppError } from "../../domain/errors.ts";
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

/** Prints the usage and returns true when help was requested. */
export function printedUsage(args: readonly string[], usage: string): boolean {
  if (!args.includes("--help") && !args.includes("-h")) return false;
  say(usage);
  return true;
}

/** The second of two options would silently win: another account's password, for example. */
export function refuseTwice(tokens: readonly { kind: string; rawName?: string }[], usage: string): void {
  const given = tokens.flatMap(({ kind, rawName }) => (kind === "option" && rawName ? [rawName] : []));
  const twice = given.find((name, at) => given.indexOf(name) !== at);
  if (twice) throw new StartError(`${twice} foi dada mais de uma vez.\n\n${usage}`);
}

export function endOnSignals(words: () => string): void {
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
    process.on(signal, () => {
      warn(words());
      process.exit(1);
    });
}

/** A message for what a person can fix; a stack for the rest. */
export function endWithError(error: unknown): void {
  const full = fullDisk(error);
  if (error instanceof StartError) warn(error.message);
  else if (full !== null) warn(full);
  // For example, a server holds the data folder and its database is still starting.
  else if (isDatabaseDown(error))
    warn(
      `O banco de dados não respondeu: ${systemReason(error)}. Se o Recado está iniciando, tente de novo em instantes.`,
    );
  else if (error instanceof AppError && error.code === "unavailable")
    warn("O lugar dos arquivos anexos não atende: está cheio ou fora do ar. Tente de novo mais tarde.");
  else warn(error instanceof Error ? (error.stack ?? error.message) : String(error));
  process.exitCode = 1;
}
