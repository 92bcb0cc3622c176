import { afterEach, expect, test } from "vitest";
import { type RecordedCall, recordedLines, shapeOf } from "../../tests/support/gateway-recordings.ts";
import { type Evolution, startEvolution } from "./evolution.ts";

let gateway: Evolution | undefined;
afterEach(() => gateway?.close());

async function call({ method, path: where, key, body }: Omit<RecordedCall, "name" | "status" | "answer">) {
  const response = await fetch(gateway?.url + where, {
    method,
    headers: { "content-type": "application/json", ...(key !== null && { apikey: key }) },
    body: body === undefined ? undefined : typeof body === "string" ? "{bad" : JSON.stringify(body),
  });
  const text = await response.text();
  return { status: response.status, answer: text === "" ? "" : (JSON.parse(text) as unknown) };
}

type Replay = {
  file: string;
  options?: Parameters<typeof startEvolution>[0];
  before?: () => Promise<unknown>;
  events?: Record<string, (evolution: Evolution) => unknown>;
  left?: Record<string, string>;
};

async function replay({ file, options, before, events = {}, left = {} }: Replay): Promise<void> {
  gateway = await startEvolution({ apiKey: "global-key", ...options });
  await before?.();
  const ours = new Map<string, string>();
  const translate = <T>(value: T): T => {
    let text = JSON.stringify(value) ?? "null";
    for (const [theirs, own] of ours) text = text.replaceAll(theirs, own);
    return JSON.parse(text) as T;
  };
  for (const entry of recordedLines<RecordedCall>(file)) {
    if (entry.name in left) continue;
    await events[entry.name]?.(gateway);
    const result = await call({
      ...translate({ ...entry, body: entry.body ?? null }),
      body: entry.body && translate(entry.body),
    });
    const theirId = (entry.answer as { key?: { id: string } } | null)?.key?.id;
    const ourId = (result.answer as { key?: { id: string } } | null)?.key?.id;
    if (theirId && ourId) ours.set(theirId, ourId);
    expect({ name: entry.name, status: result.status }).toEqual({ name: entry.name, status: entry.status });
    const seen = entry.status >= 400 ? result.answer : shapeOf(result.answer);
    const expected = entry.status >= 400 ? entry.answer : shapeOf(entry.answer);
    expect({ name: entry.name, answer: seen }).toEqual({ name: entry.name, answer: expected });
  }
}

const linked = (instanceName: string) => ({
  instanceName,
  token: `tok-${instanceName}`,
  integration: "WHATSAPP-BAILEYS",
  qrcode: true,
});

const NOT_HERE = "the product never makes this call";

const evolutionInstance = {
  method: "POST",
  path: "/instance/create",
  key: "global-key",
  body: {
    instanceName: "evo1",
    token: "tok-evo1",
    number: "5511999990001",
    integration: "EVOLUTION",
    webhook: {
      url: "http://127.0.0.1:9/hook/evo1",
      headers: { authorization: "Bearer abc" },
      byEvents: false,
      base64: true,
      events: ["SEND_MESSAGE"],
    },
  },
};

test("01 keys and creating: the same errors", () => replay({ file: "01-auth-and-instances" }));

test("02 without a way to WhatsApp: count 0, never connected", () =>
  replay({
    file: "02-create-connect-baileys",
    before: async () => gateway?.world.behave({ online: false }),
    left: { fetchInstances: "lists what an earlier session had made" },
  }));

test("04 the EVOLUTION channel", () =>
  replay({ file: "04-evolution-channel", left: { "sendMedia multipart file": "JSON only" } }));

test("05 webhook/set with its oddities", () =>
  replay({
    file: "05-webhook-set-and-delivery",
    before: () => call(evolutionInstance),
    left: { "webhook/set url 600 chars": "its text is cut in the recording" },
  }));

test("07a the life of an instance", () =>
  replay({
    file: "07a-evolution-channel-flow",
    options: { timing: { failedCreateMs: 60_000 } },
    before: () => call({ ...evolutionInstance, body: { instanceName: "", integration: "EVOLUTION" } }),
    left: {
      "sendWhatsAppAudio base64": NOT_HERE,
      "sendWhatsAppAudio multipart": NOT_HERE,
      sendButtons: NOT_HERE,
      sendList: NOT_HERE,
      sendPoll: NOT_HERE,
      "create instanceName in use by empty-string quirk": "lists what an earlier session had made",
    },
  }));

test("09a linking by QR code", () =>
  replay({
    file: "09a-baileys-against-simulator",
    events: { "connectionState after scan": ({ world }) => world.scan("wa1", { phone: "5511900000001" }) },
  }));

test("09b sending, receipts, losing the socket and the device", () =>
  replay({
    file: "09b-baileys-open-flow",
    before: async () => {
      await call({ ...evolutionInstance, body: linked("wa1") });
      const { world } = gateway as Evolution;
      await world.scan("wa1", { phone: "5511900000001" });
      world.person({ phone: "5511911112222", lid: "75511911112222", deliveredMs: 0, readMs: 0 });
      world.person({ phone: "5511933334444", refused: true });
    },
    events: {
      "findMessages (sent one, with MessageUpdate)": ({ world }) => world.idle(),
      findContacts: ({ world }) => {
        world.reply("wa1", "5511911112222", "quero saber o preço");
        world.reply("wa1", "5521988887777", "SAIR");
        world.reply("wa1", "5521988886666", "mensagem de LID", { asLid: "replaced" });
      },
      "connectionState just after socket killed": ({ world }) => world.dropSocket("wa1"),
      "connectionState after phone removed the device": ({ world }) => world.removeDevice("wa1"),
      "connectionState after re-scan": ({ world }) => world.scan("wa1", { phone: "5511900000001" }),
    },
  }));

test("09c linking by pairing code", () =>
  replay({
    file: "09c-baileys-pairing-code-and-reconnect",
    events: {
      "connectionState after typing the code on the phone": ({ world }) => world.scan("wa3"),
      "state +2.5 s": ({ world }) => world.dropSocket("wa3"),
    },
  }));

test("10 an instance's token and other instances", () => replay({ file: "10-security-checks-local" }));
