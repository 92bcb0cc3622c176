import { AsyncLocalStorage } from "node:async_hooks";
import type { IncomingMessage } from "node:http";
import type { WASocket } from "baileys";
import type { Logger } from "pino";
import { WebSocket } from "ws";

/**
 * The connection under Baileys' wrapper, which keeps it to itself. Null before there is one. Throws for one of another copy of the library:
 * taken for none, it would never be ended, and every fault before a write be taken for one after it.
 */
export function rawSocket(sock: WASocket): WebSocket | null {
  const raw: unknown = Reflect.get(sock.ws, "socket") ?? null;
  if (raw === null || raw instanceof WebSocket) return raw;
  throw new TypeError("Baileys' connection is none of our copy of ws");
}

/** Whether anything has been given to the network. */
export type Writes = { begun: boolean };

const writes = new AsyncLocalStorage<Writes>();
const watched = new WeakSet<WebSocket>();

/**
 * Does `work`, and notes in `noted` when it first hands something to the connection: as long as it has not, a fault of it proves that
 * nothing left. What others write meanwhile (answers to receipts) does not count. Without a connection that can be watched everything
 * may have left.
 */
export function noteWrites<T>(sock: WASocket, noted: Writes, work: () => Promise<T>): Promise<T> {
  const raw = rawSocket(sock);
  if (!raw) noted.begun = true;
  else if (!watched.has(raw)) {
    watched.add(raw);
    raw.send = new Proxy(raw.send, {
      apply(send, self, args) {
        const own = writes.getStore();
        if (own) own.begun = true;
        return Reflect.apply(send, self, args);
      },
    });
  }
  return writes.run(noted, work);
}

/**
 * Ends a connection that got an HTTP answer instead of becoming a socket (an edge or a proxy that says 503, say). Baileys listens for
 * such an answer and does nothing with it, and whoever listens is to end it: otherwise the device would connect for ever.
 * The status goes to the log alone. It is not WhatsApp's word: read as a code, a proxy's 401 would delete the keys.
 */
export function endRefusedUpgrade(sock: WASocket, log: Logger): void {
  sock.ws.on("unexpected-response", (_request: unknown, { statusCode }: IncomingMessage) => {
    log.warn({ status: statusCode }, "refused on the way to WhatsApp");
    rawSocket(sock)?.terminate();
  });
}

/**
 * Calls `unanswered` when WhatsApp has neither let the device in nor offered to link it within `ms`, and `notOurs` when it asks for the
 * login and the ownership is not certain any more (the process stood still since it began to connect): whoever owns the connection by
 * then may be logged in already, and WhatsApp would end their session for this one. Answers how to call that off.
 */
export function boundLogin(
  sock: WASocket,
  ms: number,
  mayAct: () => boolean,
  { unanswered, notOurs }: { unanswered: () => void; notOurs: () => void },
): () => void {
  const timer = setTimeout(unanswered, ms);
  const heard = () => {
    if (!mayAct()) notOurs();
  };
  const callOff = () => {
    clearTimeout(timer);
    sock.ws.off("message", heard);
  };
  // Before Baileys hears it, and answers the greeting with the login.
  sock.ws.prependListener("message", heard);
  sock.ws.once("CB:success", callOff);
  sock.ws.once("CB:iq,type:set,pair-device", callOff);
  return callOff;
}

/** Let in, and what WhatsApp then hands a device of what waited for it. */
const HANDED = ["CB:success", "CB:message", "CB:receipt", "CB:notification"];

/**
 * Calls `late` when WhatsApp has let the device in, and for `ms` neither hands it anything nor says that nothing waits any more: it may
 * have lost that we asked for it, and would keep us waiting for as long as the connection lasts. Answers how to call that off.
 */
export function boundCatchUp(sock: WASocket, ms: number, late: () => void): () => void {
  let timer: NodeJS.Timeout | undefined;
  const heard = () => {
    clearTimeout(timer);
    timer = setTimeout(late, ms);
  };
  const callOff = () => {
    clearTimeout(timer);
    for (const event of HANDED) sock.ws.off(event, heard);
  };
  for (const event of HANDED) sock.ws.on(event, heard);
  sock.ws.once("CB:ib,,offline", callOff);
  return callOff;
}
