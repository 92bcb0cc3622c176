import { commands, page } from "vitest/browser";

export function frameWithin(ms: number, of: Window = window): Promise<boolean> {
  return new Promise((resolve) => {
    const late = setTimeout(() => resolve(false), ms);
    of.requestAnimationFrame(() => {
      clearTimeout(late);
      resolve(true);
    });
  });
}

const STOPPED = "the browser draws this page no more, so no test of it can click";

export function failIfStopped(): void {
  if (document.documentElement.dataset.stopped) throw new Error(STOPPED);
}

/** Chromium, on a busy machine, has stopped drawing a page for good: each click waits for a frame. */
export async function wake(): Promise<string[]> {
  const attempts = {
    resize: async () => {
      await page.viewport(1439, 900);
      await page.viewport(1440, 900);
    },
    show: () => commands.show(),
    redraw: () => commands.redraw(),
  };
  const around = (await frameWithin(5_000, window.parent)) ? "does" : "does not";
  console.warn(`The browser drew no frame for the page; for the window around it, it ${around}.`);
  for (const [name, attempt] of Object.entries(attempts)) {
    await attempt().catch((error) => console.warn(`«${name}» failed:`, error));
    const drawn = await frameWithin(5_000);
    console.warn(`After «${name}» it ${drawn ? "does" : "does not"}.`);
    if (drawn) return [];
  }
  document.documentElement.dataset.stopped = "true";
  return [STOPPED];
}
