import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState, useSyncExternalStore } from "react";
import type { Chat } from "../../../contract/chats.ts";
import { api } from "../../api/call.ts";
import { putChat } from "./use-chats.ts";

/** False while another tab covers it. */
function useDocumentVisible(): boolean {
  return useSyncExternalStore(
    (changed) => {
      document.addEventListener("visibilitychange", changed);
      return () => document.removeEventListener("visibilitychange", changed);
    },
    () => document.visibilityState === "visible",
  );
}

/**
 * Reports the chat as read up to `upTo`, so that later messages stay unread even if the report is late.
 * Undefined: its end is not visible.
 */
export function useReading({ id, unread }: Chat, upTo: number | undefined): void {
  const queries = useQueryClient();
  const visible = useDocumentVisible();
  const [telling, setTelling] = useState(false);
  const said = useRef("");
  useEffect(() => {
    if (telling) return;
    if (upTo === undefined || !visible || unread === 0) {
      said.current = "";
      return;
    }
    const saying = `${id} ${unread} ${upTo}`;
    if (saying === said.current) return;
    said.current = saying;
    setTelling(true);
    api("POST /api/chats/{id}/read", { params: { id }, body: { upTo } })
      .then((read) => putChat(queries, read))
      .catch(() => undefined)
      .finally(() => setTelling(false));
  }, [telling, id, unread, upTo, visible, queries]);
}
