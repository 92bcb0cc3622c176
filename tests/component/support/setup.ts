import { afterEach, beforeEach, vi } from "vitest";
import { commands, page } from "vitest/browser";
import { noteServerTime } from "../../../src/web/api/server-clock.ts";
import { currentServer } from "./fake-server.ts";
import { failIfStopped, hasStopped, restIfStopped } from "./frames.ts";
import { endRendered } from "./render-app.tsx";
import { STOPPED } from "./stopped.ts";

declare module "vitest/browser" {
  interface BrowserCommands {
    emulateMedia: (media: {
      media?: "print" | null;
      colorScheme?: "light" | "dark" | null;
      forcedColors?: "active" | null;
      reducedMotion?: "reduce" | "no-preference";
    }) => Promise<void>;
    keys: (key: string, times: number) => Promise<void>;
    mouse: (button: "down" | "up") => Promise<void>;
  }
}

const hasFinePointer = () => matchMedia("(pointer: fine)").matches;
const fine = hasFinePointer();

await restIfStopped();
beforeEach(failIfStopped);

/** A test leaves nothing behind, and fails where the page and the contract disagreed. */
afterEach(async ({ task }) => {
  if (task.result?.state === "fail")
    console.error(`The screen of «${task.name}»:\n${document.body.textContent}`);
  await endRendered();
  const problems = currentServer()?.close() ?? [];
  if (hasFinePointer() !== fine)
    problems.push("the test changed the pointer, for all that follow in this page");
  vi.useRealTimers();
  localStorage.clear();
  sessionStorage.clear();
  delete document.documentElement.dataset.theme;
  if (await hasStopped()) throw new Error(`After the test: ${STOPPED}`);
  if (window.innerWidth !== 1440 || window.innerHeight !== 900) await page.viewport(1440, 900);
  await commands.emulateMedia({
    media: null,
    colorScheme: null,
    forcedColors: null,
    reducedMotion: "reduce",
  });
  // Last: an answer on its way may set the clock that the next test would have.
  noteServerTime(new Response(null, { headers: { date: new Date().toUTCString() } }));
  if (problems.length > 0) throw new Error(`After the test: ${problems.join("\n")}`);
});
