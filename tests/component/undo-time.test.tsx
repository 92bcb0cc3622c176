import { expect, test } from "vitest";
import { page } from "vitest/browser";
import { fakeServer } from "./support/fake-server.ts";
import { renderApp } from "./support/render-app.tsx";
import { campaign } from "./support/rows.ts";
import { button, shows } from "./support/screen.ts";
import { world } from "./support/world.ts";

const wait = page.getByLabelText("Espera antes de começar");

test("the seconds to undo are chosen among a few, and another stored number is shown as it is", async () => {
  const server = fakeServer(world({ undoSeconds: 42 }));
  server.on("PUT /api/settings/undo-time", ({ body }) => {
    server.world.undoSeconds = body.seconds;
    return body;
  });
  await renderApp("/settings");
  await expect.element(wait).toHaveValue("42");
  await wait.selectOptions("Sem espera");
  await expect.poll(() => server.world.undoSeconds).toBe(0);
  await wait.selectOptions("5 minutos");
  await expect.poll(() => server.world.undoSeconds).toBe(300);
});

test("a campaign that starts in a moment says so on its card and is taken back there", async () => {
  const { inPeriod, ...held } = campaign({ name: "Natal", status: "scheduled" });
  const waits = {
    ...held,
    inPeriod,
    schedule: { kind: "now" as const },
    scheduledAt: new Date(Date.now() + 15_000).toISOString(),
    actions: ["undo" as const, "cancel" as const],
  };
  const server = fakeServer(world({ campaigns: [waits] }));
  server.on("POST /api/campaigns/{id}/undo-start", () => {
    const draft = campaign({ id: held.id, name: "Natal", status: "draft" });
    server.world.campaigns = [draft];
    const { inPeriod: _, ...answer } = draft;
    return answer;
  });
  await renderApp("/campaigns");
  const card = page.getByRole("article", { name: "Natal" });
  await expect.element(card).toMatchTextContent("Começa em instantes");
  await button("Desfazer", card).click();
  await shows("Natal: de volta aos rascunhos, nada foi enviado");
  await expect.element(card).toMatchTextContent("Rascunho");
});
