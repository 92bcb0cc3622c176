import http from "node:http";
import { type AddressInfo, createServer } from "node:net";
import { text } from "node:stream/consumers";
import { afterAll, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { AppError } from "../../domain/errors.ts";
import { readPrivateHosts } from "./addresses.ts";
import { type GuardOptions, openGuardedFetch } from "./guarded-fetch.ts";

let hits = 0;
let sockets = 0;
const canary = http.createServer((request, response) => {
  hits += 1;
  if (request.url === "/redirect")
    response.writeHead(302, { location: "http://169.254.169.254/latest/meta-data" });
  if (request.url?.startsWith("/hop/")) {
    const left = Number(request.url.slice(5));
    response.writeHead(302, { location: left > 1 ? `/hop/${left - 1}` : "/" }).write("a".repeat(5_000));
  }
  if (request.url === "/nowhere") response.writeHead(302);
  if (request.url === "/file") response.writeHead(301, { location: "file:///etc/passwd" });
  if (request.url === "/large") response.write(Buffer.alloc(2_000));
  if (request.url === "/declared")
    return void response.writeHead(200, { "content-length": 2_000 }).flushHeaders();
  if (request.url === "/headers") response.setHeader("x-long", "a".repeat(20_000));
  if (request.url === "/silent") return;
  if (request.url === "/half") return void response.write("half");
  if (request.url === "/reset") return void request.socket.destroy();
  if (request.url === "/echo") return void echo(request, response);
  response.end("inside");
});
canary.on("connection", () => {
  sockets += 1;
});
async function echo(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
  const { method, headers } = request;
  response
    .writeHead(201, { "x-answer": "yes" })
    .end(JSON.stringify({ method, headers, body: await text(request) }));
}
await new Promise<void>((resolve) => canary.listen(0, "127.0.0.1", resolve));
const { port } = canary.address() as AddressInfo;
const opened: { close(): Promise<void> }[] = [];

beforeEach(() => {
  hits = 0;
  sockets = 0;
});
afterAll(async () => {
  await Promise.all(opened.map((one) => one.close()));
  canary.closeAllConnections();
  canary.close();
});

function guard(options: Partial<GuardOptions> = {}) {
  const client = openGuardedFetch({ privateHosts: readPrivateHosts(undefined), ...options });
  opened.push(client);
  return client;
}

const LIMITS = { maxBytes: 1_000, timeoutMs: 60_000 };

function names(...answers: string[]): { lookup: NonNullable<GuardOptions["lookup"]>; asked: () => number } {
  let asked = 0;
  return {
    asked: () => asked,
    lookup: (_name, _options, callback) => {
      const address = answers[Math.min(asked, answers.length - 1)] ?? "";
      asked += 1;
      callback(null, [{ address, family: address.includes(":") ? 6 : 4 }]);
    },
  };
}

async function refusal(
  address: string,
  options: Partial<GuardOptions> = {},
  request = {},
): Promise<AppError> {
  const error: unknown = await guard(options)
    .fetch(address, { ...LIMITS, ...request })
    .then(() => null)
    .catch((error: unknown) => error);
  if (!(error instanceof AppError)) throw new Error(`${address} was not refused: ${String(error)}`);
  return error;
}

describe("refused before any packet", () => {
  test.each([
    ["U01", "file:///etc/passwd", "url_forbidden"],
    ["U02", "gopher://127.0.0.1:6379/_INFO", "url_forbidden"],
    ["U02", "javascript:alert(1)", "url_forbidden"],
    ["U03", "http://localhost:{port}/", "url_forbidden"],
    ["U03", "http://localhost/", "url_private"],
    ["U03", "http://x.localhost./", "url_private"],
    ["U04", "http://127.0.0.1/", "url_private"],
    ["U05", "http://0/", "url_private"],
    ["U06", "http://2130706433/", "url_private"],
    ["U07", "http://0x7f.1/", "url_private"],
    ["U08", "http://017700000001/", "url_private"],
    ["U09", "http://[::1]/", "url_private"],
    ["U09", "http://[::]/", "url_private"],
    ["U10", "http://[::ffff:127.0.0.1]/", "url_private"],
    ["U10", "http://[::127.0.0.1]/", "url_private"],
    ["U11", "http://[64:ff9b::7f00:1]/", "url_private"],
    ["U11", "http://[2002:7f00:1::]/", "url_private"],
    ["U12", "http://[fd00::1]/", "url_private"],
    ["U12", "http://[fe80::1]/", "url_private"],
    ["U13", "http://169.254.169.254/latest/meta-data", "url_private"],
    ["U14", "http://100.64.0.1/", "url_private"],
    ["U14", "http://198.18.0.1/", "url_private"],
    ["U14", "http://10.0.0.1/", "url_private"],
    ["U14", "http://172.16.0.1/", "url_private"],
    ["U14", "http://192.168.0.1/", "url_private"],
    ["U15", "http://224.0.0.1/", "url_private"],
    ["U15", "http://255.255.255.255/", "url_private"],
    ["U16", "http://①②⑦.0.0.1/", "url_private"],
    ["U20", "http://user:pass@example.com/", "url_forbidden"],
    ["U20", "http://example.com@127.0.0.1/", "url_forbidden"],
    ["U21", "http://example.com:22/", "url_forbidden"],
    ["U22", "http:///", "url_forbidden"],
    ["U22", "", "url_forbidden"],
    ["U22", `http://example.com/${"a".repeat(3_000)}`, "url_forbidden"],
  ])("%s %s", async (_id, address, code) => {
    const { lookup, asked } = names("127.0.0.1");
    const error = await refusal(address.replace("{port}", String(port)), { lookup });
    expect(error.code).toBe(code);
    expect(asked()).toBe(0);
    expect(hits).toBe(0);
  });

  test("U23 http where https is required", async () => {
    const error = await refusal("http://example.com/", {}, { httpsOnly: true });
    expect(error).toMatchObject({ code: "url_forbidden", details: { reason: "https_required" } });
  });

  test("U23 http is left to the hosts that the operator vouches for", async () => {
    const request = { httpsOnly: "unless_vouched" as const };
    const error = await refusal("http://example.com/", {}, request);
    expect(error.details).toEqual({ reason: "https_required" });
    const privateHosts = readPrivateHosts("127.0.0.1");
    const answer = await guard({ privateHosts }).fetch(`http://127.0.0.1:${port}/`, {
      ...LIMITS,
      ...request,
    });
    expect(answer.status).toBe(200);
  });
});

describe("refused at the connection", () => {
  test.each(["127.0.0.1", "::1", "::ffff:10.0.0.1", "169.254.169.254", "fd12::1"])(
    "U17 a name that resolves to %s",
    async (address) => {
      const error = await refusal("http://inside.example.com:8080/", { lookup: names(address).lookup });
      expect(error.code).toBe("url_private");
      expect(hits).toBe(0);
    },
  );

  test("U17 one private address among public ones is enough", async () => {
    const lookup: GuardOptions["lookup"] = (_name, _options, callback) =>
      callback(null, [
        { address: "93.184.216.34", family: 4 },
        { address: "127.0.0.1", family: 4 },
      ]);
    expect((await refusal("http://mixed.example.com/", { lookup })).code).toBe("url_private");
  });

  test("U18 DNS rebinding: the second answer is checked as the first was", async () => {
    const { lookup, asked } = names("192.0.2.1", "127.0.0.1");
    const client = guard({ lookup });
    const outcomes: unknown[] = [];
    for (let attempt = 0; attempt < 2; attempt++) {
      await client
        .fetch("http://rebind.example.com:8080/", attempt === 0 ? { ...LIMITS, timeoutMs: 300 } : LIMITS)
        .catch((error: unknown) => outcomes.push(error));
    }
    expect(outcomes).toHaveLength(2);
    expect(outcomes[1]).toMatchObject({ code: "url_private" });
    expect(asked()).toBe(2);
    expect(hits).toBe(0);
  });
});

describe("hosts the operator vouches for", () => {
  const privateHosts = () => readPrivateHosts(`evolution:8080, 127.0.0.1:${port}`);

  test("U25 one in the list is reached", async () => {
    const answer = await guard({ privateHosts: privateHosts() }).fetch(`http://127.0.0.1:${port}/`, LIMITS);
    expect([answer.status, answer.body.toString()]).toEqual([200, "inside"]);
  });

  test("U26 one that is not in it says so in words", async () => {
    const error = await refusal("http://192.168.1.9:8080/", { privateHosts: privateHosts() });
    expect(error.code).toBe("url_private");
  });

  test("U19 a redirect is not followed, not even from a host in the list", async () => {
    const error = await refusal(`http://127.0.0.1:${port}/redirect`, { privateHosts: privateHosts() });
    expect(error).toMatchObject({ code: "url_failed", details: { reason: "redirect" } });
    expect(hits).toBe(1);
  });

  test("AP01 as many redirects are followed as are allowed, and no body of theirs is read", async () => {
    const follow = (place: string) =>
      guard({ privateHosts: privateHosts() }).fetch(`http://127.0.0.1:${port}${place}`, {
        ...LIMITS,
        redirects: 3,
      });
    const answer = await follow("/hop/3");
    expect([answer.status, answer.body.toString(), hits]).toEqual([200, "inside", 4]);
    await expect(follow("/hop/4")).rejects.toMatchObject({ details: { reason: "redirect" } });
    await expect(follow("/nowhere")).rejects.toMatchObject({ details: { reason: "redirect" } });
  });

  test("AP01 every redirect target is checked like an entered address", async () => {
    const follow = (place: string) =>
      guard({ privateHosts: privateHosts() }).fetch(`http://127.0.0.1:${port}${place}`, {
        ...LIMITS,
        redirects: 3,
      });
    await expect(follow("/redirect")).rejects.toMatchObject({ code: "url_private" });
    await expect(follow("/file")).rejects.toMatchObject({ code: "url_forbidden" });
    expect(hits).toBe(2);
  });

  test("U24 a path, a query and a fragment stay what they are", async () => {
    let seen = "";
    canary.once("request", (request: http.IncomingMessage) => {
      seen = request.url ?? "";
    });
    await guard({ privateHosts: privateHosts() }).fetch(`http://127.0.0.1:${port}/a/?b=1#c`, LIMITS);
    expect(seen).toBe("/a/?b=1");
  });

  test("an answer over the limit is cut off", async () => {
    const error = await refusal(`http://127.0.0.1:${port}/large`, { privateHosts: privateHosts() });
    expect(error).toMatchObject({ code: "url_failed", details: { reason: "too_large" } });
  });

  test("a silent server ends in a timeout", async () => {
    const error = await refusal(
      `http://127.0.0.1:${port}/silent`,
      { privateHosts: privateHosts() },
      { timeoutMs: 100 },
    );
    expect(error).toMatchObject({ code: "url_failed", details: { reason: "timeout" } });
  });

  test("what is given up holds no connection any more", async () => {
    let begun = false;
    const closed = Promise.withResolvers<void>();
    const endless = http.createServer((_request, response) => {
      begun = true;
      response.once("close", closed.resolve).write("a beginning");
    });
    onTestFinished(() => void endless.close());
    await new Promise<void>((resolve) => endless.listen(0, "127.0.0.1", resolve));
    const place = endless.address() as AddressInfo;
    for (let timeoutMs = 100; !begun; timeoutMs *= 2) {
      await refusal(
        `http://127.0.0.1:${place.port}/`,
        { privateHosts: readPrivateHosts("127.0.0.1") },
        { timeoutMs },
      );
    }
    await closed.promise;
  });
});

describe("a request of any kind", () => {
  const vouched = () => guard({ privateHosts: readPrivateHosts("127.0.0.1") });
  const at = (path: string) => `http://127.0.0.1:${port}${path}`;
  const failure = (path: string, request = {}) =>
    refusal(at(path), { privateHosts: readPrivateHosts("127.0.0.1") }, request);

  test("method, headers and body arrive, and the answer's status and headers come back", async () => {
    const answer = await vouched().fetch(at("/echo"), {
      ...LIMITS,
      method: "PATCH",
      headers: { "content-type": "application/json", apikey: "k", "accept-encoding": "gzip" },
      body: JSON.stringify({ nome: "Olá" }),
    });
    expect([answer.status, answer.headers["x-answer"]]).toEqual([201, "yes"]);
    expect(JSON.parse(answer.body.toString())).toMatchObject({
      method: "PATCH",
      headers: { apikey: "k", "accept-encoding": "identity", "content-length": "15" },
      body: '{"nome":"Olá"}',
    });
  });

  test("connections are kept: ten requests in a row do not make ten", async () => {
    const client = vouched();
    for (let turn = 0; turn < 10; turn++) await client.fetch(at("/"), LIMITS);
    expect(hits).toBe(10);
    // Two: undici frees a connection one turn after the answer.
    expect(sockets).toBeLessThanOrEqual(2);
  });

  test("a connection that is refused is known not to have carried the request", async () => {
    const closed = createServer().listen(0, "127.0.0.1");
    await new Promise((resolve) => closed.once("listening", resolve));
    const { port: unused } = closed.address() as AddressInfo;
    await new Promise((resolve) => closed.close(resolve));
    const error = await refusal(`http://127.0.0.1:${unused}/`, {
      privateHosts: readPrivateHosts("127.0.0.1"),
    });
    expect(error).toMatchObject({ code: "url_failed", details: { reason: "network", sent: false } });
  });

  test("a name that does not exist is known not to have carried the request", async () => {
    const lookup: GuardOptions["lookup"] = (_name, _options, callback) =>
      callback(Object.assign(new Error("no such name"), { code: "ENOTFOUND" }), []);
    const error = await refusal("http://missing.example.com/", { lookup });
    expect(error.details).toEqual({ reason: "network", sent: false });
  });

  test("one that waits for a free connection ends in time, and was never sent", async () => {
    const client = vouched();
    let ended = 0;
    const hanging = Array.from({ length: 16 }, () =>
      client
        .fetch(at("/silent"), { ...LIMITS, timeoutMs: 3_000 })
        .catch((error: AppError) => error.details)
        .finally(() => ended++),
    );
    const last = client.fetch(at("/echo"), { ...LIMITS, method: "POST", body: "x", timeoutMs: 150 });
    await expect(last).rejects.toMatchObject({ details: { reason: "timeout", sent: false } });
    expect(ended).toBe(0);
    expect(await Promise.all(hanging)).toEqual(
      Array.from({ length: 16 }, () => ({ reason: "timeout", sent: true })),
    );
    await new Promise((resolve) => setImmediate(resolve));
    expect(hits).toBe(16);
  });

  test("one whose connection broke may have been carried out", async () => {
    const error = await failure("/reset", { method: "POST", body: "x" });
    expect(error.details).toEqual({ reason: "network", sent: true });
    expect(hits).toBe(1);
  });

  test("a body that never ends is given up at the limit of silence, and on demand", async () => {
    const silent = await failure("/half", { silenceMs: 100 });
    expect(silent.details).toEqual({ reason: "timeout", sent: true });
    const abort = new AbortController();
    const gone = failure("/half", { signal: abort.signal });
    canary.once("request", () => abort.abort());
    expect((await gone).details).toEqual({ reason: "aborted", sent: true });
    const before = await failure("/half", { signal: AbortSignal.abort() });
    expect(before.details).toEqual({ reason: "aborted", sent: false });
  });

  test("an answer that says itself that it is too large is not waited for", async () => {
    expect((await failure("/declared")).details).toEqual({ reason: "too_large", sent: true });
  });

  test("status-only requests accept any body size and length; a redirect stays one", async () => {
    const status = async (path: string, timeoutMs = LIMITS.timeoutMs) =>
      (await vouched().fetch(at(path), { ...LIMITS, timeoutMs, statusOnly: true })).status;
    expect(await Promise.all(["/large", "/declared", "/echo"].map((path) => status(path)))).toEqual([
      200, 200, 201,
    ]);
    expect(await status("/half", 3_000)).toBe(200);
    const moved = await failure("/redirect", { statusOnly: true });
    expect(moved.details).toMatchObject({ reason: "redirect" });
  });

  test("a header beyond the limit is not read", async () => {
    expect((await failure("/headers")).details).toEqual({ reason: "too_large", sent: true });
  });

  test("a header value that would break the request is refused by us", async () => {
    const error = await failure("/", { headers: { apikey: "a\r\nx: y" } });
    expect(error).toMatchObject({ code: "url_failed", details: { sent: false } });
    expect(hits).toBe(0);
  });
});

test("nothing of the server asks outwards by another way", () => {
  const sources = import.meta.glob<string>(["../**/*.ts", "!../**/*.test.ts"], {
    query: "?raw",
    import: "default",
    eager: true,
  });
  const asks = /(?<![.\w])fetch\(|\bhttps?\.(request|get)\(|\bnew (WebSocket|EventSource|XMLHttpRequest)\(/;
  const isCode = (line: string) => !/^\s*(\/?\*|\/\/)/.test(line) && !/\bfetch\(\w+: /.test(line);
  const found = Object.entries(sources).filter(([, text]) =>
    text.split("\n").some((line) => isCode(line) && asks.test(line)),
  );
  expect(Object.keys(sources).length).toBeGreaterThan(200);
  expect(found.map(([file]) => file)).toEqual([]);
});

describe("27.8 addresses of the operator, and those that others call", () => {
  test("a configured address inside the network is reached, and where it redirects to is not", async () => {
    const client = guard();
    const inside = await client.fetch(`http://127.0.0.1:${port}/`, { ...LIMITS, configured: true });
    expect(inside.status).toBe(200);
    const request = { configured: true, redirects: 2 };
    expect(await refusal(`http://127.0.0.1:${port}/redirect`, {}, request)).toMatchObject({
      code: "url_private",
    });
    expect(await refusal(`http://127.0.0.1:${port}/hop/1`, {}, request)).toMatchObject({
      code: "url_forbidden",
    });
  });

  test("an address is judged by what its name resolves to without a call", async () => {
    const judge = (lookup: GuardOptions["lookup"]) =>
      guard(lookup ? { lookup } : {}).checkResolved("https://example.com/hook");
    await judge(names("93.184.215.14").lookup);
    await expect(judge(names("10.0.0.1").lookup)).rejects.toMatchObject({ code: "url_private" });
    const missing: GuardOptions["lookup"] = (_name, _options, callback) => callback(new Error("gone"), []);
    await expect(judge(missing)).rejects.toMatchObject({ code: "url_failed" });
    expect(sockets).toBe(0);
  });
});
