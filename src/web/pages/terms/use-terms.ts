import { useCallback, useEffect, useState } from "react";
import type { Terms } from "../../../contract/accounts.ts";
import { api } from "../../api/call.ts";

/** Without the query library, which only the shell loads. */
export function useTerms() {
  const [data, setData] = useState<Terms | null>(null);
  const [error, setError] = useState<unknown>(null);
  const [pending, setPending] = useState(true);
  const load = useCallback(async () => {
    setPending(true);
    try {
      setData(await api("GET /api/terms"));
      setError(null);
    } catch (thrown) {
      setError(thrown);
    } finally {
      setPending(false);
    }
  }, []);
  useEffect(() => void load(), [load]);
  return { data, error, pending, retry: load };
}
