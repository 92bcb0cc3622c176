import { useQueryClient } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { createContext, type ReactNode, useCallback, useContext, useState } from "react";
import { faultText } from "../api/api-error.ts";
import { api } from "../api/call.ts";
import { ConfirmDialog } from "../components/confirm-dialog.tsx";
import { toastFailed } from "../components/toast.tsx";
import { shellText as t } from "../messages/shell.ts";
import { anythingUnsent } from "../pages/chat/unsent.ts";

const Logout = createContext<() => void>(() => undefined);

/** Ends the session here and shows the login; asks before, where words would be lost that were written and not sent. */
export const useLogout = () => useContext(Logout);

/** Gives `useLogout` to what is inside, and outlives whatever was pressed: menus close at once. */
export function SignOut({ children }: { children: ReactNode }) {
  const queries = useQueryClient();
  const [asking, setAsking] = useState(false);
  const leave = useLeave();
  const logout = useCallback(() => {
    // The palette closes with the press, and gives the keyboard back in a task of its own: it would take it from the question.
    if (anythingUnsent(queries)) setTimeout(() => setTimeout(setAsking, 0, true));
    else leave().catch((error: unknown) => toastFailed(faultText(error, t.logoutFailed)));
  }, [queries, leave]);
  return (
    <Logout value={logout}>
      {children}
      {asking && (
        <ConfirmDialog
          question={t.unsent.question}
          verb={t.unsent.verb}
          back={t.unsent.back}
          failure={t.unsent.failed}
          onConfirm={leave}
          onClose={() => setAsking(false)}
        >
          {t.unsent.lost}
        </ConfirmDialog>
      )}
    </Logout>
  );
}

function useLeave(): () => Promise<void> {
  const router = useRouter();
  const queries = useQueryClient();
  return useCallback(async () => {
    await api("POST /api/logout");
    router.options.context.session.leave();
    await router.navigate({ to: "/login" });
    queries.clear();
  }, [router, queries]);
}
