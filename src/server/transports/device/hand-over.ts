import type { BinaryNode, WASocket } from "baileys";
import type { Logger } from "pino";

/**
 * Takes Baileys' own listener for a kind of stanza off the socket and answers how to hand it one: Baileys acknowledges what it hears of,
 * and WhatsApp repeats, at the next login, only what was not acknowledged. A socket that is closed gets none: what it could not
 * acknowledge comes again.
 */
export function takeOver(
  sock: WASocket,
  event: "CB:receipt" | "CB:message",
  log: Logger,
): (node: BinaryNode) => void {
  const baileys = sock.ws.listeners(event);
  sock.ws.removeAllListeners(event);
  return (node) => {
    if (!sock.ws.isOpen) return;
    for (const listener of baileys) {
      const heard: unknown = Reflect.apply(listener, sock.ws, [node]);
      Promise.resolve(heard).catch((error: unknown) =>
        log.debug({ err: error, event }, "stanza not acknowledged"),
      );
    }
  };
}
