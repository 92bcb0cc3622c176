import { useEffect, useState } from "react";

const PAUSE_MS = 200;

export function usePaused(words: string): string {
  const [asked, setAsked] = useState(words);
  useEffect(() => {
    const timer = setTimeout(() => setAsked(words), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [words]);
  return asked;
}
