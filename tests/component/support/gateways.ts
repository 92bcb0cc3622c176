import { expect } from "vitest";
import { page, userEvent } from "vitest/browser";
import type { Connection } from "../../../src/contract/connections.ts";
import { errorText } from "../../../src/contract/error-messages.ts";
import { FIELD_MESSAGES } from "../../../src/contract/field-messages.ts";
import type { Gateway, Instance } from "../../../src/contract/gateways.ts";
import type { ErrorCode } from "../../../src/domain/errors.ts";
import { refuse } from "./endpoints.ts";
import { type FakeServer, fakeServer } from "./fake-server.ts";
import { renderApp } from "./render-app.tsx";
import { connection, gateway, instance, minutesAgo } from "./rows.ts";
import { button, dialog, press, shows } from "./screen.ts";
import { type World, world } from "./world.ts";

export const WHERE = "Servidor da loja";
export const KEY = "the-key-of-the-gateway";
export const PHONE = "5531907773055";
export const PHONE_SHOWN = "+55 31 90777-3055";
export const PICTURE = "QR Code para conectar o WhatsApp";

export type Remote = {
  state: "unreachable" | "license_required" | null;
  reachesUs: "yes" | "no";
  keys: Map<number, string>;
};

export const code = () => ({
  state: "pending" as const,
  cause: null,
  qr: "2@abcdefghijklmnop",
  qrExpiresAt: new Date(Date.now() + 45_000).toISOString(),
  pairingCode: "ABCD1234",
});

const CAUSES = {
  unreachable: "gateway_unreachable",
  license_required: "license_required",
  wrong_key: "gateway_wrong_key",
} as const;

export const failed = (what: ErrorCode, cause: ErrorCode) =>
  refuse(what, { details: { cause, reason: errorText(cause) } });

export const fieldError = (field: string, why: keyof typeof FIELD_MESSAGES) =>
  refuse("invalid_fields", { fields: { [field]: String(FIELD_MESSAGES[why]) } });

export function gatewayServer(given: Partial<World> = {}): { server: FakeServer; remote: Remote } {
  const server = fakeServer(world(given));
  const remote: Remote = { state: null, reachesUs: "yes", keys: new Map() };
  gatewayAnswers(server, remote);
  instanceAnswers(server, remote);
  return { server, remote };
}

function gatewayAnswers(server: FakeServer, remote: Remote): void {
  const state = server.world;
  const of = (id: number) => {
    const found = state.gateways.find((each) => each.id === id);
    if (!found) throw refuse("not_found");
    return found;
  };
  const tested = (id: number): Gateway => {
    const one = of(id);
    const known = remote.keys.get(id) ?? KEY;
    const now = remote.state ?? (known === KEY ? "ok" : "wrong_key");
    const licenseUrl = now === "license_required" ? "https://licenca.exemplo.com.br" : null;
    const at = minutesAgo(0);
    one.check = { state: now, version: "2.3.7", licenseUrl, reachesUs: remote.reachesUs, at };
    return one;
  };
  server.on("POST /api/gateways", ({ body: { url, name, apiKey } }) => {
    if (url.startsWith("http://10.")) throw refuse("url_private");
    const made = gateway({ url, name, keyHint: apiKey.slice(-4) });
    remote.keys.set(made.id, apiKey);
    state.gateways.unshift(made);
    return tested(made.id);
  });
  server.on("PATCH /api/gateways/{id}", ({ params: { id }, body: { apiKey, password: _, ...rest } }) => {
    const given = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined));
    Object.assign(of(id), given, apiKey ? { keyHint: apiKey.slice(-4) } : {});
    if (apiKey) remote.keys.set(id, apiKey);
    return tested(id);
  });
  server.on("POST /api/gateways/{id}/test", ({ params: { id } }) => tested(id));
  server.on("DELETE /api/gateways/{id}", ({ params: { id } }) => {
    state.gateways = state.gateways.filter((each) => each !== of(id));
    return { success: true };
  });
  server.on("GET /api/gateways/{id}/instances", ({ params: { id } }) => {
    const now = tested(id).check?.state ?? "ok";
    if (now in CAUSES) throw failed("instances_fetch_failed", CAUSES[now as keyof typeof CAUSES]);
    return { instances: state.instances[id] ?? [] };
  });
}

