import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useSyncExternalStore } from "react";
import type { Chat } from "../../../contract/chats.ts";
import { api } from "../../api/call.ts";
import { putChat } from "./use-chats.ts";

/** Whether somebody may be looking: not while another tab or program lies above. */
function useDocumentVisible(): boolean {
  return useSyncExternalStore(
    (changed) => {
      document.addEventListener("visibilitychange", changed);
      return () => document.removeEventListener("visibilitychange", changed);
    },
    () => document.visibilityState === "visible",
  );
}

/** A conversation whose end is on the screen has no unread messages any more; the server is told so. */
export function useReading(chat: Chat, endInView: boolean): void {
  const queries = useQueryClient();
  const visible = useDocumentVisible();
  const telling = useRef(false);
  const { id, unread } = chat;
  const toTell = visible && endInView ? unread : 0;
  useEffect(() => {
    if (toTell === 0 || telling.current) return;
    telling.current = true;
    api("POST /api/chats/{id}/read", { params: { id } })
      .then((read) => putChat(queries, read))
      // The mark stays, and the next message or look tries again.
      .catch(() => undefined)
      .finally(() => {
        telling.current = false;
      });
  }, [toTell, id, queries]);
}
