import { expect, test } from "vitest";
import { page, userEvent } from "vitest/browser";
import { changeCampaign, withPeople } from "./support/campaign-people.ts";
import { fakeServer } from "./support/fake-server.ts";
import { renderApp } from "./support/render-app.tsx";
import { auditEvent, campaign } from "./support/rows.ts";
import { button } from "./support/screen.ts";
import { world } from "./support/world.ts";

const card = (name: string) => page.getByRole("article", { name, exact: true });
const dialog = page.getByRole("dialog");

test("31.7 the first people are awaited in words, with the time", async () => {
  const waits = campaign({
    name: "Espera",
    status: "sending",
    states: { sent: 20, pending: 110 },
    canary: { people: 20, until: new Date(2026, 10, 20, 14, 21).toISOString() },
  });
  fakeServer(world({ campaigns: [waits] }));
  await renderApp("/campaigns");
  await expect
    .element(card("Espera"))
    .toMatchTextContent(/Esperando as entregas das 20 primeiras, até \d\d:21/);
});

test("31.7 a stopped campaign shows cause, figures and its people, and goes on for a reason only", async () => {
  const breaker = { failure: "absent", judged: 20, count: 7, limit: 30 } as const;
  const { made, deliveries, people } = withPeople(
    { delivered: 13, error: 7, pending: 100 },
    { name: "Parada", status: "paused", cause: "breaker_absent", breaker, actions: ["resume", "cancel"] },
  );
  const server = fakeServer(world({ ...people, campaigns: [made] }));
  const reasons: string[] = [];
  server.on("POST /api/campaigns/{id}/resume-despite", ({ params: { id }, body: { reason } }) => {
    reasons.push(reason);
    return changeCampaign(server, id, { status: "sending", cause: null, breaker: null });
  });
  server.on("GET /api/campaigns/{id}/deliveries", ({ query: { failure } }) => ({
    items: deliveries.filter(({ status }) => failure !== "absent" || status === "error"),
    next: null,
  }));
  await renderApp("/campaigns");
  const stopped = card("Parada");
  await expect
    .element(stopped)
    .toMatchTextContent("Muitos números não têm WhatsApp (7 de 20; o limite é 30%).");
  await page.getByRole("link", { name: "Ver essas pessoas" }).click();
  await expect.element(dialog).toMatchTextContent("7 de 20");
  expect(location.search).toContain("falha=absent");
  await expect.poll(() => dialog.getByRole("row").elements().length).toBe(8);
  await expect.element(button(/^Todos/, dialog)).toHaveAttribute("aria-pressed", "false");
  await button("Fechar", dialog).first().click();

  await button("Continuar", stopped).click();
  await button("Continuar", dialog).click();
  await expect.element(dialog).toMatchTextContent("Escreva o motivo.");
  expect(reasons).toEqual([]);
  await userEvent.fill(page.getByLabelText("Por que continuar?"), " Conferi a lista ");
  await button("Continuar", dialog).click();
  await expect.element(stopped.getByText("Em Andamento")).toBeVisible();
  expect(reasons).toEqual(["Conferi a lista"]);
  await expect.element(dialog).not.toBeInTheDocument();
});

test("31.7 a number that WhatsApp blocked is said on the card, without figures", async () => {
  const made = campaign({
    name: "Natal",
    status: "paused",
    cause: "number_banned",
    connectionName: "Loja",
    states: { sent: 1, pending: 2 },
  });
  fakeServer(world({ campaigns: [made] }));
  await renderApp("/campaigns");
  await expect.element(card("Natal")).toMatchTextContent("O WhatsApp bloqueou o número da conexão Loja.");
  await expect.element(page.getByRole("link", { name: "Ver essas pessoas" })).not.toBeInTheDocument();
});

test("31.7 the activity says the reason", async () => {
  const server = fakeServer(world());
  server.world.audit = [
    auditEvent({ kind: "campaign_resumed", subject: "Natal", details: { reason: "Conferi a lista" } }),
    auditEvent({ kind: "campaign_paused", subject: "Natal", details: { cause: "breaker_leaving" } }),
  ];
  await renderApp("/settings?aba=atividade");
  await expect.element(page.getByText("motivo: «Conferi a lista»")).toBeVisible();
  await expect.element(page.getByText("pessoas demais pedem para sair")).toBeVisible();
});
