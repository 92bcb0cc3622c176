import { expect, test } from "vitest";
import { page } from "vitest/browser";
import { fakeServer } from "./support/fake-server.ts";
import { renderApp } from "./support/render-app.tsx";
import { shows } from "./support/screen.ts";

const limit = page.getByLabelText("No máximo, para a mesma pessoa");

test("campaigns per week have no limit until one is chosen, and none again", async () => {
  const server = fakeServer();
  server.on("PUT /api/settings/weekly-limit", ({ body }) => {
    server.world.weeklyLimit = body.campaignsPerWeek;
    return body;
  });
  await renderApp("/settings");
  await expect.element(limit).toBeEnabled();
  await expect.element(limit).toHaveValue("");
  await limit.selectOptions("2 campanhas por semana");
  await expect.poll(() => server.world.weeklyLimit).toBe(2);
  await renderApp("/settings", { server });
  await expect.element(limit).toHaveValue("2");
  const refused = server.refuse("PUT /api/settings/weekly-limit", "unavailable");
  await limit.selectOptions("Sem limite");
  await shows("O serviço está indisponível no momento.");
  await expect.element(limit).toHaveValue("2");
  refused.stop();
  await limit.selectOptions("Sem limite");
  await expect.poll(() => server.world.weeklyLimit).toBeNull();
});
