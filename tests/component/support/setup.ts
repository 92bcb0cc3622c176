import { afterEach, vi } from "vitest";
import { commands, page } from "vitest/browser";
import { currentServer } from "./fake-server.ts";
import { endRendered } from "./render-app.tsx";

declare module "vitest/browser" {
  interface BrowserCommands {
    emulateMedia: (media: {
      colorScheme?: "light" | "dark" | null;
      forcedColors?: "active" | null;
    }) => Promise<void>;
  }
}

/** A test leaves nothing behind, and fails where the page and the contract disagreed. */
afterEach(async () => {
  await endRendered();
  const problems = currentServer()?.close() ?? [];
  vi.useRealTimers();
  localStorage.clear();
  sessionStorage.clear();
  delete document.documentElement.dataset.theme;
  if (window.innerWidth !== 1440 || window.innerHeight !== 900) await page.viewport(1440, 900);
  await commands.emulateMedia({ colorScheme: null, forcedColors: null });
  if (problems.length > 0) throw new Error(`The fake server: ${problems.join("\n")}`);
});
