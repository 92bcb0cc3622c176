import { createInterface } from "node:readline";
import { Writable } from "node:stream";
import { setTimeout as pause } from "node:timers/promises";
import { argon2idHasher } from "../accounts/password.ts";
import { loadTerms } from "../accounts/terms.ts";
import { outwardAccess } from "../app/outward-access.ts";
import { systemClock } from "../base/clock.ts";
import { DEFAULT_PORT, readConfig } from "../base/config.ts";
import { commandLog } from "../base/log.ts";
import { StartError } from "../base/start-error.ts";
import { releaseImportsOf } from "../contacts/forget.ts";
import { assignInstance } from "../gateways/assign.ts";
import { reachBy } from "../gateways/server.ts";
import { readPrivateHosts } from "../net/addresses.ts";
import { openGuardedFetch } from "../net/guarded-fetch.ts";
import { QueuedAccountEmails } from "../notifications/account-emails.ts";
import { openStorage } from "../postgres/storage.ts";
import { endOnSignals, endWithError, printedUsage, say, warn } from "./cli-words.ts";
import { USAGE } from "./command.ts";
import { parseCommand } from "./commands.ts";
import { statusLines } from "./status.ts";

async function main(args: string[]): Promise<void> {
  if (printedUsage(args, USAGE)) return;
  const run = parseCommand(args);
  endOnSignals(() => "Interrompido.");
  const config = readConfig(process.env);
  const log = commandLog();
  const storage = await openStorage(config, log, { visit: true });
  const guardedFetch = openGuardedFetch({ privateHosts: readPrivateHosts(config.privateHosts, "gateway") });
  const assigning = { secrets: storage.secrets, log, reach: reachBy(guardedFetch), guard: guardedFetch };
  try {
    for (const notice of storage.notices) warn(notice);
    await run({
      db: storage.database.db,
      clock: systemClock,
      hasher: argon2idHasher,
      emails: new QueuedAccountEmails({
        clock: systemClock,
        url: config.publicUrl,
        configured: config.mail !== null,
      }),
      outward: outwardAccess,
      assignInstance: (owner, wanted) => assignInstance(assigning, owner, wanted),
      suspension: { clock: systemClock, releaseImports: releaseImportsOf, pause: (ms) => pause(ms) },
      origin: config.publicUrl ?? `http://127.0.0.1:${config.port ?? DEFAULT_PORT}`,
      terms: () => loadTerms(config.termsFile),
      status: () => statusLines(storage),
      print: say,
      askSecret: process.stdin.isTTY ? askHidden : piped(),
    });
  } finally {
    await guardedFetch.close();
    await storage.close();
  }
}

function askHidden(question: string): Promise<string> {
  process.stderr.write(question);
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: process.stdin, output: nowhere, terminal: true });
  return new Promise((resolve, reject) => {
    lines.once("line", resolve);
    lines.once("close", () => reject(new StartError("Cancelado.")));
  }).finally(() => {
    process.stderr.write("\n");
    lines.close();
  }) as Promise<string>;
}

function piped(): () => Promise<string> {
  let first: Promise<string> | undefined;
  return () => (first ??= readLine());
}

async function readLine(): Promise<string> {
  for await (const line of createInterface({ input: process.stdin })) return line;
  return "";
}

main(process.argv.slice(2)).catch(endWithError);
