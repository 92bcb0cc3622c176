import fs from "node:fs";
import path from "node:path";
import type { Db } from "../db/client.ts";
import { checkSecretKey, createSecrets } from "../db/secrets.ts";

/** The key of a copy beside the one that may stand here already, which then still opens what it sealed. */
export type PlacedKey = {
  /** Throws a StartFault when the key in force does not open what the copy holds. */
  check(tx: Db): Promise<void>;
  /** As if nothing had been placed. */
  undo(): void;
};

/**
 * Puts the copy's key into force. The operator's RECADO_SECRET_KEY goes before it, as everywhere; then no file is written, so that a key
 * which is kept elsewhere on purpose does not come to lie here.
 */
export function placeSecretKey(
  fromCopy: string,
  { fromEnvironment, dataFolder }: { fromEnvironment: string | undefined; dataFolder: string },
): PlacedKey {
  if (fromEnvironment !== undefined)
    return { check: (tx) => checkSecretKey(tx, createSecrets(fromEnvironment)), undo: () => undefined };
  const file = path.join(dataFolder, "secret.key");
  const before = fs.existsSync(file) ? fs.readFileSync(file, "utf8") : null;
  const kept = before === null || before.trim() === fromCopy.trim() ? "" : before.trim();
  const text = `${[fromCopy.trim(), kept].filter(Boolean).join("\n")}\n`;
  // Proved before it is written: a damaged key stops here.
  const secrets = createSecrets(text);
  write(file, text);
  return {
    check: (tx) => checkSecretKey(tx, secrets),
    undo: () => (before === null ? fs.rmSync(file, { force: true }) : write(file, before)),
  };
}

/** Whole or not at all. */
function write(file: string, text: string): void {
  const draft = `${file}.${process.pid}`;
  fs.writeFileSync(draft, text, { mode: 0o600, flush: true });
  fs.renameSync(draft, file);
}
