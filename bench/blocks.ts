import { once } from "node:events";
import net from "node:net";
import pino from "pino";
import { openDatabase } from "../src/server/db/client.ts";
import { listenHttp } from "../src/server/http/listen.ts";
import { mountSystem } from "../src/server/http/system.ts";
import { composeApp } from "../tests/support/compose-app.ts";
import { longestBlock } from "../tests/support/longest-block.ts";
import { type BlockRequest, blockRequests } from "./block-requests.ts";
import { benchPostgres } from "./postgres.ts";
import type { Bench, Workload } from "./workload.ts";

const MOST_MS = 50;
const SILENCE_MS = 10_000;

export const blocksWorkload: Workload = {
  name: "blocks",
  async run(bench) {
    const postgres = await benchPostgres();
    const log = pino({ level: "silent" });
    const database = openDatabase(postgres.url, { log });
    const composed = await composeApp({ database, log });
    const { cookie } = await composed.signUp("ana");
    mountSystem(composed.app, {
      health: () => Promise.reject(new Error("not asked for")),
      hold: async () => null,
      diskLow: async () => false,
      idle: async () => false,
      version: "bench",
      sessionCookie: "session",
      token: null,
    });
    const server = await listenHttp(composed.app, "127.0.0.1", 0);
    try {
      for (let round = 0; round < bench.rounds; round++)
        for (const request of blockRequests(cookie)) await measure(bench, server.port, request);
    } finally {
      await server.stop(0);
      await composed.close();
      await database.close();
      await postgres.stop();
    }
  },
};

async function measure(bench: Bench, port: number, request: BlockRequest): Promise<void> {
  let status = 0;
  const blockMs = await longestBlock(async () => {
    status = await send(port, request);
  });
  bench.note({ workload: "blocks", variant: request.name, figures: { status, blockMs } });
  bench.goal({ name: `blocks ${request.name}`, measured: blockMs, bound: MOST_MS, kind: "atMost" });
}

async function send(port: number, { head, body }: BlockRequest): Promise<number> {
  const socket = net.connect(port, "127.0.0.1");
  socket.on("error", () => undefined);
  socket.setTimeout(SILENCE_MS, () => socket.destroy());
  const length = `Content-Length: ${Buffer.byteLength(body)}`;
  const lines = [
    ...head,
    "Host: localhost",
    "Origin: http://localhost",
    "Connection: close",
    length,
    "",
    body,
  ];
  let answer = "";
  socket.setEncoding("utf8").on("data", (piece: string) => {
    answer = answer || piece;
    socket.end();
  });
  socket.write(lines.join("\r\n"));
  await once(socket, "close");
  return Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1] ?? 0);
}