function instanceAnswers(server: FakeServer, remote: Remote): void {
  const state = server.world;
  const of = ({ id, name }: { id: number; name: string }) => {
    const found = state.instances[id]?.find((each) => each.name === name);
    if (!found) throw refuse("not_found");
    return found;
  };
  server.on("POST /api/gateways/{id}/instances", ({ params: { id }, body: { instanceName, number } }) => {
    const all = state.instances[id] ?? [];
    if (all.some(({ name }) => name === instanceName))
      throw failed("instance_create_failed", "instance_name_taken");
    if (/\W/.test(instanceName)) throw fieldError("instanceName", "instance_name_invalid");
    const { made, line } = waiting(id, instanceName, `55${number.replace(/\D/g, "")}`);
    state.instances[id] = [...all, made];
    state.connections.push(line);
    return made;
  });
  server.on("DELETE /api/gateways/{id}/instances/{name}", ({ params }) => {
    const { connectionId } = of(params);
    state.instances[params.id] = (state.instances[params.id] ?? []).filter((each) => each !== of(params));
    state.connections = state.connections.filter(({ id }) => id !== connectionId);
    return { success: true };
  });
  server.on("PUT /api/gateways/{id}/instances/{name}/webhook", ({ params, body: { url } }) => {
    if (url !== "" && !/^https?:\/\//.test(url)) throw fieldError("url", "webhook_url_invalid");
    const relay = url === "" ? null : { url, at: null, status: null, error: null, waiting: 0 };
    return Object.assign(of(params), { relay, hook: remote.reachesUs === "no" ? "literal" : "ours" });
  });
  server.on("POST /api/connections/{id}/reconnect", ({ params }) =>
    Object.assign(lineOf(server, params.id), code()),
  );
}

export function lineOf(server: FakeServer, id: number): Connection {
  const line = server.world.connections.find((each) => each.id === id);
  if (!line) throw refuse("not_found");
  return line;
}

function waiting(gatewayId: number, name: string, number: string): { made: Instance; line: Connection } {
  const line = connection({ kind: "instance", deviceId: name, name, number, linked: false, ...code() });
  const given = { name, number, status: "connecting", profileName: null, lastEventAt: null };
  return { made: instance({ gatewayId, connectionId: line.id, ...given }), line };
}

export function oneInstance(name: string, more: Partial<Instance> = {}, of: Partial<Gateway> = {}) {
  const where = gateway({ instances: 1, ...of });
  const { made, line } = waiting(where.id, name, PHONE);
  Object.assign(made, more);
  const instances = { [where.id]: [made] };
  return { where, made, line, ...gatewayServer({ gateways: [where], instances, connections: [line] }) };
}

export async function scan(server: FakeServer, made: Instance, profileName: string | null = null) {
  Object.assign(made, { status: "open", cause: null, profileName, lastEventAt: minutesAgo(0) });
  Object.assign(lineOf(server, made.connectionId ?? 0), { state: "connected", qr: null, pairingCode: null });
  await server.publish("connections");
}

export const gatewayCard = page.getByRole("region", { name: "Evolution escolhida" });
export const question = page.getByRole("alertdialog");
export const instanceCard = (name: string) => page.getByRole("article", { name, exact: true });

export async function openScreen() {
  await renderApp("/instances");
  await expect.element(page.getByRole("heading", { level: 1, name: "Evolution" })).toBeVisible();
}

export async function register(apiKey: string) {
  await press("Cadastrar evolution");
  const form = dialog("Cadastrar evolution");
  await form.getByLabelText("URL").fill("https://evolution.exemplo.com.br");
  await form.getByLabelText("API Key", { exact: true }).fill(apiKey);
  await form.getByLabelText("Nome").fill(WHERE);
  await button("Cadastrar", form).click();
  await shows(`${WHERE} cadastrada`);
  await expect.element(form).not.toBeInTheDocument();
}

export async function fillInstance(name: string) {
  await press("Nova Instância");
  const form = dialog("Nova Instância");
  await form.getByLabelText("Nome da instância").fill(name);
  await form.getByLabelText("Número").fill("31 90777-3055");
  await button("Gerar token", form).click();
  return form;
}

export async function createInstance(name: string) {
  await button("Criar instância", await fillInstance(name)).click();
  const qr = dialog("Escaneie o QR Code");
  await expect.element(qr.getByRole("img", { name: PICTURE })).toBeVisible();
  await userEvent.keyboard("{Escape}");
  await expect.element(qr).not.toBeInTheDocument();
  return instanceCard(name);
}
