import { rowId } from "./campaigns.ts";

declare module "@tanstack/history" {
  interface HistoryState {
    /** The previous entry is the list alone, as on a phone. */
    overList?: boolean;
  }
}

export type ChatAddress = {
  conexao?: number;
  conversa?: number;
  para?: number;
};

/** Invalid values are dropped. */
export function chatAddress(search: Record<string, unknown>): ChatAddress {
  const conexao = rowId(search.conexao);
  const conversa = rowId(search.conversa);
  const para = rowId(search.para);
  return { ...(conexao ? { conexao } : {}), ...(conversa ? { conversa } : {}), ...(para ? { para } : {}) };
}
