import { once } from "node:events";
import net from "node:net";
import { setImmediate } from "node:timers/promises";
import { afterAll, expect, test } from "vitest";
import { testDatabase } from "../../../tests/support/database.ts";
import { endpoint } from "../../contract/endpoint.ts";
import { logTo } from "../base/log.ts";
import { cutWhereItFails } from "./abort-on-stream-error.ts";
import { createApp } from "./app.ts";
import { listenHttp } from "./listen.ts";
import { mount } from "./mount.ts";
import { SlowReader } from "./reader-watch.ts";
import { textStream } from "./text-stream.ts";

const { db } = await testDatabase();
const lines: string[] = [];
const app = createApp({
  db,
  publicOrigin: null,
  trustedProxies: 0,
  authenticate: async () => null,
  log: logTo("info", { write: (line: string) => void lines.push(line) }),
});
const { promise: gate, resolve: goOn } = Promise.withResolvers<void>();
for (const [path, waits] of [
  ["/api/at-once", false],
  ["/api/later", true],
] as const)
  mount(
    app,
    endpoint({ method: "GET", path, summary: "", access: "public", answer: "stream", media: "text/csv" }),
    () =>
      textStream(
        (async function* () {
          yield "Nome;Telefone\r\n";
          if (waits) await gate;
          throw new Error("relation contact of 5511987654321 is gone");
        })(),
        { "content-type": "text/csv" },
      ),
  );
const { promise: hungUp, resolve: hangUp } = Promise.withResolvers<void>();
mount(
  app,
  endpoint({ method: "GET", path: "/api/endless", summary: "", access: "public", answer: "stream" }),
  () =>
    new Response(
      new ReadableStream({
        start: (controller) => controller.enqueue(new TextEncoder().encode("first")),
        cancel: () => hangUp(),
      }),
    ),
);
const server = await listenHttp(app, "127.0.0.1", 0);
afterAll(() => server.stop(0));

test.each(["/api/at-once", "/api/later"])(
  "%s, whose reading fails, is cut, so no one takes it for complete; the log says why",
  async (path) => {
    const socket = net.connect(server.port, "127.0.0.1");
    let text = "";
    socket.setEncoding("utf8").on("data", (piece: string) => {
      text += piece;
      goOn();
    });
    socket.on("error", () => undefined);
    socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`);
    await once(socket, "close");
    expect(text).not.toMatch(/relation|HTTP\/1\.1 500|\r\n0\r\n\r\n$/);
    expect(JSON.parse(lines.at(-1) ?? "{}")).toMatchObject({
      level: 50,
      requestId: expect.any(String),
      err: { message: "relation contact of …4321 is gone" },
    });
    lines.length = 0;
  },
);

test("a reader who leaves midway is no error, and the reading ends", async () => {
  lines.length = 0;
  const socket = net.connect(server.port, "127.0.0.1");
  socket.write("GET /api/endless HTTP/1.1\r\nHost: x\r\n\r\n");
  await once(socket, "data");
  socket.destroy();
  await hungUp;
  await setImmediate();
  expect(lines).toEqual([]);
});

test("27.3 the connection of a reader who asks for nothing more is cut as soon as the reading is", async () => {
  const { promise: cut, resolve } = Promise.withResolvers<string>();
  const stop = Promise.withResolvers<Error>();
  const body = new ReadableStream({
    start(controller) {
      controller.enqueue(new TextEncoder().encode("first"));
      void stop.promise.then((error) => controller.error(error));
    },
  });
  const answer = cutWhereItFails(new Response(body), {
    outgoing: { destroy: () => resolve("cut") as never },
    log: logTo("info", { write: (line: string) => void lines.push(line) }),
  });
  await answer.body?.getReader().read();
  stop.resolve(new SlowReader("nothing is taken of a download"));
  expect(await cut).toBe("cut");
  expect(lines.map((line) => JSON.parse(line))).toEqual([expect.objectContaining({ level: 30 })]);
  lines.length = 0;
});
