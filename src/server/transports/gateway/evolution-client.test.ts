import { describe, expect, test } from "vitest";
import { type RecordedCall, recordedLines } from "../../../../tests/support/gateway-recordings.ts";
import { AppError } from "../../../domain/errors.ts";
import type { GuardedRequest } from "../../net/exchange.ts";
import { type EvolutionClient, evolutionClient } from "./evolution-client.ts";

const NOW = new Date("2026-11-20T12:00:00Z");

type Asked = { url: string; request: GuardedRequest };

/** A client whose gateway answers everything with one body, and what it was asked. */
function answering(status: number, answer: unknown, apiKey = "global-key") {
  const asked: Asked[] = [];
  const body = Buffer.from(typeof answer === "string" ? answer : JSON.stringify(answer));
  const client = evolutionClient({
    guardedFetch: {
      fetch: async (url, request) => {
        asked.push({ url, request });
        return { status, headers: {}, body };
      },
    },
    baseUrl: "http://evolution:8080",
    apiKey,
    now: () => NOW,
  });
  return { client, asked };
}

function recorded(file: string, name: string): RecordedCall {
  const found = recordedLines<RecordedCall>(file).find((one) => one.name === name);
  if (!found) throw new Error(`no recording ${file} ${name}`);
  return found;
}

/** What the client makes of a recorded answer. */
async function reading<T>(
  file: string,
  name: string,
  read: (client: EvolutionClient) => Promise<T>,
): Promise<T> {
  const { status, answer } = recorded(file, name);
  return read(answering(status, answer).client);
}

async function faultOf(promise: Promise<unknown>): Promise<AppError> {
  const error: unknown = await promise.then(
    () => new Error("it was answered"),
    (fault: unknown) => fault,
  );
  if (!(error instanceof AppError)) throw error;
  return error;
}

const AUTH = "01-auth-and-instances";
const OFFLINE = "02-create-connect-baileys";
const CHANNEL = "04-evolution-channel";
const HOOKS = "05-webhook-set-and-delivery";
const LINKING = "09a-baileys-against-simulator";
const OPEN = "09b-baileys-open-flow";
const PAIRING = "09c-baileys-pairing-code-and-reconnect";

test("each call of the specification goes to its place with the key in its header", async () => {
  const webhook = {
    enabled: true,
    url: "https://x.br/w",
    headers: { "x-a": "b" },
    events: ["MESSAGES_UPSERT"],
  };
  const stored = { enabled: true, url: webhook.url, events: [], webhookByEvents: false, webhookBase64: true };
  const calls = [
    ["GET /instance/fetchInstances", [], (client: EvolutionClient) => client.fetchInstances()],
    [
      "POST /instance/create",
      { instance: { instanceName: "loja", status: "connecting" }, hash: "t" },
      (client: EvolutionClient) =>
        client.createInstance({ name: "loja", token: "t", number: "5531987654321", webhook: null }),
    ],
    ["GET /instance/connect/loja", { count: 0 }, (client: EvolutionClient) => client.connect("loja")],
    ["DELETE /instance/delete/loja", {}, (client: EvolutionClient) => client.deleteInstance("loja")],
    ["POST /webhook/set/loja", stored, (client: EvolutionClient) => client.setWebhook("loja", webhook)],
  ] as const;
  for (const [place, answer, call] of calls) {
    const { client, asked } = answering(200, answer);
    await call(client);
    expect(asked).toHaveLength(1);
    const [{ url, request } = { url: "", request: null }] = asked;
    expect(`${request?.method} ${new URL(url).pathname}`).toBe(place);
    expect(request?.headers).toMatchObject({ apikey: "global-key" });
    const body = request?.body ? JSON.parse(String(request.body)) : undefined;
    if (place.startsWith("POST /instance"))
      expect(body).toMatchObject({
        ...{ instanceName: "loja", token: "t", number: "5531987654321" },
        ...{ qrcode: true, integration: "WHATSAPP-BAILEYS" },
      });
    if (place.startsWith("POST /webhook"))
      expect(body).toEqual({ webhook: { ...webhook, byEvents: false, base64: true } });
  }
});

