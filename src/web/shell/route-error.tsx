import type { ErrorComponentProps } from "@tanstack/react-router";
import { RefreshCw } from "lucide-react";
import { useCallback, useEffect, useState } from "react";
import { errorTextOf } from "../api/api-error.ts";
import { api } from "../api/call.ts";
import { errorsText } from "../messages/errors.ts";
import { shellText } from "../messages/shell.ts";
import { Button } from "../ui/button.tsx";
import { SmallError } from "../ui/error-notice.tsx";
import pageStyles from "../ui/page.module.css";
import styles from "./shell.module.css";

/**
 * Reloading helps after an update, but offline it would show the browser's error page: wait for the network
 * and an answer.
 */
export function RouteError({ error }: ErrorComponentProps) {
  const [offline, setOffline] = useState(() => !navigator.onLine);
  const [busy, setBusy] = useState(false);
  const [shownError, setShownError] = useState<unknown>(error);
  const reload = useCallback(async () => {
    setBusy(true);
    try {
      await api("GET /api/health/live");
      window.location.reload();
    } catch (silence) {
      setShownError(silence);
      setBusy(false);
    }
  }, []);
  useEffect(() => {
    if (!offline) return;
    const back = () => {
      setOffline(false);
      void reload();
    };
    addEventListener("online", back);
    return () => removeEventListener("online", back);
  }, [offline, reload]);
  return (
    <main id="content" tabIndex={-1} className={styles.routeError}>
      <SmallError
        title={shellText.failed}
        text={offline ? errorsText.offline : errorTextOf(shownError, shellText.failedText)}
      >
        {offline ? (
          <p>{shellText.failedOffline}</p>
        ) : (
          <div className={pageStyles.actions} data-ui="actions">
            <Button small icon={RefreshCw} busy={busy} onClick={reload}>
              {shellText.reload}
            </Button>
          </div>
        )}
      </SmallError>
    </main>
  );
}
