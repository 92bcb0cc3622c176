import { useCallback, useEffect, useState } from "react";
import { type Answer, api } from "../../api/call.ts";

type Subscription = Answer<"GET /api/unsubscribe/{token}">;

export function useUnsubscribe(token: string) {
  const [data, setData] = useState<Subscription | null>(null);
  const [error, setError] = useState<unknown>(null);
  const [busy, setBusy] = useState(true);
  const run = useCallback(async (ask: () => Promise<Subscription>) => {
    setBusy(true);
    setError(null);
    try {
      setData(await ask());
    } catch (error) {
      setError(error);
    } finally {
      setBusy(false);
    }
  }, []);
  const load = useCallback(
    () => run(() => api("GET /api/unsubscribe/{token}", { params: { token } })),
    [run, token],
  );
  const confirm = () => run(() => api("POST /api/unsubscribe/{token}", { params: { token } }));
  useEffect(() => void load(), [load]);
  return { data, error, busy, load, confirm };
}
