import { once } from "node:events";
import net, { type AddressInfo, type Socket } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { testLog } from "../../../tests/support/database.ts";
import { listenOn } from "./listen.ts";

/** Letter, length, body. */
function message(letter: string, ...parts: (string | Buffer)[]): Buffer {
  const body = Buffer.concat(
    parts.map((part) => (typeof part === "string" ? Buffer.from(`${part}\0`) : part)),
  );
  const head = Buffer.alloc(5);
  head.write(letter);
  head.writeUInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}

const READY = message("Z", Buffer.from("I"));
const LISTENS = Buffer.concat([message("C", "LISTEN"), READY]);
const SHUTDOWN = message("E", "SFATAL", "C57P01", "Mterminating connection", Buffer.alloc(1));
const NEWS = message("A", Buffer.alloc(4), "channel", "news");

async function fakeServer(answer: (connection: number, socket: Socket) => void): Promise<net.Server> {
  let connections = 0;
  const sockets = new Set<Socket>();
  const server = net.createServer((socket) => {
    const mine = connections++;
    sockets.add(socket);
    socket.on("error", () => undefined);
    socket.once("data", () => {
      socket.on("data", (bytes) => bytes[0] === 81 && answer(mine, socket));
      socket.write(Buffer.concat([message("R", Buffer.alloc(4)), READY]));
    });
  });
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return server;
}

test("a connection that ends in the same piece as its LISTEN answer is replaced", async () => {
  const first: Socket[] = [];
  const server = await fakeServer((connection, socket) => {
    if (connection === 0) first.push(socket);
    socket.write(connection === 1 ? Buffer.concat([LISTENS, SHUTDOWN]) : LISTENS);
    if (connection === 2) socket.write(NEWS);
  });
  const heard: string[] = [];
  const { port } = server.address() as AddressInfo;
  const listener = await listenOn(
    { host: "127.0.0.1", port, user: "recado", database: "recado" },
    { channel: "channel", onMessage: (payload) => heard.push(payload), log: testLog },
  );
  onTestFinished(() => listener.close());
  first[0]?.destroy();
  await expect.poll(() => heard, { timeout: 30_000 }).toEqual(["news"]);
});
