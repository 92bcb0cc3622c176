import { StartError } from "../base/start-error.ts";

export const damaged = (what: string) =>
  new StartError(`O arquivo da cópia está danificado ou incompleto (${what}). Nada foi restaurado.`);
