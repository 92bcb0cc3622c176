import { useQueryClient } from "@tanstack/react-query";
import { useCallback, useState } from "react";
import { api } from "../api/call.ts";
import { putConnection } from "../api/connections.ts";

type Wish = "qr" | "pairing-code" | "reconnect";

export function useAskConnection(wish: Wish, id: number | undefined) {
  const queries = useQueryClient();
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const ask = useCallback(async () => {
    if (id === undefined) return;
    setBusy(true);
    setError(null);
    try {
      putConnection(queries, await api(`POST /api/connections/{id}/${wish}`, { params: { id } }));
    } catch (thrown) {
      setError(thrown);
    } finally {
      setBusy(false);
    }
  }, [wish, id, queries]);
  return { ask, busy, error };
}
