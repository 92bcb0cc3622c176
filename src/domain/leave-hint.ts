import { isBlank } from "./message-text.ts";

export const LEAVE_HINT = "Responda SAIR para não receber mais";

export const BELOW_TEXT = `\n\n${LEAVE_HINT}`;

export const withLeaveHint = (text: string, leaveHint: boolean): string =>
  leaveHint && !isBlank(text) ? text + BELOW_TEXT : text;
