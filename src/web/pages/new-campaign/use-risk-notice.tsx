import { useRouter } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { api } from "../../api/call.ts";
import { RiskDialog } from "./risk-dialog.tsx";

/**
 * WhatsApp's rules and what breaking them costs, read once before the first campaign of an account. `ask` keeps its promise with
 * whether the person goes on.
 */
export function useRiskNotice(): { ask: () => Promise<boolean>; dialog: ReactNode } {
  const { session } = useRouter().options.context;
  const [answer, setAnswer] = useState<((goOn: boolean) => void) | null>(null);
  const end = (goOn: boolean) => {
    answer?.(goOn);
    setAnswer(null);
  };
  /** It may have been read in another tab since this one was opened; asked only until it was. */
  const wasRead = async () => {
    if ((await session.load()).riskRead) return true;
    const me = await api("GET /api/me").catch(() => null);
    if (me) session.remember(me);
    return me?.riskRead ?? false;
  };
  return {
    ask: async () => (await wasRead()) || new Promise<boolean>((resolve) => setAnswer(() => resolve)),
    dialog: answer && (
      <RiskDialog
        onAccept={async () => {
          session.remember(await api("PATCH /api/settings/profile", { body: { riskRead: true } }));
          end(true);
        }}
        onClose={() => end(false)}
      />
    ),
  };
}
