import { useRouter } from "@tanstack/react-router";
import { lazy, type ReactNode, Suspense, useState } from "react";
import { api } from "../../api/call.ts";

const RiskDialog = lazy(async () => ({ default: (await import("./risk-dialog.tsx")).RiskDialog }));

/**
 * WhatsApp's rules, confirmed once before an account's first campaign. `ask` resolves to whether to go on.
 */
export function useRiskNotice(): { ask: () => Promise<boolean>; dialog: ReactNode } {
  const { session } = useRouter().options.context;
  const [answer, setAnswer] = useState<((goOn: boolean) => void) | null>(null);
  const end = (goOn: boolean) => {
    answer?.(goOn);
    setAnswer(null);
  };
  const wasRead = async () => {
    if ((await session.load()).riskRead) return true;
    const me = await api("GET /api/me").catch(() => null);
    if (me) session.update(me);
    return me?.riskRead ?? false;
  };
  return {
    ask: async () => (await wasRead()) || new Promise<boolean>((resolve) => setAnswer(() => resolve)),
    dialog: answer && (
      <Suspense>
        <RiskDialog
          onAccept={async () => {
            session.update(await api("PATCH /api/settings/profile", { body: { riskRead: true } }));
            end(true);
          }}
          onClose={() => end(false)}
        />
      </Suspense>
    ),
  };
}
