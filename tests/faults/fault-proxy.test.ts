import { once } from "node:events";
import net from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { type FaultProxy, openFaultProxy } from "../support/fault-proxy.ts";

const LETTERS = "abcdefghij";

async function arrange(): Promise<FaultProxy> {
  const server = net.createServer((socket) => socket.on("error", () => undefined).pipe(socket));
  await once(server.listen(0, "127.0.0.1"), "listening");
  const proxy = await openFaultProxy({ port: (server.address() as net.AddressInfo).port });
  onTestFinished(async () => {
    await proxy.close();
    server.close();
  });
  return proxy;
}

async function call(proxy: FaultProxy) {
  const socket = net.connect(proxy.port, "127.0.0.1");
  const seen = { heard: "", end: "" };
  socket.on("data", (data) => {
    seen.heard += String(data);
  });
  socket.on("error", (error: NodeJS.ErrnoException) => {
    seen.end = error.code ?? "";
  });
  socket.on("close", () => {
    seen.end ||= "closed";
  });
  await new Promise((resolve) => socket.once("connect", resolve).once("close", resolve));
  onTestFinished(() => void socket.destroy());
  return { seen, say: (text: string) => socket.write(text), hangUp: () => socket.end() };
}

test("untroubled it is a wire", async () => {
  const { seen, say, hangUp } = await call(await arrange());
  say(LETTERS);
  await expect.poll(() => seen.heard).toBe(LETTERS);
  hangUp();
  await expect.poll(() => seen.end).toBe("closed");
});

test.each([0, 1, 5, 9])("cut after %i bytes of the answer: those arrive, then a reset", async (bytes) => {
  const proxy = await arrange();
  const { seen, say } = await call(proxy);
  proxy.cutAfter("back", bytes);
  say(LETTERS);
  await expect.poll(() => seen.end).toBe("ECONNRESET");
  expect(seen.heard).toBe(LETTERS.slice(0, bytes));
});

test("half an answer comes, and nothing after it, while later connections are whole again", async () => {
  const proxy = await arrange();
  const first = await call(proxy);
  proxy.stopAfter("back", 4);
  first.say(LETTERS);
  await expect.poll(() => first.seen.heard).toBe(LETTERS.slice(0, 4));
  proxy.heal();
  const second = await call(proxy);
  first.say(LETTERS);
  second.say(LETTERS);
  await expect.poll(() => second.seen.heard).toBe(LETTERS);
  expect(first.seen).toEqual({ heard: LETTERS.slice(0, 4), end: "" });
});

test("a swallowing wire says nothing, not even that it is cut, and never speaks again", async () => {
  const proxy = await arrange();
  const first = await call(proxy);
  first.say("a");
  await expect.poll(() => first.seen.heard).toBe("a");
  proxy.swallow("there", "back");
  const second = await call(proxy);
  first.say(LETTERS);
  second.say(LETTERS);
  proxy.heal();
  const third = await call(proxy);
  first.say(LETTERS);
  third.say(LETTERS);
  await expect.poll(() => third.seen.heard).toBe(LETTERS);
  expect(first.seen).toEqual({ heard: "a", end: "" });
  expect(second.seen).toEqual({ heard: "", end: "" });
});

test("a slow proxy delays in order, a refusing one accepts none, a cut ends all", async () => {
  const proxy = await arrange();
  const { seen, say } = await call(proxy);
  proxy.delay("there", 50);
  const start = performance.now();
  for (const letter of LETTERS) say(letter);
  await expect.poll(() => seen.heard, { interval: 5 }).toBe(LETTERS);
  expect(performance.now() - start).toBeGreaterThan(45);
  expect(proxy.cut()).toBe(1);
  await expect.poll(() => seen.end).toBe("ECONNRESET");
  proxy.refuse();
  const refused = await call(proxy);
  await expect.poll(() => refused.seen.end).toBe("ECONNRESET");
});
