import { AsyncLocalStorage } from "node:async_hooks";
import type { IncomingMessage } from "node:http";
import type { WASocket } from "baileys";
import type { Logger } from "pino";
import { WebSocket } from "ws";

/**
 * Null before there is one. Throws for another copy of the library: treated as null, it would never be ended,
 * and errors before a write would count as after it.
 */
export function rawSocket(sock: WASocket): WebSocket | null {
  const raw: unknown = Reflect.get(sock.ws, "socket") ?? null;
  if (raw === null || raw instanceof WebSocket) return raw;
  throw new TypeError("Baileys' connection is none of our copy of ws");
}

export type Writes = { begun: boolean };

const writes = new AsyncLocalStorage<Writes>();
const watched = new WeakSet<WebSocket>();

/**
 * Notes the first write of `work`: before it, an error proves that nothing was sent. Other writes do not
 * count; an unwatchable connection counts as written.
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
 * Baileys ignores an HTTP answer (a proxy's 503) and waits for ever. The status is only logged: a proxy's 401
 * read as a code would delete the keys.
 */
export function endRefusedUpgrade(sock: WASocket, log: Logger): void {
  sock.ws.on("unexpected-response", (_request: unknown, { statusCode }: IncomingMessage) => {
    log.warn({ status: statusCode }, "refused on the way to WhatsApp");
    rawSocket(sock)?.terminate();
  });
}

/**
 * `unanswered`: no login or pairing offer within `ms`. `notOurs`: ownership uncertain at login, which could
 * end the new owner's session. Returns the cancel function.
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
  sock.ws.prependListener("message", heard);
  sock.ws.once("CB:success", callOff);
  sock.ws.once("CB:iq,type:set,pair-device", callOff);
  return callOff;
}

/** Login success and pending stanzas. */
const HANDED = ["CB:success", "CB:message", "CB:receipt", "CB:notification"];

/**
 * `late`: after login, WhatsApp delivers nothing for `ms`, nor reports the end of pending stanzas; it may
 * have lost our request. Returns the cancel function.
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
