import { describe, expect, test } from "vitest";
import {
  AUTH,
  answering,
  CHANNEL,
  errorOf,
  HOOKS,
  OFFLINE,
  OPEN,
  reading,
} from "../../../../tests/support/evolution-client.ts";
import { EvolutionClient } from "./evolution-client.ts";

test("each call of the specification goes to its place with the key in its header @spec 7.26,7.27,7.28,7.29,7.30,9.13", async () => {
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
        instanceName: "loja",
        token: "t",
        number: "5531987654321",
        qrcode: true,
        integration: "WHATSAPP-BAILEYS",
      });
    if (place.startsWith("POST /webhook"))
      expect(body).toEqual({ webhook: { ...webhook, byEvents: false, base64: true } });
  }
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
    expect((await errorOf(reading(file, name, (client) => client.logout("x")))).code).toBe(code);
  });

  test.each([
    [HOOKS, "webhook/set unknown event", /^webhook\.events\[0\] is not one of enum values/],
    [CHANNEL, "whatsappNumbers on EVOLUTION", /^Method not available on Evolution Channel$/],
    [OFFLINE, "whatsappNumbers while not connected", /^Connection Closed$/],
    [OPEN, "logout again", /^The "wa1" instance is not connected$/],
  ])("%s: %s keeps the gateway's words", async (file, name, words) => {
    const { details } = await errorOf(reading(file, name, (client) => client.logout("x")));
    expect(details.message).toMatch(words);
  });

  test("an activation that is missing brings its address, if it is one", async () => {
    const gate = { error: "service not activated", code: "LICENSE_REQUIRED" };
    const error = async (register_url: string) =>
      errorOf(answering(503, { ...gate, register_url }).client.connectionState("a"));
    expect((await error("https://license.example.com/r?i=1")).details).toEqual({
      registerUrl: "https://license.example.com/r?i=1",
    });
    const odd = await error("javascript:alert(1)");
    expect([odd.code, odd.details]).toEqual(["license_required", { registerUrl: null }]);
  });

  test("a proxy's page means that the gateway is down, any other page that this is no gateway", async () => {
    const page = "<html><h1>502 Bad Gateway</h1></html>";
    expect(await errorOf(answering(502, page).client.fetchInstances())).toMatchObject({
      code: "gateway_unreachable",
      details: { sent: true },
    });
    for (const status of [200, 401, 404, 500])
      expect((await errorOf(answering(status, page).client.fetchInstances())).code).toBe("gateway_garbage");
  });

  test("neither the key nor paths of the server's disk stand in an error", async () => {
    const key = "B6D711FCDE4D4FD5936544120E713976";
    const message = [
      `\nInvalid \`this.repository.webhook.upsert()\` invocation in`,
      "/evolution/dist/main.js:212:8413",
      "",
      `  209 headers: {apikey:"${key}"}`,
      `The value of ${key} in /home/evolution/.env or C:\\evolution\\app.js:3 is too long, see https://docs/a/b`,
    ].join("\n");
    const error = await errorOf(answering(500, { response: { message } }, key).client.findWebhook("a"));
    expect(error.details.message).toBe("The value of … in … or … is too long, see https://docs/a/b");
    const long = await errorOf(
      answering(500, { response: { message: "á".repeat(5_000) } }).client.logout("a"),
    );
    expect(String(long.details.message)).toHaveLength(201);
  });

  test("26.22 error texts of its database layer are shown to no one", async () => {
    const message =
      "Invalid `prisma.instance.findMany()` invocation: Can't reach database server at 127.0.0.1:5544";
    const error = await errorOf(answering(500, { response: { message } }).client.fetchInstances());
    expect([error.code, error.details]).toEqual(["gateway_database", { status: 500 }]);
  });

  test("words in lists without end are a refusal like any other", async () => {
    const message = `${"[".repeat(100_000)}"não"${"]".repeat(100_000)}`;
    expect(await errorOf(answering(400, `{"message":${message}}`).client.fetchInstances())).toMatchObject({
      code: "gateway_failed",
      details: { status: 400 },
    });
  });

  test("answers that parse and mean nothing are garbage", async () => {
    for (const body of ["", "{", "7", '"ok"', "[1]", "{}"])
      for (const call of [
        (client: EvolutionClient) => client.connectionState("a"),
        (client: EvolutionClient) => client.whatsappNumbers("a", ["1"]),
      ])
        expect((await errorOf(call(answering(200, body).client))).code).toBe("gateway_garbage");
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
    expect((await errorOf(client.connectionState(name))).code).toBe("instance_unknown");
    expect(await client.sendText(name, { to: "5511987654321", text: "Oi" })).toMatchObject({
      kind: "stop",
      cause: "gone",
    });
    expect(asked).toEqual([]);
  });

  test("a server may live under a path", async () => {
    const asked: string[] = [];
    const client = new EvolutionClient({
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

test("what a gateway would misread is never sent: strings for Chatwoot, webhooks by events", async () => {
  const { client, asked } = answering(201, { key: { id: "A" }, instance: { instanceName: "a" } });
  await client.sendFile("a", {
    to: "5511987654321@s.whatsapp.net",
    kind: "image",
    name: "",
    caption: "",
    base64: "iVBORw0KGgo=",
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
