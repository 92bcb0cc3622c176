import { randomBytes } from "node:crypto";
import http from "node:http";
import { type AddressInfo, createServer } from "node:net";
import { afterAll, afterEach, describe, expect, test } from "vitest";
import { type Evolution, startEvolution } from "../../../../simulators/evolution/evolution.ts";
import type { ErrorName } from "../../../../simulators/evolution/faults.ts";
import { openFaultProxy } from "../../../../tests/support/fault-proxy.ts";
import { type RecordedCall, recordedLines } from "../../../../tests/support/gateway-recordings.ts";
import { readPrivateHosts } from "../../net/addresses.ts";
import { openGuardedFetch } from "../../net/guarded-fetch.ts";
import type { Outcome } from "../transport.ts";
import { EvolutionClient } from "./evolution-client.ts";

const NOW = new Date("2026-11-20T12:00:00Z");
const MESSAGE = { to: "5511987654321@s.whatsapp.net", text: "Olá, Ana" };

const guardedFetch = openGuardedFetch({ privateHosts: readPrivateHosts("127.0.0.1") });
const servers: { close(): unknown; closeAllConnections?(): void }[] = [];
afterAll(async () => {
  await guardedFetch.close();
  for (const one of servers) {
    one.closeAllConnections?.();
    one.close();
  }
});

function clientAt(baseUrl: string, sendMs = 60_000) {
  const limits = { callMs: 60_000, createMs: 60_000, sendMs };
  return new EvolutionClient({ guardedFetch, baseUrl, apiKey: "k", now: () => NOW, limits });
}

async function serve(answer: http.RequestListener): Promise<string> {
  const server = http.createServer(answer);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const sendTo = async (answer: http.RequestListener) => clientAt(await serve(answer)).sendText("a", MESSAGE);

async function connect(url: string): Promise<void> {
  expect((await clientAt(url).sendText("a", MESSAGE)).kind).toBe("accepted");
  await new Promise((resolve) => setImmediate(resolve));
}

const json =
  (status: number, body: unknown, headers: http.OutgoingHttpHeaders = {}): http.RequestListener =>
  (_request, response) =>
    response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));

const error = (status: number, message: unknown) =>
  json(status, { status, error: "Bad Request", response: { message } });

const NOT_UPLOADED = "Error: Media upload failed on all hosts";

const accepts = json(201, { key: { id: "3EB0AA" } });

const ambiguous = (reason: string) => ({ kind: "ambiguous", reason });
const stop = (cause: string, retryAt: unknown = null) => ({ kind: "stop", cause, retryAt });
const inMs = (ms: number) => NOW.getTime() + ms;
const tooMany = (after?: string) => json(429, {}, after === undefined ? {} : { "retry-after": after });

const PIXEL =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const PICTURE = {
  to: MESSAGE.to,
  kind: "image",
  name: "",
  caption: "Oferta",
  base64: PIXEL,
  mime: "image/png",
} as const;

const PAGE = "<!doctype html><html><body>Bad Gateway</body></html>";
const html =
  (status: number): http.RequestListener =>
  (_request, response) =>
    response.writeHead(status, { "content-type": "text/html" }).end(PAGE);

describe("F11 a connection that never came about proves that nothing was sent", () => {
  test("refused", async () => {
    const closed = createServer().listen(0, "127.0.0.1");
    await new Promise((resolve) => closed.once("listening", resolve));
    const { port } = closed.address() as AddressInfo;
    await new Promise((resolve) => closed.close(resolve));
    expect(await clientAt(`http://127.0.0.1:${port}`).sendText("a", MESSAGE)).toEqual(stop("not_connected"));
  });

  test("a name that does not exist", async () => {
    expect(await clientAt("http://unknown-host.invalid").sendText("a", MESSAGE)).toEqual(
      stop("not_connected"),
    );
  });

  test("TLS that fails", async () => {
    const plain = createServer((socket) => socket.end("HTTP/1.1 200 OK\r\n\r\n")).listen(0, "127.0.0.1");
    servers.push(plain);
    await new Promise((resolve) => plain.once("listening", resolve));
    const { port } = plain.address() as AddressInfo;
    expect(await clientAt(`https://127.0.0.1:${port}`).sendText("a", MESSAGE)).toEqual(stop("not_connected"));
  });

  test("an address inside the network that is not allowed", async () => {
    expect(await clientAt("http://10.0.0.1").sendText("a", MESSAGE)).toEqual(stop("not_connected"));
  });
});

