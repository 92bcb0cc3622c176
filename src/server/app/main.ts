import { readConfig } from "../base/config.ts";
import { createLog, takeConsole } from "../base/log.ts";
import { StartError, systemReason } from "../base/start-error.ts";
import { isDatabaseDown } from "../db/errors.ts";
import { fullDisk } from "../db/full-disk.ts";
import { type Running, startServer } from "./server.ts";

/** Texts for people go to stdout, the log to stderr. */
const say = (text: string) => process.stdout.write(`${text}\n`);

/** Longer than all stop steps together. */
const STOP_LIMIT_MS = 150_000;

/** `npm start -- --port 4000` would be ignored silently. */
function refuseArguments(args: readonly string[]): void {
  if (args.length === 0) return;
  throw new StartError(
    `npm start não recebe opções, e foi dado: ${args.join(" ")}. O que se escolhe são variáveis de ambiente, ` +
      "como em PORT=4000 npm start; o README diz quais.",
  );
}

async function main(): Promise<void> {
  refuseArguments(process.argv.slice(2));
  const config = readConfig(process.env);
  const log = createLog(config.logLevel);
  takeConsole(log);

  const starting = new AbortController();
  let running: Running | null = null;
  let exitCode: number | null = null;
  const stop = async (code: number) => {
    if (exitCode !== null) return;
    exitCode = code;
    say("Encerrando…");
    // During the start: stop what exists, without waiting for what may never come.
    if (running) await end(running, code);
    else starting.abort();
  };
  const end = async (started: Running, code: number) => {
    setTimeout(() => process.exit(1), STOP_LIMIT_MS).unref();
    try {
      await started.stop();
    } catch (error) {
      log.error({ err: error }, "not stopped in order");
      process.exit(1);
    }
    process.exit(code);
  };
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => void stop(0));
  // After an uncaught error the state is unknown, so stop in order.
  for (const event of ["uncaughtException", "unhandledRejection"] as const) {
    process.on(event, (error: unknown) => {
      log.fatal({ err: error }, event);
      void stop(1);
    });
  }

  // The parent is gone, perhaps killed, and could not stop us later.
  if (process.channel) process.once("disconnect", () => void stop(0));
  process.stdout.on("error", () => undefined);

  running = await startServer(config, log, starting.signal).catch((error: unknown) => {
    if (exitCode === null) throw error;
    process.exit(exitCode);
  });
  if (exitCode !== null) await end(running, exitCode);
  for (const notice of running.notices) say(`Atenção: ${notice}`);
  if (running.signup) say(running.signup);
  // A worker-only process has no address.
  say(
    config.process === "worker"
      ? `Recado trabalhando${health(running.url)}`
      : `Recado em ${config.publicUrl ?? running.url}`,
  );
}

const health = (url: string | null) => (url === null ? "" : `; saúde em ${url}/api/health`);

/** A message for what a person can fix; a stack for the rest. */
function errorTextOf(error: unknown): string {
  if (error instanceof StartError) return error.message;
  const full = fullDisk(error);
  if (full !== null) return `${full} Libere espaço e inicie de novo.`;
  if (isDatabaseDown(error))
    return `O banco de dados não atende: ${systemReason(error)}. Quando ele voltar a atender, inicie de novo.`;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

main().catch((error: unknown) => {
  process.stderr.write(`${errorTextOf(error)}\n`);
  process.exit(1);
});
