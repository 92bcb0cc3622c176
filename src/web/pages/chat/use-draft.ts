import { type QueryClient, useQueryClient } from "@tanstack/react-query";
import type { ChatMessage } from "../../../contract/chats.ts";
import type { MessageTemplate } from "../../../contract/library.ts";
import type { AttachmentKind } from "../../../domain/attachment.ts";
import { CAPTION_MAX, codePoints, normalizeText, TEXT_MAX, textError } from "../../../domain/message-text.ts";
import { markOf } from "../../../domain/variables.ts";
import { errorTextOf } from "../../api/api-error.ts";
import { api } from "../../api/call.ts";
import { chatText } from "../../messages/chat.ts";
import { formatNumber } from "../../messages/format.ts";
import { templateChoiceText } from "../../messages/template-choice.ts";
import { type Draft, draftKey, type Quote } from "../../session/unsent.ts";
import { type StoredFile, storeFile } from "../../ui/attachment-upload.tsx";
import { useKept } from "./use-kept.ts";

const t = chatText.send;
const DOUBLE_MS = 600;

const NOTHING: Draft = {
  text: "",
  quote: null,
  file: null,
  coming: null,
  error: null,
  missing: [],
  sentAt: Number.NEGATIVE_INFINITY,
};

export function quoteInDraft(queries: QueryClient, chatId: number, message: ChatMessage): void {
  const { key, fromMe, participant: who, kind, text, attachment } = message;
  const quote = { key, fromMe, who, kind, text, attachment };
  queries.setQueryData<Draft>(draftKey(chatId), (before) => ({ ...(before ?? NOTHING), quote }));
}

export type Send = (text: string, image: StoredFile | null, quote: Quote | null) => void;

/** Its upload and delayed send continue in other chats. */
export function useDraft(chatId: number, onSend: Send) {
  const queries = useQueryClient();
  const key = draftKey(chatId);
  const [draft, change] = useKept(key, NOTHING);
  const edit = (part: Partial<Draft>) => change((before) => ({ ...before, ...part }));
  const now = () => queries.getQueryData<Draft>(key) ?? NOTHING;

  const submit = (): string | null => {
    const { text, file, quote, coming, missing, sentAt } = now();
    const words = normalizeText(text).trim();
    const error = refusal(words, file?.kind ?? (coming ? "document" : null), missing);
    // The second press of a double click finds the field empty: no error.
    if (error === t.blank && performance.now() - sentAt < DOUBLE_MS) return null;
    if (error) return error;
    if (coming) edit({ coming: { send: true } });
    else {
      change(() => ({ ...NOTHING, sentAt: performance.now() }));
      onSend(words, file, quote);
    }
    return null;
  };
  const check = (): { draft: Draft } | { error: string } => {
    const { text, file, coming, ...rest } = now();
    const words = normalizeText(text).trim();
    const error = coming ? t.attaching : refusal(words, file?.kind ?? null, rest.missing);
    return error ? { error } : { draft: { ...rest, text: words, file, coming } };
  };
  const clear = () => change(() => NOTHING);
  const take = async (chosen: File | undefined) => {
    if (!chosen || now().coming) return;
    edit({ coming: { send: false }, error: null });
    const stored = await storeFile(chosen);
    const wished = now().coming?.send;
    if ("error" in stored) return edit({ coming: null, error: stored.error });
    edit({ coming: null, file: stored });
    const error = wished ? submit() : null;
    if (error) edit({ error });
  };
  const use = async ({ id }: MessageTemplate, phone: string | null) => {
    const { text } = now();
    try {
      const params = { id };
      const { attachment, ...filled } = await api("POST /api/message-templates/{id}/fill", {
        params,
        body: { phone },
      });
      if (now().text !== text) return;
      const file = attachment && { file: { ...attachment, reduced: false } };
      edit({ ...filled, ...file, error: null });
    } catch (error) {
      edit({ error: errorTextOf(error, templateChoiceText.fillFailed) });
    }
  };
  return { draft, edit, submit, check, clear, take, use };
}

export function marksLeft(text: string, missing: readonly string[]): string | null {
  const written = text.toLowerCase();
  const left = missing.map(markOf).filter((mark) => written.includes(mark));
  return left.length > 0 ? left.join(", ") : null;
}

function refusal(text: string, attachment: AttachmentKind | null, missing: readonly string[]): string | null {
  const error = textError(text, attachment);
  if (error === null || (error === "required" && attachment)) {
    const left = marksLeft(text, missing);
    return left === null ? null : templateChoiceText.missing(left);
  }
  if (error === "no_caption") return t.takesNoText;
  if (error === "required") return t.blank;
  if (error === "unreadable") return t.unreadable;
  const most = attachment ? CAPTION_MAX : TEXT_MAX;
  const over = formatNumber(codePoints(text) - most);
  return attachment ? t.captionTooLong(formatNumber(most), over) : t.tooLong(formatNumber(most), over);
}
