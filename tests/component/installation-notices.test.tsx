import { expect, test, vi } from "vitest";
import { page } from "vitest/browser";
import { fakeServer } from "./support/fake-server.ts";
import { holdClock, inTime } from "./support/held-clock.ts";
import { renderApp } from "./support/render-app.tsx";
import { connection } from "./support/rows.ts";
import { world } from "./support/world.ts";

const notice = (name: string) => page.getByRole("region", { name });

async function fitsATelephone() {
  await page.viewport(360, 740);
  expect(document.documentElement.scrollWidth).toBeLessThanOrEqual(360);
}

test("F23 F24 a nearly full disk shows on every screen with effect and remedy until freed", async () => {
  const server = fakeServer(world({ installation: { restored: null, diskLow: true, idle: true } }));
  const disk = notice("Espaço em disco");
  for (const place of ["/", "/campaigns", "/contacts"]) {
    await renderApp(place);
    await expect.element(disk).toMatchTextContent("está quase cheio");
    await expect.element(disk).toMatchTextContent("os envios esperam");
  }
  await fitsATelephone();
  server.world.installation = { restored: null, diskLow: false, idle: true };
  const { queries } = await renderApp("/contacts");
  await queries.invalidateQueries();
  await expect.element(notice("Envio parado")).toBeVisible();
  await expect.element(disk).not.toBeInTheDocument();
});

test("while no process sends every screen says that its states are the last known ones", async () => {
  const installation = { restored: null, diskLow: false, idle: true };
  fakeServer(world({ installation, connections: [connection({ name: "Matriz" })] }));
  for (const place of ["/", "/campaigns", "/whatsapp/connections"]) {
    await renderApp(place);
    await expect.element(notice("Envio parado")).toMatchTextContent("Nada é enviado agora");
    await expect.element(notice("Envio parado")).toMatchTextContent("é o que se sabia por último");
  }
  await fitsATelephone();
});

test("that nothing is sent is said no more once a process sends, without a live update", async () => {
  holdClock();
  const server = fakeServer(world({ installation: { restored: null, diskLow: false, idle: true } }));
  await renderApp("/campaigns");
  const shown = () => notice("Envio parado").query();
  await inTime(() => expect(shown()).not.toBeNull());
  server.world.installation.idle = false;
  for (let passed = 0; shown() !== null && passed < 60_000; passed += 250)
    await vi.advanceTimersByTimeAsync(250);
  expect(shown()).toBeNull();
});
