import type { BinaryNode, WASocket } from "baileys";
import type { Logger } from "pino";
import { codeOf, textOf } from "./errors.ts";

/**
 * Baileys' own listeners query WhatsApp; an unhandled rejection would end the process with all accounts. Call
 * before adding other listeners.
 */
export function containErrors(sock: WASocket, log: Logger): void {
  for (const event of sock.ws.eventNames()) {
    const baileys = sock.ws.listeners(event);
    sock.ws.removeAllListeners(event);
    for (const listener of baileys) {
      sock.ws.on(event, async (...heard: unknown[]) => {
        try {
          await Reflect.apply(listener, sock.ws, heard);
        } catch (error) {
          // The error itself holds the stanza.
          log.info({ event, code: codeOf(error), error: textOf(error) }, "not dealt with by Baileys");
        }
      });
    }
  }
}

/**
 * Removes Baileys' listener and returns how to pass it a stanza. Baileys acknowledges what it receives, and
 * WhatsApp repeats only unacknowledged stanzas; a closed socket gets none.
 */
export function takeListener(sock: WASocket, event: "CB:receipt" | "CB:message"): (node: BinaryNode) => void {
  const baileys = sock.ws.listeners(event);
  sock.ws.removeAllListeners(event);
  return (node) => {
    if (!sock.ws.isOpen) return;
    for (const listener of baileys) Reflect.apply(listener, sock.ws, [node]);
  };
}
