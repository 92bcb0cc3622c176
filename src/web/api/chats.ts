import { queryOptions } from "@tanstack/react-query";
import { api } from "./call.ts";
import { type ChatList, type MessageList, withNewest, withNewestMessages } from "./chat-merge.ts";

export const chatListQuery = (connectionId: number | undefined, search: string) => {
  const queryKey = ["chats", "list", connectionId, search] as const;
  return queryOptions({
    queryKey,
    queryFn: async ({ client, signal }): Promise<ChatList> => {
      const head = await api("GET /api/chats", {
        query: { connectionId: connectionId ?? 0, search },
        signal,
      });
      return withNewest(client.getQueryData<ChatList>(queryKey), head);
    },
  });
};

export const chatQuery = (id: number) =>
  queryOptions({
    queryKey: ["chats", "one", id],
    queryFn: ({ signal }) => api("GET /api/chats/{id}", { params: { id }, signal }),
  });

export const messagesQuery = (chatId: number) => {
  const queryKey = ["chats", "messages", chatId] as const;
  return queryOptions({
    queryKey,
    queryFn: async ({ client, signal }): Promise<MessageList> => {
      const page = await api("GET /api/chats/{id}/messages", { params: { id: chatId }, signal });
      return withNewestMessages(client.getQueryData<MessageList>(queryKey), page);
    },
    // Structural sharing would compare thousands of shifted messages.
    structuralSharing: false,
  });
};
