import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { errorTextOf, orGone } from "../api/api-error.ts";
import { api } from "../api/call.ts";
import { leavingRequestsText as t } from "../messages/leaving-requests.ts";
import { toastDone, toastFailed, toastUndo } from "../ui/toast.tsx";

/** `at` keeps a decision from a newer request; `who` is the name shown in messages. */
type Request = { phone: string; at: string; who: string };

export function useLeavingDecision({ phone, at, who }: Request) {
  const queries = useQueryClient();
  const [busy, setBusy] = useState(false);
  // Without +, foreign digits could be read as a Brazilian number.
  const params = { phone: `+${phone}` };
  const changed = () =>
    Promise.all(["contacts", "chats"].map((topic) => queries.invalidateQueries({ queryKey: [topic] })));

  async function decide(act: () => Promise<void>): Promise<void> {
    setBusy(true);
    try {
      await act();
    } catch (error) {
      toastFailed(errorTextOf(error, t.failed));
    }
    await changed();
    setBusy(false);
  }

  const leaves = () =>
    decide(async () => {
      const left = await orGone(api("POST /api/opt-outs/{phone}/confirm", { params, body: { at } }));
      if (left) toastDone(t.left(who));
    });

  const stays = () =>
    decide(async () => {
      const stayed = await orGone(api("DELETE /api/opt-outs/{phone}", { params, query: { at } }));
      if (!stayed) return;
      toastUndo(t.stayed(who), async () => {
        await api("POST /api/opt-outs/restore", { body: { undo: stayed.undo } });
        await changed();
        return t.undone(who);
      });
    });

  return { busy, leaves, stays };
}
