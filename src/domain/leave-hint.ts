import { isBlank } from "./message-text.ts";

export const LEAVE_HINT = "Responda SAIR para não receber mais";

export const BELOW_TEXT = `\n\n${LEAVE_HINT}`;

export function withLeaveHint(text: string, leaveHint: boolean): string {
  if (!leaveHint) return text;
  return isBlank(text) ? LEAVE_HINT : text + BELOW_TEXT;
}
