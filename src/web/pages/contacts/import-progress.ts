import type { ContactImport } from "../../../contract/contacts.ts";

export const isRunning = ({ state }: Pick<ContactImport, "state">) =>
  state === "waiting" || state === "running";

/** How much of the file has been read, 0–1; null while its size is not known. */
export function importShare({ bytesRead, bytesTotal }: Pick<ContactImport, "bytesRead" | "bytesTotal">) {
  return bytesTotal ? Math.min(1, bytesRead / bytesTotal) : null;
}
