import { useCallback, useEffect, useRef, useState } from "react";

/** What a question answers, asked when the page opens and whenever `ask` is another one. Outside the shell, so without the query library. */
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
    // Another question was put since.
    if (turn === turns.current) setState(next);
  }, [ask]);
  useEffect(() => void load(), [load]);
  return { ...state, load };
}
