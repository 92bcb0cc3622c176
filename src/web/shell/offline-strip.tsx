import { useQuery, useQueryClient } from "@tanstack/react-query";
import { clsx } from "clsx";
import { CloudOff } from "lucide-react";
import { useEffect, useState, useSyncExternalStore } from "react";
import { ApiError } from "../api/api-error.ts";
import { useLive } from "../api/events.ts";
import { summaryQuery } from "../api/summary-query.ts";
import { shellText as t } from "../messages/shell.ts";
import { Icon } from "../ui/icon.tsx";
import textStyles from "../ui/text.module.css";
import styles from "./shell.module.css";

/** Short losses and server restarts end within this time and need no notice. */
const PATIENCE_MS = 5_000;
const ASK_MS = 5_000;

export function OfflineStrip() {
  const queries = useQueryClient();
  const online = useOnline();
  const away = useAway(online);
  useEffect(() => {
    if (!away) return;
    // Refetch all: not every query has a topic, and the stream may return last.
    return () => void queries.invalidateQueries({}, { cancelRefetch: false });
  }, [away, queries]);
  if (!away) return null;
  return (
    <div className={clsx(textStyles.label, styles.offline)} data-ui="offline" role="status">
      <Icon of={CloudOff} sm />
      <span>{online ? t.away : t.offline}</span>
    </div>
  );
}

function useAway(online: boolean): boolean {
  const queries = useQueryClient();
  const live = useLive();
  // A cut line may leave the stream open for minutes; offline, a local server still answers.
  const doubt = !live || !online;
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
  // Signed out: the redirect to the login is under way.
  if (error instanceof ApiError && error.status === 401) return false;
  // Earlier errors may be of a server just restarting.
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
