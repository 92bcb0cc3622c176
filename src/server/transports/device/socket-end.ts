import type { WASocket } from "baileys";
import { WebSocket } from "ws";
import { rawSocket } from "./raw-socket.ts";

/**
 * Cuts the connection off when the other side does not answer the closing handshake within `graceMs`. Baileys tells of a lost
 * connection only when it is closed, and a dead link would keep that waiting for another half minute.
 */
export function boundClosing(sock: WASocket, graceMs: number): void {
  const close = sock.ws.close.bind(sock.ws);
  sock.ws.close = () => {
    const raw = rawSocket(sock);
    const timer = setTimeout(() => raw?.terminate(), graceMs);
    raw?.once("close", () => clearTimeout(timer));
    return close();
  };
}

/** Ends a socket for good; resolves when its connection is closed. */
export async function endSocket(sock: WASocket): Promise<void> {
  const raw = rawSocket(sock);
  await sock.end(undefined);
  // `logout` has already begun the end, and then `end` does not wait for it.
  if (!raw || raw.readyState === WebSocket.CLOSED) return;
  // Not `once` of node:events: it rejects when the connection breaks meanwhile, and broken is closed.
  await new Promise<void>((resolve) => {
    raw.once("close", () => resolve());
  });
}
