import { useQuery } from "@tanstack/react-query";
import { api } from "../api/call.ts";
import { usePollingWhenDown } from "../api/events.ts";

/** How many messages of all conversations nobody has read yet; 0 until it is known. */
export function useUnread(): number {
  const query = useQuery({
    queryKey: ["chats", "unread"],
    queryFn: ({ signal }) => api("GET /api/chats/unread", { signal }),
    refetchInterval: usePollingWhenDown(30_000),
  });
  return query.data?.unread ?? 0;
}
