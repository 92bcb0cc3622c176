import { useState } from "react";

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
