import type { QueryClient } from "@tanstack/react-query";
import type { ChatMessage } from "../../contract/chats.ts";
import type { UploadProgress } from "../api/upload-watch.ts";
import type { StoredFile } from "../ui/attachment-upload.tsx";

export type Quote = { key: string } & NonNullable<ChatMessage["quoted"]>;

export type RecordedVoice = { file: File; seconds: number; end: "asked" | "cut" | "full" };

export type Draft = {
  text: string;
  quote: Quote | null;
  file: StoredFile | null;
  voice: "recording" | RecordedVoice | null;
  /** A file is uploading; `send`: send everything once it is done. */
  coming: { send: boolean; progress: UploadProgress; cancel: () => void } | null;
  error: string | null;
  /** Keys of a template without a value. */
  missing: readonly string[];
  sentAt: number;
};

export type Outgoing = {
  /** Idempotency key: same key and text are one message. */
  key: string;
  text: string;
  quote: Quote | null;
  file: StoredFile | null;
  at: string;
  error: string | null;
  unknown: boolean;
};

const DRAFT = "chat-draft";
const OUTGOING = "chat-outgoing";

export const draftKey = (chatId: number) => [DRAFT, chatId];
export const outgoingKey = (chatId: number) => [OUTGOING, chatId];

/** Warns before unload while a chat has unsent text. Returns the stop function. */
export function askBeforeLoss(queries: QueryClient): () => void {
  const ask = (event: BeforeUnloadEvent) => {
    if (anythingUnsent(queries)) event.preventDefault();
  };
  addEventListener("beforeunload", ask);
  return () => removeEventListener("beforeunload", ask);
}

export function anythingUnsent(queries: QueryClient): boolean {
  const drafts = queries.getQueriesData<Draft>({ queryKey: [DRAFT] });
  const outgoing = queries.getQueriesData<readonly Outgoing[]>({ queryKey: [OUTGOING] });
  return (
    drafts.some(([, draft]) => draft && holdsAnything(draft)) ||
    outgoing.some(([, messages]) => messages && messages.length > 0)
  );
}

const holdsAnything = ({ text, file, voice, coming }: Draft) =>
  text.trim() !== "" || file !== null || voice !== null || coming !== null;
