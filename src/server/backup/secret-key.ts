import fs from "node:fs";
import path from "node:path";
import type { Db } from "../db/client.ts";
import { checkSecretKey, createSecrets } from "../db/secrets.ts";

/** An existing key stays and opens what it sealed. */
export type PlacedKey = {
  /** Throws a StartError when the active key does not open the copy's secrets. */
  check(tx: Db): Promise<void>;
  undo(): void;
};

/** With RECADO_SECRET_KEY no file is written, because that key is kept elsewhere on purpose. */
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
  // A damaged key must fail before it is written.
  const secrets = createSecrets(text);
  write(file, text);
  return {
    check: (tx) => checkSecretKey(tx, secrets),
    undo: () => (before === null ? fs.rmSync(file, { force: true }) : write(file, before)),
  };
}

function write(file: string, text: string): void {
  const draft = `${file}.${process.pid}`;
  fs.writeFileSync(draft, text, { mode: 0o600, flush: true });
  fs.renameSync(draft, file);
}
