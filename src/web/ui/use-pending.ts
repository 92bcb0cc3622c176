import { useCallback, useState } from "react";

export function usePending() {
  const [count, setCount] = useState(0);
  const during = useCallback(async <T>(act: () => Promise<T>): Promise<T> => {
    setCount((before) => before + 1);
    try {
      return await act();
    } finally {
      setCount((before) => before - 1);
    }
  }, []);
  return { busy: count > 0, during };
}

export type WhilePending = ReturnType<typeof usePending>["during"];
