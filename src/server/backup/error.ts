import { StartFault } from "../base/start-error.ts";

/** The file is not what was written: cut short, changed, or not ours. */
export const damaged = (what: string) =>
  new StartFault(`O arquivo da cópia está danificado ou incompleto (${what}). Nada foi restaurado.`);