describe("recorded answers", () => {
  test("the version, without trusting whoever answers", async () => {
    expect(await reading(AUTH, "root, no auth", (client) => client.version())).toBe("2.3.7");
    const other = answering(200, { version: "1.0", message: "Welcome to nginx" });
    expect((await faultOf(other.client.version())).code).toBe("gateway_garbage");
  });

  test("instances of 2.x", async () => {
    const rows = await reading(OPEN, "fetchInstances", (client) => client.fetchInstances());
    expect(rows).toEqual([
      {
        id: "0a360cbf-7cf5-4841-9e0f-c0dd544caf5b",
        name: "wa1",
        storedState: "open",
        integration: "WHATSAPP-BAILEYS",
        ownerJid: "5511900000001@s.whatsapp.net",
        phone: "5511900000001",
        number: null,
        token: "tok-wa1",
        profileName: null,
        pictureUrl: null,
        endedBy: null,
        counts: { messages: 11, contacts: 4, chats: 0 },
        createdAt: new Date("2026-11-20T09:05:41.174Z"),
      },
    ]);
    const removed = await reading(OPEN, "fetchInstances after device removed", (client) =>
      client.fetchInstances("wa1"),
    );
    expect(removed[0]).toMatchObject({ storedState: "close", endedBy: 401 });
    expect(await reading(AUTH, "fetchInstances empty", (client) => client.fetchInstances())).toEqual([]);
  });

  test("instances of 1.8: wrapped, and one by itself when asked by name", async () => {
    const instance = {
      instanceName: "vendas",
      instanceId: "a1",
      owner: "551190000-not-a-jid",
      profileName: "Ana",
      profilePictureUrl: "https://pps.whatsapp.net/a.jpg",
      status: "open",
      apikey: "old-token",
      integration: { integration: "WHATSAPP-BAILEYS" },
    };
    const expected = {
      name: "vendas",
      storedState: "open",
      token: "old-token",
      profileName: "Ana",
      pictureUrl: "https://pps.whatsapp.net/a.jpg",
      integration: "WHATSAPP-BAILEYS",
      phone: null,
    };
    for (const answer of [[{ instance }], { instance }, { instances: [{ instance }] }]) {
      const [row] = await answering(200, answer).client.fetchInstances("vendas");
      expect(row).toMatchObject(expected);
    }
  });

  test("a row that cannot be read does not hide the others", async () => {
    const answer = [null, 7, { nothing: true }, { name: "vendas", connectionStatus: 3, _count: "many" }];
    const rows = await answering(200, answer).client.fetchInstances();
    expect(rows.map(({ name, storedState, counts }) => ({ name, storedState, counts }))).toEqual([
      { name: "vendas", storedState: "close", counts: { messages: 0, contacts: 0, chats: 0 } },
    ]);
  });

  test("creation brings the token and the first QR code", async () => {
    const wanted = { name: "wa3", token: "tok-wa3", number: "5511900000003", webhook: null };
    const made = await reading(PAIRING, "create with number => pairing code", (client) =>
      client.createInstance(wanted),
    );
    expect(made).toMatchObject({ name: "wa3", token: "tok-wa3", state: "connecting" });
    expect(made.qr).toMatchObject({ pairingCode: "44E4M75M" });
    const offline = await reading(
      OFFLINE,
      "create baileys, full product body, number set (pairing mode), no internet",
      (client) => client.createInstance(wanted),
    );
    expect(offline.qr).toBeNull();
    const old = answering(201, { instance: { instanceName: "a" }, hash: { apikey: "k" } });
    expect((await old.client.createInstance(wanted)).token).toBe("k");
  });

  test("the four answers of connect", async () => {
    const ask = (client: EvolutionClient) => client.connect("wa1");
    expect(await reading(LINKING, "connect", ask)).toMatchObject({ kind: "qr", pairingCode: null });
    expect(await reading(PAIRING, "connect (pairing code)", ask)).toMatchObject({
      kind: "qr",
      pairingCode: "44E4M75M",
    });
    expect(await reading(OFFLINE, "connect", ask)).toEqual({ kind: "none", count: 0 });
    expect(await reading(LINKING, "connect after scan", ask)).toEqual({ kind: "open" });
    expect(await ask(answering(200, { pairingCode: "44E4M75M" }).client)).toEqual({
      kind: "pairing",
      pairingCode: "44E4M75M",
    });
    const closed = await reading("07a-evolution-channel-flow", "connect after logout", ask);
    expect(closed).toEqual({ kind: "none", count: 0 });
    expect((await faultOf(ask(answering(200, { status: 200 }).client))).code).toBe("gateway_garbage");
  });

  test("states, in both versions' words", async () => {
    expect(await reading(LINKING, "connectionState", (client) => client.connectionState("wa1"))).toBe(
      "connecting",
    );
    const old = answering(200, { instance: { instanceName: "a", status: "open" } });
    expect(await old.client.connectionState("a")).toBe("open");
  });

  test("numbers: the word «lid» is nobody's hidden address", async () => {
    const numbers = await reading(
      OPEN,
      "whatsappNumbers: plain, BR 9th digit, unknown, garbage, formatted",
      (client) => client.whatsappNumbers("wa1", []),
    );
    expect(numbers.slice(0, 4)).toEqual([
      { jid: "5511911112222@s.whatsapp.net", exists: true, number: "5511911112222", lid: null },
      { jid: "553187654321@s.whatsapp.net", exists: true, number: "5531987654321", lid: null },
      { jid: "553187654321@s.whatsapp.net", exists: true, number: "553187654321", lid: null },
      { jid: "5511000000000@s.whatsapp.net", exists: false, number: "5511000000000", lid: null },
    ]);
  });

  test("stored messages, with the states they were told of", async () => {
    const found = await reading(OPEN, "findMessages (sent one, with MessageUpdate)", (client) =>
      client.findMessages("wa1", { id: "3EB0BF3AE8B9EBA4EEFAEB" }),
    );
    expect(found).toMatchObject({ total: 1, pages: 1 });
    expect(found.messages).toEqual([
      {
        providerId: "3EB0BF3AE8B9EBA4EEFAEB",
        statuses: ["delivered", "read"],
        message: {
          providerId: "3EB0BF3AE8B9EBA4EEFAEB",
          chat: ["5511911112222@s.whatsapp.net"],
          fromMe: true,
          viaApi: true,
          pushName: null,
          participant: null,
          kind: "text",
          text: "Olá Maria 👋",
          image: null,
          quotedId: null,
          at: new Date("2026-11-20T09:05:55.000Z"),
        },
      },
    ]);
  });

  test("webhooks, set and found; none is null", async () => {
    const found = await reading(CHANNEL, "webhook/find", (client) => client.findWebhook("evo1"));
    expect(found).toMatchObject({ url: "http://127.0.0.1:28481/hook/evo1", enabled: true, base64: true });
    for (const none of [null, {}]) expect(await answering(200, none).client.findWebhook("a")).toBeNull();
    const { client, asked } = answering(201, recorded(HOOKS, "webhook/set product body").answer);
    await client.setWebhook("evo1", { enabled: true, url: "https://r/h", headers: { a: "b" }, events: [] });
    expect(JSON.parse(String(asked[0]?.request.body))).toEqual({
      webhook: {
        enabled: true,
        url: "https://r/h",
        headers: { a: "b" },
        byEvents: false,
        base64: true,
        events: [],
      },
    });
  });
});

