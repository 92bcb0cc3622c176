import { useQuery } from "@tanstack/react-query";
import { api } from "./call.ts";
import { usePollingWhenDown } from "./events.ts";

/** How many messages nobody has read yet, of all conversations and by connection. */
export function useUnread() {
  return useQuery({
    queryKey: ["chats", "unread"],
    queryFn: ({ signal }) => api("GET /api/chats/unread", { signal }),
    refetchInterval: usePollingWhenDown(30_000),
  });
}
