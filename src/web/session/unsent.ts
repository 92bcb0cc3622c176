import type { QueryClient } from "@tanstack/react-query";
import type { StoredImage } from "../ui/image-upload.tsx";

/** What a person is about to say in a conversation. */
export type Draft = {
  text: string;
  image: StoredImage | null;
  /** A picture is on its way to the server; with the wish to send, all of it goes as soon as that is there. */
  coming: { send: boolean } | null;
  /** Why its picture was not taken, or what was wished meanwhile not done. */
  fault: string | null;
  /** When the last one left this field, on the page's clock. */
  sentAt: number;
};

/** A message that the server has not confirmed to have yet. */
export type Outgoing = {
  /** The same key with the same words is the same message, however often it is sent. */
  key: string;
  text: string;
  image: StoredImage | null;
  at: string;
  /** Why the server has not taken it; null while it is on its way there. */
  fault: string | null;
  /** The server may have it all the same. */
  unknown: boolean;
};

const DRAFT = "chat-draft";
const OUTGOING = "chat-outgoing";

/** Where they are kept, beside what was fetched. */
export const draftKey = (chatId: number) => [DRAFT, chatId];
export const outgoingKey = (chatId: number) => [OUTGOING, chatId];

/** Lets the browser ask before the page goes with what was written in any conversation and is not at the server. Returns how to stop. */
export function askBeforeLoss(queries: QueryClient): () => void {
  const ask = (event: BeforeUnloadEvent) => {
    if (anythingUnsent(queries)) event.preventDefault();
  };
  addEventListener("beforeunload", ask);
  return () => removeEventListener("beforeunload", ask);
}

/** Whether the server lacks anything that was written in any conversation. */
export function anythingUnsent(queries: QueryClient): boolean {
  const drafts = queries.getQueriesData<Draft>({ queryKey: [DRAFT] });
  const outgoing = queries.getQueriesData<readonly Outgoing[]>({ queryKey: [OUTGOING] });
  return (
    drafts.some(([, draft]) => draft && (draft.text.trim() !== "" || draft.image || draft.coming)) ||
    outgoing.some(([, messages]) => messages && messages.length > 0)
  );
}