describe("recorded refusals", () => {
  test.each([
    [AUTH, "fetchInstances no apikey", "gateway_wrong_key"],
    [AUTH, "fetchInstances wrong apikey", "gateway_wrong_key"],
    [AUTH, "create wrong apikey", "gateway_wrong_key"],
    [OFFLINE, "create duplicate name", "instance_name_taken"],
    [AUTH, "create no instanceName", "instance_name_taken"],
    [OFFLINE, "connect unknown instance", "instance_unknown"],
    [OFFLINE, "fetchInstances by unknown name", "instance_unknown"],
    [AUTH, "unknown route", "gateway_garbage"],
    [AUTH, "create bad integration", "gateway_failed"],
    [HOOKS, "webhook/set unknown event", "gateway_failed"],
    [HOOKS, "webhook/set no events key", "gateway_failed"],
    [CHANNEL, "whatsappNumbers on EVOLUTION", "gateway_failed"],
    [OFFLINE, "whatsappNumbers while not connected", "gateway_failed"],
    [OFFLINE, "restart", "gateway_failed"],
    [OPEN, "logout again", "gateway_failed"],
  ])("%s: %s is %s", async (file, name, code) => {
    expect((await faultOf(reading(file, name, (client) => client.logout("x")))).code).toBe(code);
  });

  test.each([
    [HOOKS, "webhook/set unknown event", /^webhook\.events\[0\] is not one of enum values/],
    [CHANNEL, "whatsappNumbers on EVOLUTION", /^Method not available on Evolution Channel$/],
    [OFFLINE, "whatsappNumbers while not connected", /^Connection Closed$/],
    [OPEN, "logout again", /^The "wa1" instance is not connected$/],
  ])("%s: %s keeps the gateway's words", async (file, name, words) => {
    const { details } = await faultOf(reading(file, name, (client) => client.logout("x")));
    expect(details.message).toMatch(words);
  });

  test("an activation that is missing brings its address, if it is one", async () => {
    const gate = { error: "service not activated", code: "LICENSE_REQUIRED" };
    const fault = async (register_url: string) =>
      faultOf(answering(503, { ...gate, register_url }).client.connectionState("a"));
    expect((await fault("https://license.example.com/r?i=1")).details).toEqual({
      registerUrl: "https://license.example.com/r?i=1",
    });
    const odd = await fault("javascript:alert(1)");
    expect([odd.code, odd.details]).toEqual(["license_required", { registerUrl: null }]);
  });

  test("a proxy's page says that nobody is behind it, any other page that this is no gateway", async () => {
    const page = "<html><h1>502 Bad Gateway</h1></html>";
    expect(await faultOf(answering(502, page).client.fetchInstances())).toMatchObject({
      code: "gateway_unreachable",
      details: { sent: true },
    });
    for (const status of [200, 401, 404, 500])
      expect((await faultOf(answering(status, page).client.fetchInstances())).code).toBe("gateway_garbage");
  });

  test("neither the key nor paths of the server's disk stand in an error", async () => {
    const key = "B6D711FCDE4D4FD5936544120E713976";
    const message = [
      `\nInvalid \`this.prismaRepository.webhook.upsert()\` invocation in`,
      "/evolution/dist/main.js:212:8413",
      "",
      `  209 headers: {apikey:"${key}"}`,
      `The value of ${key} in /home/evolution/.env or C:\\evolution\\app.js:3 is too long, see https://docs/a/b`,
    ].join("\n");
    const fault = await faultOf(answering(500, { response: { message } }, key).client.findWebhook("a"));
    expect(fault.details.message).toBe("The value of … in … or … is too long, see https://docs/a/b");
    const long = await faultOf(
      answering(500, { response: { message: "á".repeat(5_000) } }).client.logout("a"),
    );
    expect(String(long.details.message)).toHaveLength(201);
  });

  test("answers that parse and mean nothing are garbage", async () => {
    for (const body of ["", "{", "7", '"ok"', "[1]", "{}"])
      for (const call of [
        (client: EvolutionClient) => client.connectionState("a"),
        (client: EvolutionClient) => client.whatsappNumbers("a", ["1"]),
      ])
        expect((await faultOf(call(answering(200, body).client))).code).toBe("gateway_garbage");
  });
});

