import type { ContactImport } from "../../../contract/contacts.ts";

export const isRunning = ({ state }: Pick<ContactImport, "state">) =>
  state === "waiting" || state === "running";

export function importShare({ bytesRead, bytesTotal }: Pick<ContactImport, "bytesRead" | "bytesTotal">) {
  return bytesTotal ? Math.min(1, bytesRead / bytesTotal) : null;
}
