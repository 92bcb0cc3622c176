import { rowId } from "./campaigns.ts";

declare module "@tanstack/history" {
  interface HistoryState {
    /** Of a conversation: the step before it is the list alone, as on a telephone. */
    overList?: boolean;
  }
}

/** What the chat's address says, so that a reload or a shared link opens the same: the connection and the conversation. */
export type ChatAddress = {
  conexao?: number;
  conversa?: number;
  /** The number of a person with whom a conversation is to be begun. */
  para?: number;
};

/** Reads the chat's address; what cannot be meant is left out. */
export function chatAddress(search: Record<string, unknown>): ChatAddress {
  const conexao = rowId(search.conexao);
  const conversa = rowId(search.conversa);
  const para = rowId(search.para);
  return { ...(conexao ? { conexao } : {}), ...(conversa ? { conversa } : {}), ...(para ? { para } : {}) };
}
