import { counted } from "./format.ts";

/** Of templates chosen by `/` in the chat. */
export const templateChoiceText = {
  list: "Modelos de mensagem",
  found: (count: number) => counted(count, "modelo encontrado", "modelos encontrados"),
  none: "Nenhum modelo encontrado. Enter envia o que está escrito.",
  failed: "Não foi possível buscar os modelos.",
  fillFailed: "Não foi possível preencher o modelo.",
  hints: "↑ ↓ escolher · Enter usar · Esc fechar",
  missing: (marks: string) => `Falta o valor de ${marks} desta pessoa. Troque ou apague antes de enviar.`,
};