describe("what a gateway answers", () => {
  const absent = [{ jid: "5511000000000@s.whatsapp.net", exists: false, number: "5511000000000" }];
  const license = { error: "service not activated", code: "LICENSE_REQUIRED", register_url: "https://l/" };
  test.each<[string, http.RequestListener, object]>([
    [
      "201 with an id",
      json(201, { key: { id: "3EB0AA" } }),
      { kind: "accepted", providerId: "3EB0AA", at: inMs(0), unconfirmed: true },
    ],
    [
      "GW01 201 PENDING, which proves nothing of WhatsApp",
      json(201, { key: { id: "3EB0AA" }, status: "PENDING" }),
      { kind: "accepted", providerId: "3EB0AA", at: inMs(0), unconfirmed: true },
    ],
    [
      "GW01 201 SERVER_ACK, which is WhatsApp's word",
      json(201, { key: { id: "3EB0AA" }, status: "SERVER_ACK" }),
      { kind: "accepted", providerId: "3EB0AA", at: inMs(0) },
    ],
    [
      "200 with an id",
      json(200, { key: { id: "3EB0AA" } }),
      { kind: "accepted", providerId: "3EB0AA", at: inMs(0), unconfirmed: true },
    ],
    ["F13 201 without id", json(201, { key: {}, status: "PENDING" }), ambiguous("gateway_garbage")],
    ["201 with an empty id", json(201, { key: { id: "" } }), ambiguous("gateway_garbage")],
    ["201 with nothing", (_q, r) => r.writeHead(201).end(), ambiguous("gateway_garbage")],
    [
      "F13 200 that says error",
      json(200, { error: true, message: "[object Object]" }),
      ambiguous("gateway_garbage"),
    ],
    [
      "F19 400 not on WhatsApp",
      error(400, absent),
      { kind: "refused", code: "not_on_whatsapp", passing: false },
    ],
    [
      "400 of a LID, of any person",
      error(400, [{ exists: false, jid: "838421573@lid", name: "Ana", number: "838421573@lid" }]),
      { kind: "refused", code: "gateway_hidden", passing: false },
    ],
    [
      "400 of a schema",
      error(400, [["Invalid format"]]),
      { kind: "refused", code: "gateway_refused", passing: false },
    ],
    [
      "400 of a check",
      error(400, ["Text is required"]),
      { kind: "refused", code: "gateway_refused", passing: false },
    ],
    ["400 Connection Closed", error(400, ["Error: Connection Closed"]), stop("not_connected")],
    ["500 Connection Closed", error(500, "Connection Closed"), stop("not_connected")],
    ["400 of anything else", error(400, ["Error: Timed Out"]), ambiguous("gateway_failed")],
    ["400 of its own database", error(400, ["PrismaClientKnownRequestError"]), ambiguous("gateway_failed")],
    [
      "400 before the scan",
      error(400, ["TypeError: Cannot read properties of undefined"]),
      ambiguous("gateway_failed"),
    ],
    ["26.23 500 Media upload failed", error(500, [NOT_UPLOADED]), stop("upload_failed")],
    ["500 Media upload failed and more", error(500, [NOT_UPLOADED, "x"]), ambiguous("gateway_failed")],
    ["500 Media upload failed within words", error(500, [`${NOT_UPLOADED}!`]), ambiguous("gateway_failed")],
    ["500 Media upload failed as a text", error(500, NOT_UPLOADED), ambiguous("gateway_failed")],
    [
      "500 Media upload failed of another server",
      json(500, { message: [NOT_UPLOADED] }),
      ambiguous("gateway_failed"),
    ],
    ["400 Media upload failed", error(400, [NOT_UPLOADED]), ambiguous("gateway_failed")],
    ["500 in the words of a check", error(500, ["Text is required"]), ambiguous("gateway_failed")],
    ["500 that names no person", error(500, absent), ambiguous("gateway_failed")],
    ["F15 401", error(401, "Unauthorized"), stop("wrong_key", "human")],
    ["F15 403", error(403, "Forbidden"), stop("wrong_key", "human")],
    ["401 page of a proxy", html(401), ambiguous("gateway_garbage")],
    ["403 page of a firewall", html(403), ambiguous("gateway_garbage")],
    ["403 with nothing", (_q, r) => r.writeHead(403).end(), ambiguous("gateway_garbage")],
    ["404 of the instance", error(404, ['The "a" instance does not exist']), stop("gone", "human")],
    ["404 of another server", error(404, ["Cannot POST /message/sendText/a"]), stop("not_connected")],
    ["413", html(413), { kind: "refused", code: "gateway_too_large", passing: false }],
    ["F14 429", tooMany(), stop("rate_limited", inMs(60_000))],
    ["F14 429 for 7 s", tooMany("7"), stop("rate_limited", inMs(7_000))],
    ["429 until a date", tooMany("Fri, 20 Nov 2026 12:02:00 GMT"), stop("rate_limited", inMs(120_000))],
    ["F14 429 for years", tooMany("999999999"), stop("rate_limited", inMs(600_000))],
    ["429 for longer than numbers", tooMany("9".repeat(400)), stop("rate_limited", inMs(60_000))],
    ["429 for no time", tooMany("0"), stop("rate_limited", inMs(1_000))],
    ["429 in the past", tooMany("-5"), stop("rate_limited", inMs(1_000))],
    ["F14 429 in words", tooMany("amanha cedo"), stop("rate_limited", inMs(60_000))],
    ["503 without a licence", json(503, license), stop("license_required", "human")],
    [
      "F8 500",
      error(500, "Error: Input buffer contains unsupported image format"),
      ambiguous("gateway_failed"),
    ],
    ["F8 502 page", html(502), ambiguous("gateway_failed")],
    ["503 page", html(503), ambiguous("gateway_failed")],
    ["504 page", html(504), ambiguous("gateway_failed")],
    ["F13 200 page", html(200), ambiguous("gateway_garbage")],
    ["400 page", html(400), ambiguous("gateway_garbage")],
    ["418", json(418, {}), ambiguous("gateway_failed")],
    [
      "302",
      (_q, r) => r.writeHead(302, { location: "https://example.com/" }).end(),
      ambiguous("gateway_garbage"),
    ],
  ])("%s", async (_name, answer, outcome) => {
    expect(await sendTo(answer)).toEqual(outcome);
  });
});

