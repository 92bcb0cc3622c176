import { once } from "node:events";
import type { WASocket } from "baileys";
import { WebSocket } from "ws";

/** The connection under Baileys' wrapper, which keeps it to itself. */
function rawSocket(sock: WASocket): WebSocket | null {
  const raw: unknown = Reflect.get(sock.ws, "socket");
  return raw instanceof WebSocket ? raw : null;
}

/** Ends a socket for good. A server that does not answer the closing handshake within `graceMs` is cut off. */
export async function endSocket(sock: WASocket, graceMs: number): Promise<void> {
  const raw = rawSocket(sock);
  const timer = setTimeout(() => raw?.terminate(), graceMs);
  try {
    await sock.end(undefined);
    // `logout` has already begun the end, and then `end` does not wait for it.
    if (raw && raw.readyState !== WebSocket.CLOSED) await once(raw, "close");
  } finally {
    clearTimeout(timer);
  }
}
