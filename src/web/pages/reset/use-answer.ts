import { useCallback, useEffect, useState } from "react";

/** What a question answers, asked when the page opens and whenever `ask` is another one. Outside the shell, so without the query library. */
export function useAnswer<T>(ask: () => Promise<T>) {
  const [state, setState] = useState<{ data?: T; error: unknown; busy: boolean }>({
    error: null,
    busy: true,
  });
  const load = useCallback(async () => {
    setState({ error: null, busy: true });
    try {
      setState({ data: await ask(), error: null, busy: false });
    } catch (error) {
      setState({ error, busy: false });
    }
  }, [ask]);
  useEffect(() => void load(), [load]);
  return { ...state, load };
}
