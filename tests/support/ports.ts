import { randomInt } from "node:crypto";
import net from "node:net";

/**
 * Outside the ephemeral range: otherwise busy processes would now and then take a port before the product
 * listens on it, or between two starts.
 */
const PORTS = { first: 20_000, last: 29_999 };
let next = randomInt(PORTS.first, PORTS.last + 1);

export async function freePort(): Promise<number> {
  for (;;) {
    const port = next;
    next = port < PORTS.last ? port + 1 : PORTS.first;
    if (await isFree(port)) return port;
  }
}

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
