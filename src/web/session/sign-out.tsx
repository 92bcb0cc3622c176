import { useQueryClient } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { createContext, type ReactNode, useCallback, useContext, useState } from "react";
import { errorTextOf } from "../api/api-error.ts";
import { api } from "../api/call.ts";
import { useMe } from "../api/me.ts";
import { anythingKept } from "../lib/kept-place.ts";
import { storeTheme } from "../lib/theme.ts";
import { commonText } from "../messages/common.ts";
import { shellText as t } from "../messages/shell.ts";
import { ConfirmDialog } from "../ui/confirm-dialog.tsx";
import { toastFailed } from "../ui/toast.tsx";
import { anythingUnsaved } from "../ui/use-unsaved.tsx";
import { anythingUnsent } from "./unsent.ts";

const Logout = createContext<() => void>(() => undefined);

export const useLogout = () => useContext(Logout);

type Lost = { unsent: boolean; unsaved: boolean; kept: boolean };

/** Outlives the menu that called it. */
export function SignOut({ children }: { children: ReactNode }) {
  const queries = useQueryClient();
  const [asking, setAsking] = useState<Lost | null>(null);
  const leave = useLeave();
  const { id } = useMe();
  const logout = useCallback(() => {
    const lost = {
      unsent: anythingUnsent(queries),
      unsaved: anythingUnsaved(),
      kept: anythingKept(id, Date.now()),
    };
    // The closing palette restores focus in a later task, which would take it from the dialog.
    if (lost.unsent || lost.unsaved || lost.kept) setTimeout(() => setTimeout(setAsking, 0, lost));
    else leave().catch((error: unknown) => toastFailed(errorTextOf(error, t.logoutFailed)));
  }, [queries, leave, id]);
  return (
    <Logout value={logout}>
      {children}
      {asking && <Question lost={asking} onConfirm={leave} onClose={() => setAsking(null)} />}
    </Logout>
  );
}

type QuestionProps = { lost: Lost; onConfirm: () => Promise<void>; onClose: () => void };

function Question({ lost: { unsent, unsaved, kept }, ...submissions }: QuestionProps) {
  const words = unsaved || kept ? commonText.unsaved : t.unsent;
  return (
    <ConfirmDialog
      question={words.question}
      verb={words.verb}
      back={words.back}
      failure={t.unsent.failed}
      {...submissions}
    >
      {unsaved && commonText.unsaved.lost} {kept && t.keptLost} {unsent && t.unsent.lost}
    </ConfirmDialog>
  );
}

function useLeave(): () => Promise<void> {
  const router = useRouter();
  const queries = useQueryClient();
  return useCallback(async () => {
    await api("POST /api/logout");
    storeTheme();
    router.options.context.session.leave();
    await router.navigate({ to: "/login" });
    queries.clear();
  }, [router, queries]);
}
