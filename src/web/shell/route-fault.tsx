import type { ErrorComponentProps } from "@tanstack/react-router";
import { RefreshCw } from "lucide-react";
import { useEffect, useState } from "react";
import { faultText } from "../api/api-error.ts";
import { Button } from "../components/button.tsx";
import { SmallFault } from "../components/fault.tsx";
import { faultsText } from "../messages/faults.ts";
import { shellText } from "../messages/shell.ts";

const reload = () => window.location.reload();

/**
 * When a screen could not be fetched or drawn; the menu beside it stays. A new version on the server makes old screens' files vanish:
 * reloading helps. Without a network it would put the browser's own page in place of ours, so it is done when the network is back.
 */
export function RouteFault({ error }: ErrorComponentProps) {
  const [offline] = useState(() => !navigator.onLine);
  useEffect(() => {
    if (!offline) return;
    addEventListener("online", reload);
    return () => removeEventListener("online", reload);
  }, [offline]);
  return (
    <main id="content" tabIndex={-1} className="mx-auto grid min-h-[70dvh] max-w-xl content-center p-4">
      <SmallFault
        title={shellText.failed}
        text={offline ? faultsText.offline : faultText(error, shellText.failedText)}
      >
        {offline ? (
          <p>{shellText.failedOffline}</p>
        ) : (
          <div className="actions">
            <Button small icon={RefreshCw} onClick={reload}>
              {shellText.reload}
            </Button>
          </div>
        )}
      </SmallFault>
    </main>
  );
}
