import { readConfig } from "../base/config.ts";
import { createLog, takeConsole } from "../base/log.ts";
import { StartError, systemReason } from "../base/start-error.ts";
import { isDatabaseDown } from "../db/errors.ts";
import { fullDisk } from "../db/full-disk.ts";
import { type Running, startServer } from "./server.ts";

/** Words for people go to the output, one line each; the log, for machines, to the error stream. */
const say = (text: string) => process.stdout.write(`${text}\n`);

/** Longer than all steps of stopping may take together. */
const STOP_LIMIT_MS = 150_000;

/** Who types `npm start -- --port 4000` would be served elsewhere than where they look. */
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
    // Still starting: what has been started so far is ended as soon as it is there, and nothing that may never come is waited for.
    if (running) await end(running, code);
    else starting.abort();
  };
  const end = async (started: Running, code: number) => {
    // Whatever does not end in order by then is ended without: the next start mends it.
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
  // A fault that nobody caught: what state we are in is unknown, so end in order and let the next start be clean.
  for (const event of ["uncaughtException", "unhandledRejection"] as const) {
    process.on(event, (error: unknown) => {
      log.fatal({ err: error }, event);
      void stop(1);
    });
  }

  // The runner that started us is gone (killed, perhaps): nobody is left to stop us later.
  if (process.channel) process.once("disconnect", () => void stop(0));
  // Nor does anybody read what we say then.
  process.stdout.on("error", () => undefined);

  running = await startServer(config, log, starting.signal).catch((error: unknown) => {
    if (exitCode === null) throw error;
    process.exit(exitCode);
  });
  if (exitCode !== null) await end(running, exitCode);
  for (const notice of running.notices) say(`Atenção: ${notice}`);
  if (running.signup) say(running.signup);
  // A line that says where; whoever only works is nowhere to be visited.
  say(
    config.process === "worker"
      ? `Recado trabalhando${health(running.url)}`
      : `Recado em ${config.publicUrl ?? running.url}`,
  );
}

const health = (url: string | null) => (url === null ? "" : `; saúde em ${url}/api/health`);

/** Words for what a person can mend; the rest with where it happened. */
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
