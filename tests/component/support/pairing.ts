import { expect } from "vitest";
import { page } from "vitest/browser";
import type { Connection } from "../../../src/contract/connections.ts";
import { type FakeServer, fakeServer } from "./fake-server.ts";
import { renderApp } from "./render-app.tsx";
import { connection } from "./rows.ts";
import { press } from "./screen.ts";

export const PHONE = "5531907773055";
export const PHONE_SHOWN = "+55 31 90777-3055";

const inSeconds = (seconds: number) => new Date(Date.now() + seconds * 1000).toISOString();

export const scannable = () => ({
  state: "pending" as const,
  cause: null,
  qr: "2@abcdefghijklmnop",
  qrExpiresAt: inSeconds(60),
});

export const typable = () => ({ pairingCode: "ABCD1234", pairingCodeExpiresAt: inSeconds(180) });

export const unpaired = (given: Partial<Connection> = {}) =>
  connection({ deviceId: PHONE, name: "Atendimento", linked: false, ...scannable(), ...given });

export function pairingServer(line: Connection, connections: Connection[] = []): FakeServer {
  const server = fakeServer();
  server.world.connections = connections;
  letPair(server, line);
  return server;
}

export function letPair(server: FakeServer, line: Connection): void {
  server.on("POST /api/whatsapp/connect", ({ body: { connectionName } }) => {
    line.name = connectionName ?? "";
    server.world.connections = [line];
    return { status: line.state, deviceId: line.deviceId };
  });
  server.on("POST /api/connections/{id}/pairing-code", () => Object.assign(line, typable()));
  server.on("POST /api/connections/{id}/qr", () => Object.assign(line, scannable()));
}

export async function becomes(server: FakeServer, line: Connection, change: Partial<Connection>) {
  const none = { qr: null, qrExpiresAt: null, pairingCode: null, pairingCodeExpiresAt: null };
  Object.assign(line, none, { since: new Date().toISOString(), cause: null }, change);
  await server.publish("connections");
}

export async function startConnecting(line: Connection, place = "/baileys"): Promise<FakeServer> {
  const server = pairingServer(line);
  await renderApp(place);
  await startPairing();
  return server;
}

export async function startPairing(): Promise<void> {
  await expect.element(page.getByRole("status").getByText("Desconectado")).toBeVisible();
  await page.getByLabelText("Número do WhatsApp").fill(PHONE_SHOWN);
  await page.getByLabelText("Nome da Conexão").fill("Atendimento");
  await press("Conectar");
}