describe("names of instances in paths", () => {
  const path = async (name: string) => {
    const { client, asked } = answering(200, { instance: { state: "open" } });
    await client.connectionState(name);
    return new URL(asked[0]?.url ?? "").pathname.split("/");
  };

  test.each([
    ["N01", "a/b"],
    ["N02", "..%2f.."],
    ["N03", "teste$(reboot)"],
    ["N04", "a?x=1#y"],
    ["N05", "São Paulo"],
    ["N06", "x".repeat(1_000)],
    ["N07", "loja 🛍️"],
    ["N08", "vendas "],
    ["N08", "Sa\u0303o"],
    ["N08", "\t\n\\"],
  ])("%s %j stays one segment", async (_id, name) => {
    const segments = await path(name);
    expect(segments).toHaveLength(4);
    expect(decodeURIComponent(segments[3] ?? "")).toBe(name);
  });

  test.each(["", ".", "..", "\ud800"])("%j cannot be spoken to, and nothing is sent", async (name) => {
    const { client, asked } = answering(200, { instance: { state: "open" } });
    expect((await faultOf(client.connectionState(name))).code).toBe("instance_unknown");
    expect(await client.sendText(name, { to: "5511987654321", text: "Oi" })).toMatchObject({
      kind: "stop",
      cause: "gone",
    });
    expect(asked).toEqual([]);
  });

  test("a server may live under a path", async () => {
    const asked: string[] = [];
    const client = evolutionClient({
      guardedFetch: {
        fetch: async (url) => {
          asked.push(url);
          return { status: 200, headers: {}, body: Buffer.from("[]") };
        },
      },
      baseUrl: "https://example.com/evo",
      apiKey: "k",
    });
    await client.fetchInstances("a&b");
    expect(asked).toEqual(["https://example.com/evo/instance/fetchInstances?instanceName=a%26b"]);
  });
});

test("what a gateway would misread is never sent: data URIs, strings for Chatwoot, webhooks by events", async () => {
  const { client, asked } = answering(201, { key: { id: "A" }, instance: { instanceName: "a" } });
  await client.sendImage("a", {
    to: "5511987654321@s.whatsapp.net",
    caption: "",
    base64: "data:image/png;base64,iVBORw0KGgo=",
    mime: "image/png",
  });
  expect(JSON.parse(String(asked[0]?.request.body))).toEqual({
    number: "5511987654321@s.whatsapp.net",
    mediatype: "image",
    mimetype: "image/png",
    media: "iVBORw0KGgo=",
    fileName: "imagem.png",
  });
  await client.createInstance({ name: "a", token: "t", number: null, webhook: null });
  const body = JSON.parse(String(asked[1]?.request.body)) as object;
  // Anything but an empty text switches them on, or is refused where they are not there (recording 07a).
  const extras = Object.entries(body).filter(([name]) => /chatwoot|typebot|proxy/.test(name));
  expect(extras.filter(([, value]) => value !== "")).toEqual([]);
  expect(body).not.toHaveProperty("number");
  expect(body).toMatchObject({
    instanceName: "a",
    token: "t",
    qrcode: true,
    integration: "WHATSAPP-BAILEYS",
  });
  expect(asked.map(({ request }) => request.headers?.apikey)).toEqual(["global-key", "global-key"]);
});
