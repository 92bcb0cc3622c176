import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import type { Language, Terms } from "../../contract/accounts.ts";
import { OWN_FOLDER } from "../base/root-folder.ts";
import { StartError, systemReason } from "../base/start-error.ts";
import type { Db } from "../db/client.ts";
import { addSetting } from "../db/settings.ts";

const MAX_BYTES = 512 * 1024;

const DEFAULTS: Record<Language, string> = { "pt-BR": "default-terms.md", en: "default-terms.en.md" };

/**
 * RECADO_TERMS_FILE or the default. The version is the text's hash, so that accepted terms cannot change
 * unnoticed.
 */
export function loadTerms(file: string | null, language: Language = "pt-BR"): Terms {
  const text = read(file ?? path.join(OWN_FOLDER, "src", "server", "accounts", DEFAULTS[language]), file)
    .replaceAll("\r\n", "\n")
    .trim();
  if (text === "") throw new StartError(`O arquivo de termos (RECADO_TERMS_FILE=${file}) está vazio.`);
  return { version: createHash("sha256").update(text).digest("hex").slice(0, 12), text };
}

function read(place: string, file: string | null): string {
  try {
    if (fs.statSync(place).size > MAX_BYTES) throw new Error("maior que 512 KiB");
    return new TextDecoder("utf-8", { fatal: true }).decode(fs.readFileSync(place));
  } catch (error) {
    throw new StartError(
      `O arquivo de termos (RECADO_TERMS_FILE=${file}) não pode ser lido como texto UTF-8: ${systemReason(error)}.`,
    );
  }
}

/** Accepted terms stay readable after the file changes. */
export async function keepTerms(db: Db, terms: Terms): Promise<void> {
  await addSetting(db, `terms:${terms.version}`, { text: terms.text });
}
