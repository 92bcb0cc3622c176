import { expect, test } from "vitest";
import { page } from "vitest/browser";
import type { PlanForecast } from "../../src/contract/audiences.ts";
import { fakeServer } from "./support/fake-server.ts";
import { renderApp } from "./support/render-app.tsx";
import { connection, contact, contactList, minutesAgo } from "./support/rows.ts";
import { main, shows } from "./support/screen.ts";
import { world } from "./support/world.ts";

const day = (offset: number) => minutesAgo(-offset * 24 * 60).slice(0, 10);
const FORECAST: PlanForecast = {
  people: { warm: 37, cold: 373 },
  endsAt: minutesAgo(-12 * 24 * 60),
  why: null,
  limitedBy: "budget",
  days: [0, 1, 2].map((offset) => ({ day: day(offset), warm: 10, cold: 50, budget: 60 })),
  sendingDays: 11,
};

async function form(forecast: PlanForecast | null) {
  const list = contactList({ name: "Clientes", count: 3 });
  const contacts = { [list.id]: [contact(0), contact(1), contact(2)] };
  const server = fakeServer(
    world({ lists: [list], contacts, connections: [connection({ isDefault: true })] }),
  );
  server.on("POST /api/audience/forecast", () => ({ forecast }));
  await renderApp(`/campaigns/new?lista=${list.id}`);
  return server;
}

test("the end by the number's plan is said while the form is filled, with what would shorten it", async () => {
  const server = await form(FORECAST);
  await shows("410 pessoas: 37 já conversaram, 373 novas.");
  await shows(
    /Com até 60 conversas novas por dia, termina em .+, em 11 dias de envio\. O que encurta: mais conversas novas/,
  );
  const days = page.getByRole("list", { name: "Mensagens por dia" }).getByRole("listitem");
  await expect.element(days.nth(1)).toMatchTextContent(/: 60 mensagens, 50 novas/);
  await expect
    .element(page.getByRole("region", { name: "Ações da campanha" }))
    .toMatchTextContent("termina em");
  await page.getByLabelText("Intervalo entre mensagens").fill("90");
  await expect
    .poll(() => server.requests("POST /api/audience/forecast").at(-1)?.body)
    .toMatchObject({ intervalS: 90 });
});

test.each([
  ["never_opens", "O plano do número não abre em nenhum dia: nada sairia."],
  ["no_budget", "O plano do número não permite conversas novas"],
  ["too_far", "Levaria mais de um ano"],
] as const)("without an end it says why: %s", async (why, words) => {
  await form({ ...FORECAST, endsAt: null, why });
  await expect.element(main()).toMatchTextContent(words);
});

test("a number without a plan keeps the campaign's own pace", async () => {
  await form(null);
  await shows(/^3 mensagens, /);
  await expect.element(page.getByRole("list", { name: "Mensagens por dia" })).not.toBeInTheDocument();
});
