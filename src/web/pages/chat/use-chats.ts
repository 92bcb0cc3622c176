import {
  type QueryClient,
  type QueryKey,
  queryOptions,
  useQuery,
  useQueryClient,
} from "@tanstack/react-query";
import { useCallback, useEffect, useRef, useState } from "react";
import type { Chat, ChatMessage } from "../../../contract/chats.ts";
import { api } from "../../api/call.ts";
import { usePollingWhenDown, whenChanged } from "../../api/events.ts";
import { serverNow } from "../../api/server-clock.ts";
import {
  type ChatList,
  type MessageList,
  withChat,
  withMessage,
  withMore,
  withNewest,
  withNewestMessages,
  withOlderMessages,
} from "./merge.ts";

const POLL_MS = 5_000;
/** As many conversations as the server tells at once. */
const PAGE = 50;
/** What is on its way moves within seconds; what was sent a while ago may be read any time, which is worth a look now and then. */
const ON_ITS_WAY_MS = 3_000;
const RECENT_MS = 15_000;
const RECENT_FOR_MS = 3_600_000;
/** As far as the server's clock is not known. */
const LEAST_MS = 1_000;

/** Reads on where a list ends: at most one request at a time, and none by itself after a fault. */
export type Further = { more: boolean; busy: boolean; failed: boolean; read: () => void };

/** The conversations of a connection, newest first; `search` looks in names, numbers and messages. */
export function useChatList(connectionId: number | undefined, search: string) {
  const queries = useQueryClient();
  const key = ["chats", "list", connectionId, search];
  const query = useQuery({
    queryKey: key,
    queryFn: async ({ signal }) => {
      const head = await api("GET /api/chats", {
        query: { connectionId: connectionId ?? 0, search },
        signal,
      });
      return withNewest(queries.getQueryData<ChatList>(key), head);
    },
    enabled: connectionId !== undefined,
    // While one types the former findings stay; those of another connection do not.
    placeholderData: (before, former) => (former?.queryKey[2] === connectionId ? before : undefined),
    refetchInterval: usePollingWhenDown(POLL_MS),
  });
  const further = useFurther(key, query.data?.next ?? null, async (cursor) => {
    const page = await api("GET /api/chats", { query: { connectionId: connectionId ?? 0, search, cursor } });
    queries.setQueryData<ChatList>(key, (known) => known && withMore(known, page));
  });
  useChangesBeyond(connectionId, search);
  return { ...query, further };
}

/** The newest page, which alone is asked for anew, does not tell of what changed beyond it, as by being read on the phone. */
function useChangesBeyond(connectionId: number | undefined, search: string): void {
  const queries = useQueryClient();
  useEffect(() => {
    const changed = new Set<number>();
    let asking = false;
    const isBeyond = (id: number) =>
      queries
        .getQueryData<ChatList>(["chats", "list", connectionId, search])
        ?.chats.some((chat, place) => chat.id === id && place >= PAGE);
    // One after the other: a phone that comes back tells of hundreds at once.
    async function ask() {
      asking = true;
      for (const id of changed) {
        changed.delete(id);
        await queries.fetchQuery({ ...chatQuery(id), staleTime: 0 }).then(
          (chat) => putChat(queries, chat),
          // One that has gone leaves with the next whole list; after any other fault its next change asks again.
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

const chatQuery = (id: number) =>
  queryOptions({
    queryKey: ["chats", "one", id],
    queryFn: ({ signal }) => api("GET /api/chats/{id}", { params: { id }, signal }),
  });

/** One conversation, also where the list does not show it. */
export function useChat(id: number | undefined) {
  const queries = useQueryClient();
  const polling = usePollingWhenDown(POLL_MS);
  return useQuery({
    ...chatQuery(id ?? 0),
    enabled: id !== undefined,
    // What the list shows of it is enough to begin with.
    placeholderData: () =>
      queries
        .getQueriesData<ChatList>({ queryKey: ["chats", "list"] })
        .flatMap(([, known]) => known?.chats ?? [])
        .find((chat) => chat.id === id),
    refetchInterval: ({ state }) => polling || untilPauseEnds(state.data),
  });
}

type Looked = { isSuccess: boolean; isStale: boolean; isFetchedAfterMount: boolean };

/** Whether an answer is not one of an earlier visit, of which nobody was told since what has changed. */
export const isUpToDate = ({ isSuccess, isStale, isFetchedAfterMount }: Looked): boolean =>
  isSuccess && (isFetchedAfterMount || !isStale);

/** Nobody tells that a pause of the assistant is over: it is by the clock. */
function untilPauseEnds(chat: Chat | undefined): number | false {
  const until = chat?.assistant.pausedUntil;
  return until ? Math.max(LEAST_MS, Date.parse(until) - serverNow() + LEAST_MS) : false;
}

const messagesKey = (chatId: number) => ["chats", "messages", chatId];

/** The messages of a conversation, oldest first: the newest 100, and those before them as they are asked for. */
export function useMessages(chatId: number) {
  const queries = useQueryClient();
  const polling = usePollingWhenDown(POLL_MS);
  const key = messagesKey(chatId);
  const query = useQuery({
    queryKey: key,
    queryFn: async ({ signal }) => {
      const page = await api("GET /api/chats/{id}/messages", { params: { id: chatId }, signal });
      return withNewestMessages(queries.getQueryData<MessageList>(key), page);
    },
    // The library would compare each of thousands of messages with the one that stood in its place before older ones came.
    structuralSharing: false,
    refetchInterval: ({ state }) => polling || untilNextLook(state.data?.messages ?? []),
  });
  const further = useFurther(key, query.data?.older ?? null, async (older) => {
    const page = await api("GET /api/chats/{id}/messages", { params: { id: chatId }, query: { older } });
    queries.setQueryData<MessageList>(key, (known) => known && withOlderMessages(known, page));
  });
  return { ...query, further };
}

/** Campaigns tell of their receipts under a topic of their own: while ticks of ours may move, the chat looks by itself. */
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

/** Shows a conversation as the server just told it, everywhere it stands. */
export function putChat(queries: QueryClient, chat: Chat): void {
  queries.setQueryData(chatQuery(chat.id).queryKey, chat);
  queries.setQueriesData<ChatList>(
    { queryKey: ["chats", "list"] },
    (known) => known && withChat(known, chat),
  );
}

/** Shows a message that the server just told of, and lets the list move. */
export function putMessage(queries: QueryClient, chatId: number, message: ChatMessage): void {
  queries.setQueryData<MessageList>(messagesKey(chatId), (known) => known && withMessage(known, message));
  void queries.invalidateQueries({ queryKey: ["chats"] });
}
