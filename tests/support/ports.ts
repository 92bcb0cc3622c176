import { randomInt } from "node:crypto";
import net from "node:net";

/**
 * Ports that no system gives out by itself, to a server without one or to a call: whatever does much beside the product would now and
 * then have taken its port before it listens on it, or between two starts.
 */
const PORTS = { first: 20_000, last: 29_999 };
let next = randomInt(PORTS.first, PORTS.last + 1);

/** A port that was free a moment ago. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = next;
    next = port < PORTS.last ? port + 1 : PORTS.first;
    if (await isFree(port)) return port;
  }
}

/** This port when nobody listens on it, else any free one. */
export const freePortNear = async (wanted: number): Promise<number> =>
  (await isFree(wanted)) ? wanted : freePort();

async function isFree(port: number): Promise<boolean> {
  const server = net.createServer();
  const free = await new Promise<boolean>((resolve) => {
    server.once("error", () => resolve(false)).listen(port, "127.0.0.1", () => resolve(true));
  });
  if (free) await new Promise((resolve) => server.close(resolve));
  return free;
}
