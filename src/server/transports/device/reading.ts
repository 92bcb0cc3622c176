import type { WASocket } from "baileys";
import { rawSocket } from "./raw-socket.ts";

/** Who has enough of a socket for now. */
const full = new WeakMap<WASocket, Set<object>>();

/** The connection's own back-pressure keeps the rest at WhatsApp; if it lasts, the keep-alive ends the socket and it comes again. */
export function stopReading(sock: WASocket, who: object): void {
  const waiting = full.get(sock) ?? new Set();
  full.set(sock, waiting.add(who));
  rawSocket(sock)?.pause();
}

/** Reads on, unless somebody else still has enough. */
export function readOn(sock: WASocket, who: object): void {
  const waiting = full.get(sock);
  if (waiting?.delete(who) && waiting.size === 0) rawSocket(sock)?.resume();
}
