import { expect, test } from "vitest";
import { page } from "vitest/browser";
import { changeCampaign, settlesDoubts, withPeople } from "./support/campaign-people.ts";
import { fakeServer } from "./support/fake-server.ts";
import { renderApp } from "./support/render-app.tsx";
import { campaign, minutesAgo } from "./support/rows.ts";
import { button, pick } from "./support/screen.ts";
import { world } from "./support/world.ts";

const card = (name: string) => page.getByRole("article", { name, exact: true });

test("GW01 the card shows what only the server accepted, explains the total, and can be closed @decision 33", async () => {
  const { made, deliveries, people } = withPeople(
    { sent: 3, error: 1, skipped: 2, accepted: 12 },
    { name: "Parada", status: "paused", cause: "unconfirmed", connectionName: "Loja" },
  );
  for (const each of deliveries) each.resolvable = each.status === "accepted";
  const until = new Date(Date.now() + 600_000).toISOString();
  const waits = campaign({
    name: "Espera",
    status: "sending",
    states: { sent: 1, accepted: 2 },
    progress: { done: 3, perMinute: 1, endsAt: null, awaits: { people: 2, until }, plan: null },
  });
  const server = fakeServer(world({ ...people, campaigns: [made, waits] }));
  settlesDoubts(server);
  server.on("POST /api/campaigns/{id}/finish", ({ params: { id } }) =>
    changeCampaign(server, id, { status: "partially_completed", cause: null, endedAt: minutesAgo(0) }),
  );
  await renderApp("/campaigns");
  const stopped = card("Parada");
  for (const words of [
    "O servidor aceitou 12 mensagens que o WhatsApp ainda não confirma.",
    "Total 18 = 3 enviados + 1 erro + 2 ignorados + 12 aceitos pelo servidor",
  ])
    await expect.element(stopped).toMatchTextContent(words);
  await expect.element(stopped.getByText("Pausada")).toBeVisible();
  await expect.element(card("Espera")).toMatchTextContent(/2 respostas aguardadas\s*Até /);
  await expect.element(card("Espera")).not.toMatchTextContent("Termina");

  await renderApp(`/campaigns?detalhes=${made.id}&status=accepted`);
  const details = page.getByRole("dialog");
  await expect.element(button("Aceito pelo servidor 12", details)).toBeVisible();
  await expect.element(details).toMatchTextContent("o WhatsApp ainda não confirmou este envio.");
  await button(/^Resolver o envio para/, details)
    .first()
    .click();
  await pick("Marcar como enviado");
  await expect.element(button("Aceito pelo servidor 11", details)).toBeVisible();

  await renderApp("/campaigns");
  await button("Encerrar", stopped).click();
  await button("Encerrar", page.getByRole("alertdialog")).click();
  await expect.element(stopped.getByText("Concluída com falhas")).toBeVisible();
});
