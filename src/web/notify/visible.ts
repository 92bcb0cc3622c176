const LOCK = "recado-visible";

/** Holds a shared lock while visible, by which other tabs know. */
export function keepVisible(ended: AbortSignal): void {
  let release: (() => void) | null = null;
  const look = () => {
    if (document.visibilityState === "visible" && !ended.aborted) {
      if (release) return;
      const held = new Promise<void>((resolve) => {
        release = resolve;
      });
      navigator.locks.request(LOCK, { mode: "shared" }, () => held).catch(() => undefined);
    } else {
      release?.();
      release = null;
    }
  };
  look();
  document.addEventListener("visibilitychange", look);
  ended.addEventListener("abort", () => {
    document.removeEventListener("visibilitychange", look);
    look();
  });
}

export async function someTabIsVisible(): Promise<boolean> {
  if (document.visibilityState === "visible") return true;
  const { held = [] } = await navigator.locks.query();
  return held.some(({ name }) => name === LOCK);
}