describe("F12 answers that break", () => {
  test.each<[string, http.RequestListener, string]>([
    ["reset before anything", (q) => q.socket.destroy(), "gateway_cut"],
    ["half a JSON", (_q, r) => r.writeHead(201).end('{"key":{"id":"3EB0'), "gateway_garbage"],
    [
      "cut body",
      (q, r) => r.writeHead(201, { "content-length": 500 }).write('{"key":{', () => q.socket.destroy()),
      "gateway_cut",
    ],
    [
      "a content-length too small",
      (q) => q.socket.end('HTTP/1.1 201 Created\r\ncontent-length: 5\r\n\r\n{"key":{"id":"A"}}'),
      "gateway_garbage",
    ],
    ["no HTTP at all", (q) => q.socket.end("+OK ready\r\n"), "gateway_cut"],
    ["F13 10 MB", (_q, r) => r.writeHead(201).end(Buffer.alloc(10_000_000, "a")), "gateway_garbage"],
    [
      "10 MB announced",
      (_q, r) => r.writeHead(201, { "content-length": 10_000_000 }).write("{"),
      "gateway_garbage",
    ],
    [
      "a header of 100 kB",
      (_q, r) => r.writeHead(201, { x: "a".repeat(100_000) }).end("{}"),
      "gateway_garbage",
    ],
  ])("%s", async (_name, answer, reason) => {
    expect(await sendTo(answer)).toEqual(ambiguous(reason));
  });

  test.each<[string, http.RequestListener]>([
    ["silence", () => undefined],
    ["silence after the headers", (_q, r) => void r.writeHead(201).flushHeaders()],
    ["a byte now and then", (_q, r) => void setInterval(() => r.write(" "), 20).unref()],
  ])("F9 %s until the limit", async (_name, answer) => {
    let asked = 0;
    const url = await serve((...both) => (asked++ === 0 ? accepts : answer)(...both));
    await connect(url);
    expect(await clientAt(url, 400).sendText("a", MESSAGE)).toEqual(ambiguous("gateway_timeout"));
  });
});

