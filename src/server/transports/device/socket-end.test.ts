import { once } from "node:events";
import type { AddressInfo } from "node:net";
import type { WASocket } from "baileys";
import { expect, test } from "vitest";
import { WebSocket, WebSocketServer } from "ws";
import { endSocket } from "./socket-end.ts";

test("a connection that breaks while closing counts as closed, without an error", async () => {
  const server = new WebSocketServer({ port: 0, host: "127.0.0.1" });
  await once(server, "listening");
  const raw = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`);
  await once(raw, "open");
  raw.on("error", () => undefined);
  const parts = { ws: { socket: raw }, end: async () => raw.close() };
  const ended = endSocket(parts as unknown as WASocket);
  await Promise.resolve();
  setImmediate(() => {
    raw.emit("error", new Error("read ECONNRESET"));
    raw.terminate();
  });
  await expect(ended).resolves.toBeUndefined();
  server.close();
});
