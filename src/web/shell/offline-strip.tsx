import { useQuery, useQueryClient } from "@tanstack/react-query";
import { CloudOff } from "lucide-react";
import { useEffect, useState, useSyncExternalStore } from "react";
import { ApiError } from "../api/api-error.ts";
import { useLive } from "../api/events.ts";
import { summaryQuery } from "../api/summary-query.ts";
import { shellText as t } from "../messages/shell.ts";
import { Icon } from "../ui/icon.tsx";

/** A line that broke for a moment and a server that starts anew are back within this time, and nobody need know. */
const PATIENCE_MS = 5_000;
const ASK_MS = 5_000;

/** Stands above every screen while what it shows may no longer be true because nobody answers; nothing otherwise. */
export function OfflineStrip() {
  const queries = useQueryClient();
  const online = useOnline();
  const away = useAway(online);
  useEffect(() => {
    if (!away) return;
    // Not every question has a topic that the stream of changes asks anew when it is back, and the stream may be the last to be.
    return () => void queries.invalidateQueries({}, { cancelRefetch: false });
  }, [away, queries]);
  if (!away) return null;
  return (
    <div className="offline" role="status">
      <Icon of={CloudOff} sm />
      <span>{online ? t.away : t.offline}</span>
    </div>
  );
}

/** Whether neither changes come by themselves nor the server answers when it is asked. */
function useAway(online: boolean): boolean {
  const queries = useQueryClient();
  const live = useLive();
  // A line that is cut off may leave the stream open for minutes. Without any network a server on the same computer still answers.
  const doubt = !live || !online;
  /** When patience ended; null while changes come, or have not long been missing. */
  const [since, setSince] = useState<number | null>(null);
  useEffect(() => {
    if (!doubt) return;
    const timer = setTimeout(() => {
      setSince(Date.now());
      void queries.refetchQueries(summaryQuery);
    }, PATIENCE_MS);
    return () => {
      clearTimeout(timer);
      setSince(null);
    };
  }, [doubt, queries]);
  const { dataUpdatedAt, error, errorUpdatedAt } = useQuery({
    ...summaryQuery,
    refetchInterval: since !== null && ASK_MS,
  });
  // The server has answered that nobody is signed in any more: the way to the door is taken, and may take a while.
  if (error instanceof ApiError && error.status === 401) return false;
  // What failed before may have met a server that was about to be there again.
  return doubt && since !== null && errorUpdatedAt >= since && errorUpdatedAt > dataUpdatedAt;
}

function useOnline(): boolean {
  return useSyncExternalStore(
    (changed) => {
      addEventListener("online", changed);
      addEventListener("offline", changed);
      return () => {
        removeEventListener("online", changed);
        removeEventListener("offline", changed);
      };
    },
    () => navigator.onLine,
  );
}
