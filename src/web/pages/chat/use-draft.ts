import { type QueryClient, useQueryClient } from "@tanstack/react-query";
import type { ChatMessage } from "../../../contract/chats.ts";
import type { MessageTemplate } from "../../../contract/library.ts";
import type { AttachmentKind, SentAs } from "../../../domain/attachment.ts";
import { CAPTION_MAX, codePoints, normalizeText, TEXT_MAX, textError } from "../../../domain/message-text.ts";
import { markOf } from "../../../domain/variables.ts";
import { errorTextOf } from "../../api/api-error.ts";
import { api } from "../../api/call.ts";
import { useMe } from "../../api/me.ts";
import { NO_PROGRESS, type UploadProgress } from "../../api/upload-watch.ts";
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
  voice: null,
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
  const { attachmentMb } = useMe();
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
    if (coming) edit({ coming: { ...coming, send: true } });
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
  const store = (file: File, send: boolean, as?: SentAs) => {
    const abort = new AbortController();
    const watch = { signal: abort.signal, onProgress: progressIn({ now, edit }) };
    edit({ coming: { send, progress: NO_PROGRESS, cancel: () => abort.abort() }, error: null });
    return storeFile(file, attachmentMb, as, watch);
  };
  const take = async (chosen: File | undefined) => {
    if (!chosen || now().coming || now().voice) return;
    const stored = await store(chosen, false);
    const wished = now().coming?.send;
    if ("error" in stored) return edit({ coming: null, error: stored.error });
    edit({ coming: null, file: stored });
    const error = wished ? submit() : null;
    if (error) edit({ error });
  };
  const sendVoice = async () => {
    const { voice, coming } = now();
    if (voice === null || voice === "recording" || coming) return;
    const stored = await store(voice.file, true, "voice");
    if ("error" in stored) return edit({ coming: null, error: stored.error });
    const { quote } = now();
    edit({ coming: null, voice: null, quote: null });
    onSend("", stored, quote);
  };
  const use = ({ id }: MessageTemplate, phone: string | null) => fillIn({ now, edit }, id, phone);
  return { draft, edit, submit, check, clear, take, sendVoice, use };
}

type Editing = { now: () => Draft; edit: (part: Partial<Draft>) => void };

const progressIn =
  ({ now, edit }: Editing) =>
  (progress: UploadProgress) => {
    const { coming } = now();
    if (coming) edit({ coming: { ...coming, progress } });
  };

/** What was typed while it was filled stays. */
async function fillIn({ now, edit }: Editing, id: number, phone: string | null): Promise<void> {
  const { text } = now();
  try {
    const asked = { params: { id }, body: { phone } };
    const { attachment, ...filled } = await api("POST /api/message-templates/{id}/fill", asked);
    if (now().text !== text) return;
    const file = attachment && { file: { ...attachment, reduced: false } };
    edit({ ...filled, ...file, error: null });
  } catch (error) {
    edit({ error: errorTextOf(error, templateChoiceText.fillFailed) });
  }
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
