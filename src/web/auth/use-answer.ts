import { useCallback, useEffect, useRef, useState } from "react";

/** Without the query library, which only the shell loads. */
export function useAnswer<T>(ask: () => Promise<T>) {
  const [state, setState] = useState<{ data?: T; error: unknown; busy: boolean }>({
    error: null,
    busy: true,
  });
  const turns = useRef(0);
  const load = useCallback(async () => {
    const turn = ++turns.current;
    setState({ error: null, busy: true });
    const next = await ask().then(
      (data) => ({ data, error: null, busy: false }),
      (error: unknown) => ({ error, busy: false }),
    );
    if (turn === turns.current) setState(next);
  }, [ask]);
  useEffect(() => void load(), [load]);
  return { ...state, load };
}
