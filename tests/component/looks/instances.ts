import { expect } from "vitest";
import { page } from "vitest/browser";
import type { Instance } from "../../../src/contract/gateways.ts";
import type { FakeServer } from "../support/fake-server.ts";
import { agent, assistantLink, connection, gateway, instance, minutesAgo } from "../support/rows.ts";
import { press, shows } from "../support/screen.ts";
import { choosing, menu, pressing, type Row, type Screen, screenOf } from "../support/screens.ts";
import { type World, world } from "../support/world.ts";

function gatewayWorld(): World {
  const server = gateway({ url: "https://evolution.oticahorizonte.com.br", instances: 1 });
  const line = connection({
    kind: "instance",
    deviceId: "vendas",
    name: "vendas",
    state: "pending",
    linked: false,
    qr: "2@abcdefghijklmnop",
    qrExpiresAt: new Date(Date.now() + 60_000).toISOString(),
  });
  const vendas = instance({
    gatewayId: server.id,
    status: "connecting",
    connectionId: line.id,
    profileName: null,
  });
  return world({ gateways: [server], connections: [line], instances: { [server.id]: [vendas] } });
}

function change(given: Partial<Instance>) {
  return ({ world: { instances } }: FakeServer) => {
    for (const each of Object.values(instances).flat()) Object.assign(each, given);
  };
}

function misunderstood(server: FakeServer) {
  change({ oddities: 2 })(server);
  const odd = {
    reason: "malformed",
    event: "messages.upsert",
    body: '{"data":1}',
    at: minutesAgo(5),
  } as const;
  const oddities = [odd, { ...odd, event: null, reason: "unknown_event" as const }];
  server.on("GET /api/gateways/{id}/instances/{name}/oddities", () => ({
    oddities: oddities.map((each, id) => ({ ...each, id })),
  }));
}

function wrongKey(server: FakeServer) {
  const [first] = server.world.gateways;
  if (first?.check) first.check.state = "wrong_key";
  server.refuse("GET /api/gateways/{id}/instances", "gateway_wrong_key");
}

function linked({ world: state }: FakeServer) {
  const clara = agent({ name: "Clara", instructions: "Seja breve." });
  state.agents = [clara, agent({ name: "Davi" })];
  state.mistral = { ...state.mistral, source: "account", keyHint: "ey-1" };
  for (const { id: connectionId } of state.connections)
    state.links.push(assistantLink({ connectionId, agentId: clara.id, agentName: clara.name }));
}

const ROWS: Row[] = [
  ["instances", "/instances", "vendas"],
  ["new-instance", "/instances", "vendas", pressing("Nova Instância", "Criar instância")],
  ["instance-webhook", "/instances", "vendas", pressing(/^(Webhook|Configurar webhook)/, "Salvar")],
  [
    "instance-qr",
    "/instances",
    "vendas",
    async () => {
      await press(/QR Code/);
      await expect.element(page.getByRole("img", { name: "QR Code para conectar o WhatsApp" })).toBeVisible();
    },
  ],
  [
    "instance-adopt",
    "/instances",
    "vendas",
    pressing("Usar no Recado"),
    { prepare: change({ connectionId: null, hook: "unset" }) },
  ],
  [
    "instance-taken",
    "/instances",
    "vendas",
    () => shows(/^Outro endereço tomou o lugar/),
    { prepare: change({ hook: "taken", formerWebhook: "https://crm.exemplo.com.br" }) },
  ],
  [
    "instance-misunderstood",
    "/instances",
    "vendas",
    pressing("2 eventos não entendidos"),
    { prepare: misunderstood },
  ],
  ["instance-assistant", "/instances", "vendas", pressing(/^Vincular assistente a/), { prepare: linked }],
  ["instance-delete", "/instances", "vendas", pressing(/^Excluir.* vendas/)],
  ["gateway-edit", "/instances", "vendas", choosing(/^Ações de Servidor/, "Editar")],
  ["gateway-delete", "/instances", "vendas", choosing(/^Ações de Servidor/, "Excluir")],
  ["gateway-refused", "/instances", "O servidor recusou a API Key.", undefined, { prepare: wrongKey }],
  ["gateway-menu", "/instances", "vendas", menu(/^Ações de Servidor/)],
];

export const SCREENS: Screen[] = ROWS.map(screenOf(gatewayWorld));
