import type { WASocket } from "baileys";
import { rawSocket } from "./raw-socket.ts";

const full = new WeakMap<WASocket, Set<object>>();

/** The rest waits at WhatsApp; if it lasts, the keep-alive ends the socket and stanzas arrive again. */
export function stopReading(sock: WASocket, who: object): void {
  const waiting = full.get(sock) ?? new Set();
  full.set(sock, waiting.add(who));
  rawSocket(sock)?.pause();
}

/** Unless another consumer still pauses it. */
export function readOn(sock: WASocket, who: object): void {
  const waiting = full.get(sock);
  if (waiting?.delete(who) && waiting.size === 0) rawSocket(sock)?.resume();
}
