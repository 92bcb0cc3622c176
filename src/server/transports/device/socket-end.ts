import type { WASocket } from "baileys";
import { WebSocket } from "ws";
import { rawSocket } from "./raw-socket.ts";

/** Baileys reports a loss only after the closing handshake; a dead link would take another 30 s. */
export function boundClosing(sock: WASocket, graceMs: number): void {
  const close = sock.ws.close.bind(sock.ws);
  sock.ws.close = () => {
    const raw = rawSocket(sock);
    const timer = setTimeout(() => raw?.terminate(), graceMs);
    raw?.once("close", () => clearTimeout(timer));
    return close();
  };
}

export async function endSocket(sock: WASocket): Promise<void> {
  const raw = rawSocket(sock);
  await sock.end(undefined);
  // `logout` has already begun the end, and then `end` does not wait for it.
  if (!raw || raw.readyState === WebSocket.CLOSED) return;
  // `once` of node:events would reject if the connection breaks, but broken means closed.
  await new Promise<void>((resolve) => {
    raw.once("close", () => resolve());
  });
}
