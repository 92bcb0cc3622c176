import { type QueryClient, useQueryClient } from "@tanstack/react-query";
import type { ChatMessage } from "../../../contract/chats.ts";
import { CAPTION_MAX, codePoints, normalizeText, TEXT_MAX, textError } from "../../../domain/message-text.ts";
import { chatText } from "../../messages/chat.ts";
import { formatNumber } from "../../messages/format.ts";
import { type Draft, draftKey, type Quote } from "../../session/unsent.ts";
import { type StoredImage, storeImage } from "../../ui/image-upload.tsx";
import { useKept } from "./use-kept.ts";

const t = chatText.send;
const DOUBLE_MS = 600;

const NOTHING: Draft = {
  text: "",
  quote: null,
  image: null,
  coming: null,
  error: null,
  sentAt: Number.NEGATIVE_INFINITY,
};

export function quoteInDraft(queries: QueryClient, chatId: number, message: ChatMessage): void {
  const { key, fromMe, participant: who, kind, text, imageId } = message;
  const quote = { key, fromMe, who, kind, text, imageId };
  queries.setQueryData<Draft>(draftKey(chatId), (before) => ({ ...(before ?? NOTHING), quote }));
}

export type Send = (text: string, image: StoredImage | null, quote: Quote | null) => void;

/** Its upload and delayed send continue in other chats. */
export function useDraft(chatId: number, onSend: Send) {
  const queries = useQueryClient();
  const key = draftKey(chatId);
  const [draft, change] = useKept(key, NOTHING);
  const edit = (part: Partial<Draft>) => change((before) => ({ ...before, ...part }));
  const now = () => queries.getQueryData<Draft>(key) ?? NOTHING;

  const submit = (): string | null => {
    const { text, image, quote, coming, sentAt } = now();
    const words = normalizeText(text).trim();
    const error = refusal(words, image !== null || coming !== null);
    // The second press of a double click finds the field empty: no error.
    if (error === t.blank && performance.now() - sentAt < DOUBLE_MS) return null;
    if (error) return error;
    if (coming) edit({ coming: { send: true } });
    else {
      change(() => ({ ...NOTHING, sentAt: performance.now() }));
      onSend(words, image, quote);
    }
    return null;
  };
  const check = (): { draft: Draft } | { error: string } => {
    const { text, image, coming, ...rest } = now();
    const words = normalizeText(text).trim();
    const error = coming ? t.attaching : refusal(words, image !== null);
    return error ? { error } : { draft: { ...rest, text: words, image, coming } };
  };
  const clear = () => change(() => NOTHING);
  const take = async (file: File | undefined) => {
    if (!file || now().coming) return;
    edit({ coming: { send: false }, error: null });
    const stored = await storeImage(file);
    const wished = now().coming?.send;
    if ("error" in stored) return edit({ coming: null, error: stored.error });
    edit({ coming: null, image: stored });
    const error = wished ? submit() : null;
    if (error) edit({ error });
  };
  return { draft, edit, submit, check, clear, take };
}

function refusal(text: string, hasImage: boolean): string | null {
  const error = textError(text, hasImage);
  if (error === null || (error === "required" && hasImage)) return null;
  if (error === "required") return t.blank;
  if (error === "unreadable") return t.unreadable;
  const most = hasImage ? CAPTION_MAX : TEXT_MAX;
  const over = formatNumber(codePoints(text) - most);
  return hasImage ? t.captionTooLong(formatNumber(most), over) : t.tooLong(formatNumber(most), over);
}
