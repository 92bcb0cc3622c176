import { expect, test } from "vitest";
import { page } from "vitest/browser";
import { fakeServer } from "./support/fake-server.ts";
import { renderApp } from "./support/render-app.tsx";
import { connection, minutesAgo, planView } from "./support/rows.ts";
import { dialog, main, press, shows } from "./support/screen.ts";
import { world } from "./support/world.ts";

const PAGE = "/whatsapp/connections/7";
const question = page.getByRole("alertdialog");
const withPlan = (given: Parameters<typeof planView>[0] = {}) =>
  fakeServer(world({ connections: [connection({ id: 7 })], plans: { 7: planView(given) } }));
const stored = (server: ReturnType<typeof withPlan>) => server.world.plans[7]?.plan;

test("a number's page says what it may still do today, and who used it", async () => {
  withPlan();
  await renderApp(PAGE);
  const today = page.getByRole("region", { name: "Conversas novas hoje" });
  await expect.element(today).toMatchTextContent("22 de 60");
  await expect.element(today).toMatchTextContent("Ainda hoje: 38");
  await shows(/^Aberto até/);
  await expect.element(main().getByText("Mensagens avulsas")).toBeVisible();
  await expect.element(main().getByText("De 20 a 150 em 14 dias, depois 150 até você mudar")).toBeVisible();
  await expect.element(main().getByText("fechado", { exact: true })).toBeVisible();
});

test("what WhatsApp's own quota leaves stands beside today's budget, and nothing of it where it is unknown", async () => {
  const until = "2099-12-14T15:00:00Z";
  withPlan({ newChats: { total: 100, used: 63, left: 37, until, readAt: minutesAgo(5) } });
  await renderApp(PAGE);
  const today = page.getByRole("region", { name: "Conversas novas hoje" });
  await expect.element(today).toMatchTextContent("Restam 37 conversas novas até 14/12");
  withPlan();
  await renderApp(PAGE);
  await expect.element(today).toMatchTextContent("Ainda hoje: 38");
  await expect.element(today).not.toMatchTextContent("14/12");
});

test.each([
  ["resting", /^Em descanso\. As campanhas continuam/],
  ["closed", /^Fora do horário\. As campanhas continuam/],
  ["used_up", /^As conversas novas de hoje acabaram\./],
] as const)("%s is said with when it ends", async (state, words) => {
  withPlan({ state, until: minutesAgo(-30) });
  await renderApp(PAGE);
  await shows(words);
});

test("a number without a plan is said to be at risk, and takes the recommended one over in one press", async () => {
  const server = withPlan({ plan: null });
  await renderApp(PAGE);
  await shows("Este número não tem plano.");
  await press("Usar o plano recomendado");
  await shows("Ritmo");
  expect(stored(server)?.ramp).toEqual({ from: 20, to: 150, days: 14 });
  await expect.element(main().getByText("Este número não tem plano.")).not.toBeInTheDocument();
});

test("a plan is changed in its form, hours and days included", async () => {
  const server = withPlan();
  await renderApp(PAGE);
  await press("Editar plano");
  await page.getByRole("checkbox", { name: "Domingo" }).click();
  await page.getByLabelText("Domingo: das").fill("10:00");
  await page.getByLabelText("Domingo: às").fill("00:00");
  await page.getByRole("checkbox", { name: "Sábado" }).click();
  await page.getByRole("checkbox", { name: "Não enviar em feriados nacionais" }).click();
  await page.getByLabelText("Domingo: às").fill("21:30");
  await press("Guardar plano");
  await expect.element(dialog("Editar plano")).not.toBeInTheDocument();
  expect(stored(server)).toMatchObject({
    restsOnHolidays: true,
    hours: [480, 480, 480, 480, 480, null, 600].map((from) =>
      from === null ? null : { from, to: from === 600 ? 1290 : 1200 },
    ),
  });
});

test("what goes past a recommended bound is asked before it is stored, and the form is kept", async () => {
  const server = withPlan();
  await renderApp(PAGE);
  await press("Editar plano");
  await page.getByLabelText("Entre conversas novas, de (s)").fill("5");
  await page.getByRole("checkbox", { name: "Descansar de tempos em tempos" }).click();
  await press("Guardar plano");
  await expect.element(question).toMatchTextContent("Menos de 45 a 120 segundos entre conversas novas");
  await expect.element(question).toMatchTextContent("Menos descanso");
  await question.getByRole("button", { name: "Rever o plano" }).click();
  await expect.element(page.getByLabelText("Entre conversas novas, de (s)")).toHaveValue("5");
  expect(stored(server)?.coldGapS.least).toBe(45);
  await press("Guardar plano");
  await question.getByRole("button", { name: "Guardar assim" }).click();
  await expect.element(dialog("Editar plano")).not.toBeInTheDocument();
  expect(stored(server)).toMatchObject({ coldGapS: { least: 5, most: 120 }, rest: null });
  await shows("Este plano passa do recomendado e põe o número em risco:");
});

test.each([
  ["Entre conversas novas, de (s)", "muito", "Digite um número inteiro."],
  ["No primeiro dia", "200000", "Digite de 0 a 100.000."],
  ["Segunda: às", "08:00", "Tem de ser depois do início."],
  ["Uso este número desde", "", "Digite uma data."],
])("%s «%s» is refused where it is typed, and nothing is stored", async (label, typed, words) => {
  const server = withPlan();
  await renderApp(PAGE);
  await press("Editar plano");
  await page.getByLabelText(label).fill(typed);
  await press("Guardar plano");
  await expect.element(page.getByLabelText(label)).toHaveAccessibleDescription(words);
  expect(server.requests("PUT /api/connections/{id}/plan")).toHaveLength(0);
});

test("a number that is gone is said to be, with the way back", async () => {
  fakeServer(world());
  await renderApp(PAGE);
  await shows("Número não encontrado");
  await expect.element(main().getByRole("link", { name: "Voltar às conexões" })).toBeVisible();
});
