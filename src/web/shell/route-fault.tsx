import type { ErrorComponentProps } from "@tanstack/react-router";
import { RefreshCw } from "lucide-react";
import { faultText } from "../api/api-error.ts";
import { Button } from "../components/button.tsx";
import { SmallFault } from "../components/fault.tsx";
import { shellText } from "../messages/shell.ts";

/** When a screen could not be fetched or drawn. A new version on the server makes old screens' files vanish: reloading helps. */
export function RouteFault({ error }: ErrorComponentProps) {
  return (
    <main className="mx-auto grid min-h-dvh max-w-xl content-center p-4">
      <SmallFault title={shellText.failed} text={faultText(error, shellText.failedText)}>
        <div className="actions">
          <Button small icon={RefreshCw} onClick={() => window.location.reload()}>
            {shellText.reload}
          </Button>
        </div>
      </SmallFault>
    </main>
  );
}
