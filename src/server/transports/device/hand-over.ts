import type { BinaryNode, WASocket } from "baileys";
import type { Logger } from "pino";
import { codeOf, textOf } from "./errors.ts";

/**
 * Keeps what fails inside Baileys' own listeners inside this socket. Some ask WhatsApp and wait («your groups have changed»): a refusal,
 * or a socket cut meanwhile, would be a rejection that nobody handles, and those end the process with all its accounts.
 * To be called before others listen.
 */
export function containFaults(sock: WASocket, log: Logger): void {
  for (const event of sock.ws.eventNames()) {
    const baileys = sock.ws.listeners(event);
    sock.ws.removeAllListeners(event);
    for (const listener of baileys) {
      sock.ws.on(event, async (...heard: unknown[]) => {
        try {
          await Reflect.apply(listener, sock.ws, heard);
        } catch (error) {
          // Not the error itself: it holds the stanza.
          log.info({ event, code: codeOf(error), fault: textOf(error) }, "not dealt with by Baileys");
        }
      });
    }
  }
}

/**
 * Takes Baileys' own listener for a kind of stanza off the socket and answers how to hand it one: Baileys acknowledges what it hears of,
 * and WhatsApp repeats, at the next login, only what was not acknowledged. A socket that is closed gets none: what it could not
 * acknowledge comes again.
 */
export function acquireConnection(
  sock: WASocket,
  event: "CB:receipt" | "CB:message",
): (node: BinaryNode) => void {
  const baileys = sock.ws.listeners(event);
  sock.ws.removeAllListeners(event);
  return (node) => {
    if (!sock.ws.isOpen) return;
    for (const listener of baileys) Reflect.apply(listener, sock.ws, [node]);
  };
}
