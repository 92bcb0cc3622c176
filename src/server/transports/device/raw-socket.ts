import type { WASocket } from "baileys";
import { WebSocket } from "ws";

/** The connection under Baileys' wrapper, which keeps it to itself. Null before there is one. */
export function rawSocket(sock: WASocket): WebSocket | null {
  const raw: unknown = Reflect.get(sock.ws, "socket");
  return raw instanceof WebSocket ? raw : null;
}
