import { type QueryClient, useQueryClient } from "@tanstack/react-query";
import { useMemo } from "react";
import { ApiError, errorTextOf } from "../../api/api-error.ts";
import { api } from "../../api/call.ts";
import { freshKey } from "../../lib/fresh-key.ts";
import { chatText as t } from "../../messages/chat.ts";
import { type Outgoing, outgoingKey, type Quote } from "../../session/unsent.ts";
import type { StoredFile } from "../../ui/attachment-upload.tsx";
import { putMessage } from "./use-chats.ts";
import { useKept } from "./use-kept.ts";

const NOTHING: readonly Outgoing[] = [];

/** Unsent messages: shown as «Pendente» at once, and kept on error until the page is closed. */
export function useSending(chatId: number) {
  const queries = useQueryClient();
  const [outgoing, change] = useKept(outgoingKey(chatId), NOTHING);
  return useMemo(
    () => ({
      outgoing,
      send: (text: string, file: StoredFile | null, quote: Quote | null) => {
        const at = new Date().toISOString();
        const message = { key: freshKey(), text, quote, file, at, error: null, unknown: false };
        change((before) => [...before, message]);
        hand(queries, chatId, message);
      },
      again: (message: Outgoing) => {
        const fresh = { ...message, error: null };
        change((before) => before.map((each) => (each.key === message.key ? fresh : each)));
        hand(queries, chatId, fresh);
      },
      discard: (key: string) => change((before) => before.filter((each) => each.key !== key)),
    }),
    [queries, chatId, outgoing, change],
  );
}

/** One queue per chat, so that quick messages keep their order. */
const queues = new Map<number, Promise<void>>();

function hand(queries: QueryClient, chatId: number, message: Outgoing): void {
  const before = queues.get(chatId) ?? Promise.resolve();
  const mine = before.then(() => deliver(queries, chatId, message));
  queues.set(chatId, mine);
  void mine.then(() => queues.get(chatId) === mine && queues.delete(chatId));
}

async function deliver(
  queries: QueryClient,
  chatId: number,
  { key, text, quote, file }: Outgoing,
): Promise<void> {
  const change = (by: (before: readonly Outgoing[]) => readonly Outgoing[]) =>
    queries.setQueryData<readonly Outgoing[]>(outgoingKey(chatId), (before) => by(before ?? NOTHING));
  try {
    const quoted = quote === null ? {} : { quotedKey: quote.key };
    const body = { text, attachmentId: file?.id ?? null, idempotencyKey: key, ...quoted };
    const stored = await api("POST /api/chats/{id}/messages", { params: { id: chatId }, body });
    change((before) => before.filter((each) => each.key !== key));
    putMessage(queries, chatId, stored);
  } catch (error) {
    const text = errorTextOf(error, t.notStored);
    const unknown = !(error instanceof ApiError) || error.status === 0 || error.status >= 500;
    change((before) => before.map((each) => (each.key === key ? { ...each, error: text, unknown } : each)));
  }
}
