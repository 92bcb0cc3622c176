import { commands, page } from "vitest/browser";

export function frameWithin(ms: number): Promise<boolean> {
  return new Promise((resolve) => {
    const late = setTimeout(() => resolve(false), ms);
    requestAnimationFrame(() => {
      clearTimeout(late);
      resolve(true);
    });
  });
}

/** Chromium has been seen to stop drawing a page for good: each click of all later tests waits for a frame. */
export async function wake(): Promise<string[]> {
  const attempts = {
    resize: async () => {
      await page.viewport(1439, 900);
      await page.viewport(1440, 900);
    },
    redraw: () => commands.redraw(),
  };
  for (const [name, attempt] of Object.entries(attempts)) {
    await attempt().catch((error) => console.warn(`«${name}» failed:`, error));
    const drawn = await frameWithin(10_000);
    console.warn(
      `The browser drew no frame for the page; after «${name}» it ${drawn ? "does" : "does not"}.`,
    );
    if (drawn) return [];
  }
  return ["the browser draws this page no more, so no later test of it can click"];
}
