import { useQuery } from "@tanstack/react-query";
import { api } from "./call.ts";
import { usePollingWhenDown } from "./events.ts";

export function useUnread() {
  return useQuery({
    queryKey: ["chats", "unread"],
    queryFn: ({ signal }) => api("GET /api/chats/unread", { signal }),
    refetchInterval: usePollingWhenDown(30_000),
  });
}
