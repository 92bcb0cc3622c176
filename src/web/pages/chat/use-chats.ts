import { type QueryClient, type QueryKey, useQuery, useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useRef, useState } from "react";
import type { Chat, ChatMessage } from "../../../contract/chats.ts";
import { api } from "../../api/call.ts";
import { type ChatList, withChat, withMessage, withMore, withOlderMessages } from "../../api/chat-merge.ts";
import { chatListQuery, chatQuery, messagesQuery } from "../../api/chats.ts";
import { usePollingWhenDown, whenChanged } from "../../api/events.ts";
import { serverNow } from "../../api/server-clock.ts";

const POLL_MS = 5_000;
const PAGE = 50;
/** A message being sent changes within seconds; a read receipt may come any time. */
const ON_ITS_WAY_MS = 3_000;
const RECENT_MS = 15_000;
const RECENT_FOR_MS = 3_600_000;
/** Margin for an unknown server clock. */
const LEAST_MS = 1_000;

/** Next page: one request at a time, none automatically after an error. */
export type Further = { more: boolean; busy: boolean; failed: boolean; read: () => void };

export function useChatList(connectionId: number | undefined, search: string) {
  const queries = useQueryClient();
  const options = chatListQuery(connectionId, search);
  const query = useQuery({
    ...options,
    enabled: connectionId !== undefined,
    // While typing, the former results stay, but not another connection's.
    placeholderData: (before, former) => (former?.queryKey[2] === connectionId ? before : undefined),
    refetchInterval: usePollingWhenDown(POLL_MS),
  });
  const further = useFurther(options.queryKey, query.data?.next ?? null, async (cursor) => {
    const page = await api("GET /api/chats", { query: { connectionId: connectionId ?? 0, search, cursor } });
    queries.setQueryData(options.queryKey, (known) => known && withMore(known, page));
  });
  useChangesBeyond(connectionId, search);
  return { ...query, further };
}

function useChangesBeyond(connectionId: number | undefined, search: string): void {
  const queries = useQueryClient();
  useEffect(() => {
    const changed = new Set<number>();
    let asking = false;
    const isBeyond = (id: number) =>
      queries
        .getQueryData(chatListQuery(connectionId, search).queryKey)
        ?.chats.some((chat, place) => chat.id === id && place >= PAGE);
    // Sequential: a returning phone reports hundreds at once.
    async function ask() {
      asking = true;
      for (const id of changed) {
        changed.delete(id);
        await queries.fetchQuery({ ...chatQuery(id), staleTime: 0 }).then(
          (chat) => putChat(queries, chat),
          // A deleted chat goes with the next list; other errors retry on the next change.
          () => undefined,
        );
      }
      asking = false;
    }
    const stop = whenChanged(({ topic, id }) => {
      if (topic !== "chats" || id === null || !isBeyond(id)) return;
      changed.add(id);
      if (!asking) void ask();
    });
    return () => {
      stop();
      changed.clear();
    };
  }, [queries, connectionId, search]);
}

export function useChat(id: number | undefined) {
  const queries = useQueryClient();
  const polling = usePollingWhenDown(POLL_MS);
  return useQuery({
    ...chatQuery(id ?? 0),
    enabled: id !== undefined,
    placeholderData: () =>
      queries
        .getQueriesData<ChatList>({ queryKey: ["chats", "list"] })
        .flatMap(([, known]) => known?.chats ?? [])
        .find((chat) => chat.id === id),
    refetchInterval: ({ state }) => polling || untilPauseEnds(state.data),
  });
}

type Looked = { isSuccess: boolean; isStale: boolean; isFetchedAfterMount: boolean };

/** False for a cached answer of an earlier visit: changes since were not received. */
export const isUpToDate = ({ isSuccess, isStale, isFetchedAfterMount }: Looked): boolean =>
  isSuccess && (isFetchedAfterMount || !isStale);

/** The end of an assistant pause has no event: poll at its time. */
function untilPauseEnds(chat: Chat | undefined): number | false {
  const until = chat?.assistant.pausedUntil;
  return until ? Math.max(LEAST_MS, Date.parse(until) - serverNow() + LEAST_MS) : false;
}

export function useMessages(chatId: number) {
  const queries = useQueryClient();
  const polling = usePollingWhenDown(POLL_MS);
  const options = messagesQuery(chatId);
  const query = useQuery({
    ...options,
    refetchInterval: ({ state }) => polling || untilNextLook(state.data?.messages ?? []),
  });
  const further = useFurther(options.queryKey, query.data?.older ?? null, async (older) => {
    const page = await api("GET /api/chats/{id}/messages", { params: { id: chatId }, query: { older } });
    queries.setQueryData(options.queryKey, (known) => known && withOlderMessages(known, page));
  });
  return { ...query, further };
}

/** Receipts of campaigns have another topic: poll while ticks may change. */
function untilNextLook(messages: readonly ChatMessage[]): number | false {
  const mine = messages.filter(({ fromMe }) => fromMe);
  if (mine.some(({ status }) => status === "pending" || status === "sending")) return ON_ITS_WAY_MS;
  const recent = mine.some(
    ({ status, at }) =>
      (status === "sent" || status === "delivered") && serverNow() - Date.parse(at) < RECENT_FOR_MS,
  );
  return recent && RECENT_MS;
}

function useFurther(
  key: QueryKey,
  cursor: string | null,
  fetchPage: (cursor: string) => Promise<void>,
): Further {
  const [state, setState] = useState<{ of: string; what: "busy" | "failed" } | null>(null);
  const running = useRef<string | null>(null);
  const of = JSON.stringify([key, cursor]);
  const now = state?.of === of ? state.what : null;
  const fetchLatest = useRef(fetchPage);
  fetchLatest.current = fetchPage;
  const read = useCallback(async () => {
    if (cursor === null || running.current === of) return;
    running.current = of;
    setState({ of, what: "busy" });
    try {
      await fetchLatest.current(cursor);
      setState(null);
    } catch {
      setState({ of, what: "failed" });
    } finally {
      running.current = null;
    }
  }, [cursor, of]);
  return { more: cursor !== null, busy: now === "busy", failed: now === "failed", read: () => void read() };
}

export function putChat(queries: QueryClient, chat: Chat): void {
  queries.setQueryData(chatQuery(chat.id).queryKey, chat);
  queries.setQueriesData<ChatList>(
    { queryKey: ["chats", "list"] },
    (known) => known && withChat(known, chat),
  );
}

export function putMessage(queries: QueryClient, chatId: number, message: ChatMessage): void {
  queries.setQueryData(messagesQuery(chatId).queryKey, (known) => known && withMessage(known, message));
  void queries.invalidateQueries({ queryKey: ["chats"] });
}
