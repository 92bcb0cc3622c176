import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { errorTextOf, orGone } from "../api/api-error.ts";
import { api } from "../api/call.ts";
import { leavingRequestsText as t } from "../messages/leaving-requests.ts";
import { toastDone, toastFailed, toastUndo } from "../ui/toast.tsx";

/** The entry that is decided about: `at` keeps a decision from a newer request, `who` is what messages call the person. */
type Request = { phone: string; at: string; who: string };

/** Both decisions about a person who may want to leave. A decision made elsewhere in the meantime is shown as it stands. */
export function useLeavingDecision({ phone, at, who }: Request) {
  const queries = useQueryClient();
  const [busy, setBusy] = useState(false);
  // With +: without, the digits of another country can be read as a number here.
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
