import { expect, test } from "vitest";
import { page } from "vitest/browser";
import { fakeServer } from "./support/fake-server.ts";
import { renderApp } from "./support/render-app.tsx";
import { attachment, campaign, connection, delivery } from "./support/rows.ts";
import { press, shows } from "./support/screen.ts";
import { world } from "./support/world.ts";

const matriz = connection({ name: "Matriz" });

const natal = () =>
  campaign({
    name: "Natal",
    status: "partially_completed",
    states: { sent: 3, error: 3 },
    connectionId: matriz.id,
    connectionName: "Matriz",
    attachment: attachment({ id: 5 }),
    moreAttachments: [attachment({ id: 6 }), attachment({ id: 7 })],
    resendable: 1,
    unfinished: 2,
  });

test("who got some of several messages shows how many, and gets the rest with one press", async () => {
  const one = natal();
  const row = delivery(1, {
    name: "Ana",
    status: "error",
    messages: { sent: 2, all: 3 },
    unfinished: true,
    error: "Falha ao enviar mensagem para 5511900000001: o WhatsApp recusou",
  });
  const server = fakeServer(
    world({ connections: [matriz], campaigns: [one], deliveries: { [one.id]: [row] } }),
  );
  const asked: unknown[] = [];
  server.on("POST /api/campaigns/{id}/deliveries/{seq}/resend", ({ params }) => {
    asked.push(params);
    return { ...row, status: "pending", unfinished: false };
  });
  await renderApp(`/campaigns?detalhes=${one.id}`);
  await expect.element(page.getByText("2 de 3 enviadas")).toBeVisible();
  await press("Enviar o que falta para Ana");
  await shows("As mensagens que faltam para Ana serão enviadas");
  expect(asked).toEqual([{ id: one.id, seq: 1 }]);
});

test("the card says how many files, and the resend who it leaves out", async () => {
  fakeServer(world({ connections: [matriz], campaigns: [natal()] }));
  await renderApp("/campaigns");
  await expect.element(page.getByText("Com 3 arquivos")).toBeVisible();
  await press(/^Reenviar falhas/);
  await expect
    .element(page.getByText(/^.*2 pessoas que receberam parte das mensagens ficam de fora/))
    .toBeVisible();
});
