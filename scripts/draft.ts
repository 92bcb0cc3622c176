import fs from "node:fs";
import path from "node:path";

const PREFIX = ".draft-";
/** No build takes as long: who left it was killed. */
const LEFT_MS = 3_600_000;

/** A folder below `folder` to build in: what is there stays as it is until all is built. Gone when the process ends. */
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

/** Puts a folder in another's place, for whoever reads it between two moments: whole. What stood there goes away with its draft. */
export function replaceFolder(draft: string, place: string): void {
  for (let at = 0; ; at++) {
    try {
      fs.renameSync(draft, place);
      return;
    } catch (error) {
      // Another build may put its own there between the two.
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
/** Of a folder that is moved to where another is. */
export const isThere = (error: unknown) => codeOf(error) === "ENOTEMPTY" || codeOf(error) === "EEXIST";
const isGone = (error: unknown) => codeOf(error) === "ENOENT";
