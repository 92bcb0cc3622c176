import { useQueryClient } from "@tanstack/react-query";
import type { AttachmentKind } from "../../../domain/attachment.ts";
import { CAPTION_MAX, codePoints, normalizeText, TEXT_MAX, textError } from "../../../domain/message-text.ts";
import { chatText } from "../../messages/chat.ts";
import { formatNumber } from "../../messages/format.ts";
import { type Draft, draftKey } from "../../session/unsent.ts";
import { type StoredFile, storeFile } from "../../ui/attachment-upload.tsx";
import { useKept } from "./use-kept.ts";

const t = chatText.send;
const DOUBLE_MS = 600;

const NOTHING: Draft = {
  text: "",
  file: null,
  coming: null,
  error: null,
  sentAt: Number.NEGATIVE_INFINITY,
};

/** Its upload and delayed send continue in other chats. */
export function useDraft(chatId: number, onSend: (text: string, file: StoredFile | null) => void) {
  const queries = useQueryClient();
  const key = draftKey(chatId);
  const [draft, change] = useKept(key, NOTHING);
  const edit = (part: Partial<Draft>) => change((before) => ({ ...before, ...part }));
  const now = () => queries.getQueryData<Draft>(key) ?? NOTHING;

  const submit = (): string | null => {
    const { text, file, coming, sentAt } = now();
    const words = normalizeText(text).trim();
    const error = refusal(words, file?.kind ?? (coming ? "document" : null));
    // The second press of a double click finds the field empty: no error.
    if (error === t.blank && performance.now() - sentAt < DOUBLE_MS) return null;
    if (error) return error;
    if (coming) edit({ coming: { send: true } });
    else {
      change(() => ({ ...NOTHING, sentAt: performance.now() }));
      onSend(words, file);
    }
    return null;
  };
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
  return { draft, edit, submit, take };
}

function refusal(text: string, attachment: AttachmentKind | null): string | null {
  const error = textError(text, attachment);
  if (error === null || (error === "required" && attachment)) return null;
  if (error === "no_caption") return t.takesNoText;
  if (error === "required") return t.blank;
  if (error === "unreadable") return t.unreadable;
  const most = attachment ? CAPTION_MAX : TEXT_MAX;
  const over = formatNumber(codePoints(text) - most);
  return attachment ? t.captionTooLong(formatNumber(most), over) : t.tooLong(formatNumber(most), over);
}
