import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState, useSyncExternalStore } from "react";
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

/**
 * A conversation whose end is on the screen has no unread messages, as far as it is shown: the server is told how far that is, so that
 * what arrives meanwhile stays unread, also where this was said late. `upTo` is undefined where the end is not in view.
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
    // What was said once and did not help is said again with the next message or look only.
    const saying = `${id} ${unread} ${upTo}`;
    if (saying === said.current) return;
    said.current = saying;
    setTelling(true);
    api("POST /api/chats/{id}/read", { params: { id }, body: { upTo } })
      .then((read) => putChat(queries, read))
      // The mark stays.
      .catch(() => undefined)
      .finally(() => setTelling(false));
  }, [telling, id, unread, upTo, visible, queries]);
}
