import { useState } from "react";

/** Asks once more before a campaign is created. `ask` keeps its promise with whether the person goes on. */
export function useLastLook() {
  const [answer, setAnswer] = useState<((goOn: boolean) => void) | null>(null);
  return {
    asked: answer !== null,
    ask: () => new Promise<boolean>((resolve) => setAnswer(() => resolve)),
    end: (goOn: boolean) => {
      answer?.(goOn);
      setAnswer(null);
    },
  };
}
