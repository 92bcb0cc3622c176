import { describe, expect, test } from "vitest";
import {
  AUTH,
  answering,
  CHANNEL,
  errorOf,
  HOOKS,
  LINKING,
  OFFLINE,
  OPEN,
  PAIRING,
  reading,
  recorded,
} from "../../../../tests/support/evolution-client.ts";
import type { EvolutionClient } from "./evolution-client.ts";

describe("recorded answers", () => {
  test("the version, without trusting the server", async () => {
    expect(await reading(AUTH, "root, no auth", (client) => client.version())).toBe("2.3.7");
    const other = answering(200, { version: "1.0", message: "Welcome to nginx" });
    expect((await errorOf(other.client.version())).code).toBe("gateway_garbage");
  });

  test("instances of 2.x @spec 3.10", async () => {
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
        endedThere: false,
        bannedUntil: null,
        counts: { messages: 11, contacts: 4, chats: 0 },
        createdAt: new Date("2026-11-20T09:05:41.174Z"),
      },
    ]);
    const removed = await reading(OPEN, "fetchInstances after device removed", (client) =>
      client.fetchInstances("wa1"),
    );
    expect(removed[0]).toMatchObject({ storedState: "close", endedBy: 401, endedThere: false });
    expect(await reading(AUTH, "fetchInstances empty", (client) => client.fetchInstances())).toEqual([]);
  });

  test("instances of 1.8: wrapped, and one by itself when asked by name @spec 7.26", async () => {
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

  test("what no database can hold does not come in", async () => {
    const row = { name: "loja", ownerJid: "5511900000001\0@s.whatsapp.net", profileName: "\ud83d" };
    const [read] = await answering(200, [row]).client.fetchInstances();
    expect(read).toMatchObject({ ownerJid: "5511900000001@s.whatsapp.net", profileName: "\ufffd" });
    const code = await answering(200, { code: "2@a\0b", pairingCode: "\0" }).client.connect("loja");
    expect(code).toEqual({ kind: "qr", code: "2@ab", pairingCode: null, base64: null });
  });

  test("of lists without end so many rows are read as any gateway has, and no more", async () => {
    const list = (row: object) => Array.from({ length: 10_500 }, () => row);
    expect(await answering(200, list({ name: "a" })).client.fetchInstances()).toHaveLength(10_000);
    const numbers = list({ jid: "5511900000001@s.whatsapp.net", exists: true, number: "5511900000001" });
    expect(await answering(200, numbers).client.whatsappNumbers("a", ["5511900000001"])).toHaveLength(100);
    const records = list({ key: { id: "A", remoteJid: "5511900000001@s.whatsapp.net" }, message: {} });
    const page = { messages: { total: 10_500, pages: 1, currentPage: 1, records } };
    expect((await answering(200, page).client.findMessages("a", {})).messages).toHaveLength(10_000);
    const hook = { url: "https://x.br", enabled: true, events: list({}) };
    expect(await answering(200, hook).client.findWebhook("a")).toMatchObject({ events: [] });

    const nothing = (count: number) => `[${"{},".repeat(count - 1)}{}]`;
    expect(await answering(200, nothing(200_000)).client.fetchInstances()).toEqual([]);
    const { code, details } = await errorOf(answering(200, nothing(300_000)).client.fetchInstances());
    expect([code, details]).toEqual(["gateway_garbage", { reason: "too_large" }]);
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

  test("the four answers of connect @spec 7.28", async () => {
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
    const drawn = { base64: "data:image/png;base64,iVBORw0KGgo=", pairingCode: "44E4M75M" };
    expect(await ask(answering(200, drawn).client)).toEqual({ kind: "qr", code: drawn.base64, ...drawn });
    const closed = await reading("07a-evolution-channel-flow", "connect after logout", ask);
    expect(closed).toEqual({ kind: "none", count: 0 });
    expect((await errorOf(ask(answering(200, { status: 200 }).client))).code).toBe("gateway_garbage");
  });

  test("a code that no drawing holds is none, and the gateway's own drawing stands in for it", async () => {
    const ask = (answer: object) => answering(200, answer).client.connect("wa1");
    const base64 = "data:image/png;base64,iVBORw0KGgo=";
    for (const code of ["x".repeat(1_201), "é".repeat(700)]) {
      expect(await ask({ code, base64 })).toMatchObject({ kind: "qr", code: base64 });
      expect((await errorOf(ask({ code }))).code).toBe("gateway_garbage");
    }
    expect(await ask({ code: "x".repeat(1_200), base64 })).toMatchObject({ code: "x".repeat(1_200) });
  });

  test("states, in both versions' words", async () => {
    expect(await reading(LINKING, "connectionState", (client) => client.connectionState("wa1"))).toBe(
      "connecting",
    );
    const old = answering(200, { instance: { instanceName: "a", status: "open" } });
    expect(await old.client.connectionState("a")).toBe("open");
  });

  test("numbers: the word «lid» is no LID", async () => {
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

  test("stored messages, with their reported states", async () => {
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
          file: null,
          quotedId: null,
          at: new Date("2026-11-20T09:05:55.000Z"),
        },
      },
    ]);
  });

  test.each([
    ["web", true],
    ["unknown", true],
    ["android", false],
    ["ios", false],
  ])("a message of the store from %s: through the gateway, or typed on a phone", async (source, viaApi) => {
    const key = { id: "3EB0", remoteJid: "5511911112222@s.whatsapp.net", fromMe: true };
    const record = { key, source, message: { conversation: "Olá" }, messageTimestamp: 1_763_629_555 };
    const { client } = answering(200, {
      messages: { total: 1, pages: 1, currentPage: 1, records: [record] },
    });
    expect((await client.findMessages("a", {})).messages).toMatchObject([{ message: { viaApi } }]);
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

test("what a group is called; a gateway that does not say names none", async () => {
  const { client, asked } = answering(200, { id: "120363000000000000@g.us", subject: "Vizinhos", size: 3 });
  expect(await client.groupSubject("wa1", "120363000000000000@g.us")).toBe("Vizinhos");
  expect(asked.map(({ url }) => url)).toEqual([
    "http://evolution:8080/group/findGroupInfos/wa1?groupJid=120363000000000000%40g.us",
  ]);
  expect(await answering(200, { subject: 7 }).client.groupSubject("wa1", "1@g.us")).toBeNull();
});