describe("a wire that fails on the way", () => {
  async function wired() {
    const wire = await openFaultProxy({ port: Number(new URL(await serve(accepts)).port) });
    servers.push(wire);
    const url = `http://127.0.0.1:${wire.port}`;
    return { wire, url, client: clientAt(url), hasty: clientAt(url, 400) };
  }

  test.each(["there", "back"] as const)(
    "F12 cut %s after k bytes, every k: accepted when all of the answer came, else a doubt, never a refusal",
    async (way) => {
      const { wire, client } = await wired();
      const seen = new Set<string>();
      for (let bytes = 0; bytes < 400; bytes += 7) {
        wire.cut();
        wire.cutAfter(way, bytes);
        const outcome = await client.sendText("a", MESSAGE);
        seen.add(outcome.kind);
        if (outcome.kind === "accepted") expect(outcome.providerId).toBe("3EB0AA");
      }
      expect([...seen].toSorted()).toEqual(["accepted", "ambiguous"]);
    },
  );

  test.each([0, 20, 90])(
    "F12 only the first %i bytes of the answer ever come: a doubt, within the limit",
    async (bytes) => {
      const { wire, url, hasty } = await wired();
      await connect(url);
      wire.stopAfter("back", bytes);
      expect(await hasty.sendText("a", MESSAGE)).toEqual(ambiguous("gateway_timeout"));
    },
  );

  test("F5 F9 a wire that swallows everything: a doubt, within the limit", async () => {
    const { wire, url, hasty } = await wired();
    await connect(url);
    wire.swallow("there", "back");
    expect(await hasty.sendText("a", MESSAGE)).toEqual(ambiguous("gateway_timeout"));
  });

  test("F10 a slow wire within the limit brings a success", async () => {
    const { wire, client } = await wired();
    wire.delay("back", 50);
    expect((await client.sendText("a", MESSAGE)).kind).toBe("accepted");
  });
});

describe("recorded answers to sends", () => {
  const CASES: [string, string, object][] = [
    ["09b-baileys-open-flow", "sendText", { kind: "accepted", providerId: "3EB0BF3AE8B9EBA4EEFAEB" }],
    [
      "09b-baileys-open-flow",
      "sendMedia image base64 + caption",
      { kind: "accepted", providerId: "3EB05B81EB5B2805FFA8DF" },
    ],
    ["09b-baileys-open-flow", "sendText not on WhatsApp", { kind: "refused", code: "not_on_whatsapp" }],
    ["09b-baileys-open-flow", "sendText garbage number", { kind: "refused", code: "not_on_whatsapp" }],
    ["09b-baileys-open-flow", "sendText empty text", { kind: "refused", code: "gateway_refused" }],
    ["09b-baileys-open-flow", "sendText after device removed", stop("not_connected")],
    ["09b-baileys-open-flow", "sendMedia base64 that is not an image", ambiguous("gateway_failed")],
    ["09a-baileys-against-simulator", "sendText before scan", ambiguous("gateway_failed")],
    ["02-create-connect-baileys", "sendText while not connected", stop("not_connected")],
    ["04-evolution-channel", "sendText ok", { kind: "accepted" }],
    ["04-evolution-channel", "sendText number as integer", { kind: "refused", code: "gateway_refused" }],
    ["04-evolution-channel", "sendText wrong apikey", stop("wrong_key", "human")],
    ["04-evolution-channel", "sendText unknown instance", stop("gone", "human")],
    ["04-evolution-channel", "sendMedia data URI", { kind: "refused", code: "gateway_refused" }],
  ];
  test.each(CASES)("%s: %s", async (file, name, outcome) => {
    const found = recordedLines<RecordedCall>(file).find((one) => one.name === name);
    expect(await sendTo(json(found?.status ?? 0, found?.answer))).toMatchObject(outcome);
  });
});

