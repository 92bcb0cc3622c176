import { expect, test } from "vitest";
import { page } from "vitest/browser";
import type { Connection } from "../../src/contract/connections.ts";
import {
  card,
  connectionField,
  createCampaign,
  fill,
  interval,
  list,
  savesCampaigns,
} from "./support/campaign-form.ts";
import { fakeServer } from "./support/fake-server.ts";
import { renderApp } from "./support/render-app.tsx";
import { connection, contactList } from "./support/rows.ts";
import { press, shows } from "./support/screen.ts";
import { world } from "./support/world.ts";

const VIP = "Clientes VIP (480)";

async function openForm(given: Partial<Connection> = {}) {
  const vip = contactList({ name: "Clientes VIP", count: 480 });
  const line = connection({ name: "Matriz – Centro", ...given });
  const server = fakeServer(world({ connections: [line], lists: [vip] }));
  savesCampaigns(server);
  await renderApp("/campaigns/new");
  const change = async (changed: Partial<Connection>) => {
    Object.assign(line, changed);
    await server.publish("connections");
  };
  return { server, vip, change };
}

test("short intervals and a connection that is down are warned of, not forbidden @spec 2.46,5.3,9.3 @decision 13,27", async () => {
  await openForm({ state: "disconnected", cause: "network" });
  await shows("Nenhuma conexão padrão. Escolha uma conexão.");
  await connectionField().selectOptions("Matriz – Centro (não conectada)");
  await shows("A conexão Matriz – Centro não está conectada.");
  await expect.element(interval()).toHaveValue("60");
  await interval().fill("30");
  await shows("Abaixo de 60 segundos, cresce o risco de bloqueio do número.");
  await interval().fill("0");
  await shows(/^Sem intervalo, as mensagens saem uma atrás da outra/);
  await fill("Espera", VIP);
  await shows("480 mensagens, no ritmo da conexão.");
  await createCampaign();
  await shows("Campanha criada: o envio começa quando a conexão puder enviar");
  await expect.element(card("Espera")).toMatchTextContent("Pausada");
  await expect.element(card("Espera")).toMatchTextContent("O envio continua sozinho quando ela voltar.");
});

test("a number that comes back by itself is named as the one that a campaign without a choice waits for", async () => {
  const { server, change } = await openForm({ state: "connecting", linked: false });
  const none = page.getByText("Nenhuma conexão padrão. Escolha uma conexão.");
  await expect.element(none).toBeVisible();
  await change({ linked: true, cause: "network" });
  await expect.element(connectionField()).toMatchTextContent("Conexão padrão (Matriz – Centro)");
  await shows("A conexão Matriz – Centro não está conectada.");
  await expect.element(none).not.toBeInTheDocument();
  await press("Enviar teste");
  await expect.element(page.getByLabelText("Número que recebe")).toBeVisible();
  await fill("Volta logo", VIP);
  await createCampaign();
  await expect.element(card("Volta logo")).toMatchTextContent("A conexão Matriz – Centro caiu");
  expect(server.requests("POST /api/campaigns")[0]?.body.connectionId).toBeNull();
});

test("what shares the connection, or keeps it from sending, is said before a campaign is created", async () => {
  const { change } = await openForm();
  await list().selectOptions(VIP);
  await shows(/^480 mensagens, cerca de 8 horas\. Começa ao criar e termina /);
  await change({ campaigns: { sending: 1, paused: 0, scheduled: 0, names: ["Outra"] } });
  const shared = "480 mensagens, no ritmo da conexão, dividido com 1 campanha em andamento.";
  await shows(`${shared} Começa ao criar a campanha.`);
  const held = page.getByText("A conexão Matriz – Centro não está enviando agora.");
  await expect.element(held).not.toBeInTheDocument();
  await change({ cause: "timelocked" });
  await expect.element(held).toBeVisible();
  await shows(`${shared} Começa quando a conexão puder enviar.`);
  await fill("Contida", VIP);
  await createCampaign();
  await shows("Campanha criada: o envio começa quando a conexão puder enviar");
});

test("the connection is the default one until another is chosen, and «Voltar» leads back to the campaigns @spec 2.43,2.48,9.9 @decision 27", async () => {
  const { server, vip } = await openForm();
  await expect.element(connectionField()).toHaveValue("default");
  const options = connectionField().getByRole("option");
  await expect
    .poll(() => options.elements().map((each) => each.textContent))
    .toEqual(["Conexão padrão (Matriz – Centro)", "Matriz – Centro"]);
  await fill("Pela padrão", VIP);
  await createCampaign();
  await expect.element(card("Pela padrão")).toMatchTextContent("Em Andamento");
  expect(server.requests("POST /api/campaigns").map(({ body }) => body)).toEqual([
    expect.objectContaining({ connectionId: null, listId: vip.id }),
  ]);
  await renderApp("/campaigns/new");
  await page.getByRole("link", { name: "Voltar", exact: true }).click();
  await expect.poll(() => location.pathname).toBe("/campaigns");
});
