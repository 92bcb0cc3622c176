import { StartError } from "../base/start-error.ts";

/** The file is not what was written: cut short, changed, or not ours. */
export const damaged = (what: string) =>
  new StartError(`O arquivo da cópia está danificado ou incompleto (${what}). Nada foi restaurado.`);
