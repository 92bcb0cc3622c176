import { STOPPED } from "./stopped.ts";

const page = document.documentElement.dataset;

/** The queue is shared: a page that failed its files at once would take those of the other pages. */
const REST_MS = 20_000;

function frameWithin(ms: number): Promise<boolean> {
  return new Promise((resolve) => {
    const late = setTimeout(() => resolve(false), ms);
    requestAnimationFrame(() => {
      clearTimeout(late);
      resolve(true);
    });
  });
}

/** Chromium, on a busy machine, has stopped drawing a page for good: each click waits for a frame. */
export async function hasStopped(): Promise<boolean> {
  if (!page.stopped && !(await frameWithin(20_000))) page.stopped = "true";
  return page.stopped !== undefined;
}

export function failIfStopped(): void {
  if (page.stopped) throw new Error(STOPPED);
}

export async function restIfStopped(): Promise<void> {
  if (page.stopped) await new Promise((resolve) => setTimeout(resolve, REST_MS));
  failIfStopped();
}