test("a re-encoded picture in the gateway's answer leaves no doubt", async () => {
  const given = randomBytes(2 * 1024 * 1024).toString("base64");
  const server = http.createServer(async (request, response) => {
    for await (const _ of request);
    const base64 = `${given}${given.slice(0, given.length / 2)}`;
    json(201, { key: { id: "3EB0AA" }, message: { imageMessage: {}, base64 } })(request, response);
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const picture = { ...PICTURE, base64: given };
  expect(await clientAt(`http://127.0.0.1:${port}`).sendFile("a", picture)).toMatchObject({
    kind: "accepted",
    providerId: "3EB0AA",
  });
});

describe("against the stand-in", () => {
  let gateway: Evolution | undefined;
  afterEach(() => gateway?.close());

  async function linked(sendMs?: number): Promise<{
    client: EvolutionClient;
    world: Evolution["world"];
  }> {
    gateway = await startEvolution({ apiKey: "k" });
    const client = clientAt(gateway.url, sendMs);
    await client.createInstance({ name: "a", token: "t", number: null, webhook: null });
    await gateway.world.scan("a", { phone: "5511900000001" });
    return { client, world: gateway.world };
  }

  test.each<ErrorName>([
    ...(["resetBefore", "acceptThenReset", "hangBefore", "acceptThenHang", "badGatewayBefore"] as const),
    ...([
      "acceptThenBadGateway",
      "errorBefore",
      "acceptThenError",
      "halfJson",
      "cutBody",
      "htmlPage",
    ] as const),
    ...(["acceptThenHtmlPage", "withoutId", "hugeBody"] as const),
  ])("F8 F9 F12 F13 %s is doubt, whether or not the message went out", async (fault) => {
    const { client, world } = await linked(/hang/i.test(fault) ? 400 : undefined);
    world.faults.next("sendText", fault);
    expect((await client.sendText("a", MESSAGE)).kind).toBe("ambiguous");
  });

  test.each<ErrorName>(["tooMany", "connectionClosed"])(
    "%s is a stop, and nothing went out",
    async (fault) => {
      const { client, world } = await linked();
      world.faults.next("sendText", fault, { retryAfterSeconds: 3 });
      expect((await client.sendText("a", MESSAGE)).kind).toBe("stop");
      expect(world.accepted).toEqual([]);
    },
  );

  test("26.23 a picture that no media host takes is a stop, and nothing went out", async () => {
    const { client, world } = await linked();
    world.faults.next("sendMedia", "uploadFailed");
    expect(await client.sendFile("a", PICTURE)).toEqual({
      kind: "stop",
      cause: "upload_failed",
      retryAt: null,
    });
    expect(world.accepted).toEqual([]);
    expect((await client.sendFile("a", PICTURE)).kind).toBe("accepted");
  });

  test("text and picture arrive once each, at their recipients", async () => {
    const { client, world } = await linked();
    const text = await client.sendText("a", MESSAGE);

    const picture = await client.sendFile("a", PICTURE);
    expect([text.kind, picture.kind]).toEqual(["accepted", "accepted"]);
    expect(world.accepted.map(({ phone, kind, text: said, id }) => ({ phone, kind, said, id }))).toEqual([
      { phone: "5511987654321", kind: "text", said: MESSAGE.text, id: idOf(text) },
      { phone: "5511987654321", kind: "image", said: "Oferta", id: idOf(picture) },
    ]);
  });
});

const idOf = (outcome: Outcome) => (outcome.kind === "accepted" ? outcome.providerId : null);
