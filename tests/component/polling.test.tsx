import { expect, test, vi } from "vitest";
import { page } from "vitest/browser";
import { type FakeServer, fakeServer } from "./support/fake-server.ts";
import { holdClock, inTime } from "./support/held-clock.ts";
import { renderApp } from "./support/render-app.tsx";
import { connection } from "./support/rows.ts";
import { world } from "./support/world.ts";

test("without the stream of changes the list of connections is asked for every 30 s @spec 9.14 @decision 19", async () => {
  holdClock();
  const server = fakeServer(world({ connections: [connection({ name: "Matriz" })] }));
  server.streams.lose();
  await renderApp("/whatsapp/connections");
  await inTime(() => expect(page.getByText("Matriz").query()).not.toBeNull());
  await nextRequest(server);
  const between = await nextRequest(server);
  expect(between).toBeGreaterThanOrEqual(29_500);
  expect(between).toBeLessThanOrEqual(31_000);
});

/** Milliseconds of the page's clock until the list is asked for. */
async function nextRequest(server: FakeServer): Promise<number> {
  const asked = () => server.requests("GET /api/connections").length;
  const before = asked();
  for (let passed = 250; passed <= 60_000; passed += 250) {
    await vi.advanceTimersByTimeAsync(250);
    if (asked() > before) return passed;
  }
  throw new Error("nothing was asked for within a minute");
}
