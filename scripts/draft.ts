import fs from "node:fs";
import path from "node:path";

const PREFIX = ".draft-";
/** No build takes this long: an older draft was left by a killed one. */
const LEFT_MS = 3_600_000;

/**
 * A folder to build in, so that the current build stays until the new one is complete. Removed at process
 * exit.
 */
export function openDraft(folder: string, now = Date.now()): string {
  fs.mkdirSync(folder, { recursive: true });
  for (const name of fs.readdirSync(folder).filter((each) => each.startsWith(PREFIX))) {
    const left = path.join(folder, name);
    const since = fs.statSync(left, { throwIfNoEntry: false })?.mtimeMs ?? now;
    if (now - since > LEFT_MS) fs.rmSync(left, { recursive: true, force: true });
  }
  const draft = fs.mkdtempSync(path.join(folder, PREFIX));
  process.once("exit", () => fs.rmSync(draft, { recursive: true, force: true }));
  return draft;
}

/**
 * Replaces a folder by rename, so that readers never see half of it. The old one is removed with the draft.
 */
export function replaceFolder(draft: string, place: string): void {
  for (let at = 0; ; at++) {
    try {
      fs.renameSync(draft, place);
      return;
    } catch (error) {
      if (!isThere(error)) throw error;
    }
    try {
      fs.renameSync(place, `${draft}.old-${at}`);
    } catch (error) {
      if (!isGone(error)) throw error;
    }
  }
}

const codeOf = (error: unknown) => (error instanceof Error && "code" in error ? error.code : undefined);
export const isThere = (error: unknown) => codeOf(error) === "ENOTEMPTY" || codeOf(error) === "EEXIST";
const isGone = (error: unknown) => codeOf(error) === "ENOENT";
