import { once } from "node:events";
import net from "node:net";

/** A port that was free a moment ago. */
export async function freePort(): Promise<number> {
  const server = net.createServer();
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as net.AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** This port when nobody listens on it, else any free one. */
export async function freePortNear(wanted: number): Promise<number> {
  const server = net.createServer();
  const free = await new Promise<boolean>((resolve) => {
    server.once("error", () => resolve(false)).listen(wanted, "127.0.0.1", () => resolve(true));
  });
  if (!free) return freePort();
  await new Promise((resolve) => server.close(resolve));
  return wanted;
}
