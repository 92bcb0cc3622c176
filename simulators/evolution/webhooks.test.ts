import { createHmac } from "node:crypto";
import { expect, test } from "vitest";
import { gatewayLab } from "../../tests/support/gateway-lab.ts";
import { type RecordedWebhook, recordedLines, shapeOf } from "../../tests/support/gateway-recordings.ts";

const lab = gatewayLab();
const { start, call, webhook, openChannel, openLinked, sendText } = lab;

function kinds(bodies: { event: string }[]): Record<string, unknown> {
  const found: Record<string, Set<string>> = {};
  for (const body of bodies) {
    found[body.event] ??= new Set();
    found[body.event]?.add(JSON.stringify(shapeOf(body)));
  }
  return Object.fromEntries(
    Object.entries(found).map(([event, shapes]) => [
      event,
      [...shapes].sort().map((text) => JSON.parse(text)),
    ]),
  );
}

const withoutHosts = (headers: object) => Object.keys(headers).sort();

test("09d a linked instance posts what a real one posts, in the same shapes", async () => {
  const world = await start();
  const recorded = recordedLines<RecordedWebhook>("09d-webhook-payloads-baileys-simulator");
  await openLinked("wa1", webhook(), { groupsIgnore: true });
  world.person({ phone: "5511911112222", lid: "75511911112222", readMs: 0 });
  world.person({ phone: "5511933334444", deliveredMs: null });
  const first = (await sendText("wa1", "Olá Maria 👋", "5511911112222")).body.key as { id: string };
  world.person({ phone: "5511911112222", readMs: null });
  for (const text of ["com delay", "veja https://example.com/x", "fmt"])
    await sendText("wa1", text, "5511911112222");
  await sendText("wa1", "oi MG", "5531987654321");
  await sendText("wa1", "frio", "5511933334444");
  const media = { number: "5511911112222", mediatype: "image", mimetype: "image/png", caption: "Oferta" };
  const image = Buffer.from("89504e470d0a1a0a00000000", "hex").toString("base64");
  await call("POST", "/message/sendMedia/wa1", { ...media, media: image, fileName: "oferta.png" });
  const pdf = Buffer.from("%PDF-1.4").toString("base64");
  const paper = {
    mediatype: "document",
    mimetype: "application/pdf",
    fileName: "tabela.pdf",
    caption: "tabela",
  };
  await call("POST", "/message/sendMedia/wa1", { number: "5511911112222", ...paper, media: pdf });
  world.reply("wa1", "5511911112222", "quero saber o preço");
  world.reply("wa1", "5521988887777", "SAIR", { quoted: first.id });
  world.reply("wa1", "5521988886666", "mensagem de LID", { asLid: "replaced" });
  world.dropSocket("wa1");
  world.removeDevice("wa1");
  await call("GET", "/instance/connect/wa1");
  await world.scan("wa1", { phone: "5511900000001" });
  await call("DELETE", "/instance/logout/wa1");
  await world.idle();

  expect(kinds(lab.receiver.posted.map(({ body }) => body))).toEqual(kinds(recorded.map(({ body }) => body)));
  expect(withoutHosts(lab.receiver.posted[0]?.headers ?? {})).toEqual(
    withoutHosts(recorded[0]?.headers ?? {}).filter((name) => name !== "accept-encoding"),
  );
});

test("07b an EVOLUTION instance posts what a real one posts, in the same shapes", async () => {
  const world = await start();
  const recorded = recordedLines<RecordedWebhook>("07b-webhook-payloads-evolution-channel").filter(
    ({ body }) =>
      body.instance === "evo2" &&
      (body.data as { messageType?: string } | null)?.messageType !== "buttonMessage",
  );
  await openChannel("evo2", webhook());
  await sendText("evo2", "Olá {{nome}} 👋\nlinha 2");
  const image = { number: "5511988887777", mediatype: "image", caption: "legenda" };
  await call("POST", "/message/sendMedia/evo2", { ...image, media: "iVBORw0KGgo=", fileName: "a.png" });
  await call("POST", "/message/sendMedia/evo2", { ...image, media: "https://example.com/a.png" });
  const audio = { number: "5511988887777", mediatype: "audio", media: "iVBORw0KGgo=", fileName: "a.mp3" };
  await call("POST", "/message/sendMedia/evo2", audio);
  for (const line of recorded.filter(({ body }) => body.event === "messages.upsert")) {
    const { key, pushName, message, messageType } = line.body.data as Record<string, unknown>;
    const { profilePicUrl, ...plainKey } = key as { profilePicUrl?: string };
    const inbound = {
      numberId: "5511999990002",
      key: plainKey,
      pushName,
      message,
      messageType,
      profilePicUrl,
    };
    await call("POST", "/webhook/evolution", inbound);
  }
  await sendText("evo2", "x");
  await call("DELETE", "/instance/delete/evo2");
  await world.idle();
  expect(kinds(lab.receiver.posted.map(({ body }) => body))).toEqual(kinds(recorded.map(({ body }) => body)));
});

test("08 tried again after 5xx, 429 and resets, ten times in all, with doubling pauses; not after other 4xx", async () => {
  const answers: Record<string, number | undefined> = {
    down: 500,
    busy: 429,
    away: undefined,
    unknown: 404,
    bad: 422,
  };
  const world = await start({ random: () => 0.5 }, ({ url }) => answers[url.split("/")[2] ?? ""]);
  world.clock.hold();
  for (const name of Object.keys(answers)) {
    await openChannel(name, webhook({ url: `${lab.receiver.url}/hook/${name}`, events: ["SEND_MESSAGE"] }));
    await sendText(name, "oi");
  }
  await world.idle();
  for (const pause of [5, 10, 20, 40, 80, 160, 300, 300, 300, 300, 300]) {
    world.clock.advance(pause * 1000);
    await world.idle();
  }
  const seconds = (name: string) =>
    world.webhooks
      .filter(({ instance }) => instance === name)
      .map(({ at }) => (at - (world.webhooks[0]?.at ?? 0)) / 1000);
  const pauses = [0, 5, 15, 35, 75, 155, 315, 615, 915, 1215];
  for (const name of ["down", "busy", "away"]) expect(seconds(name), name).toEqual(pauses);
  for (const name of ["unknown", "bad"]) expect(seconds(name), name).toEqual([0]);
});

test("08 the key of a token is not sent but signs one, made once for all attempts", async () => {
  const recorded = recordedLines<RecordedWebhook>("08-webhook-retries-and-jwt")[0];
  const world = await start({ random: () => 0.5, now: () => 1795164283000 }, () => 500);
  world.clock.hold();
  await openChannel(
    "evo1",
    webhook({
      headers: { jwt_key: "topsecret", "x-k": "v" },
      byEvents: true,
      events: ["SEND_MESSAGE"],
    }),
  );
  await sendText("evo1", "jwt");
  await world.idle();
  world.clock.advance(5_000);
  await world.idle();
  const tokens = lab.receiver.posted.map(({ headers }) => headers.authorization);
  expect(tokens[0]).toBe(recorded?.headers.authorization);
  expect(tokens[1]).toBe(tokens[0]);
  expect(lab.receiver.posted[0]?.headers).toMatchObject({ "x-k": "v" });
  expect(lab.receiver.posted[0]?.headers).not.toHaveProperty("jwt_key");
  expect(lab.receiver.posted[0]?.url).toBe("/hook/send-message");
  const [head, claims, signature] = tokens[0]?.replace("Bearer ", "").split(".") ?? [];
  expect(createHmac("sha256", "topsecret").update(`${head}.${claims}`).digest("base64url")).toBe(signature);
});

test("only what was subscribed is posted, to nothing but http, and nothing when disabled or silent", async () => {
  const world = await start();
  await openChannel("evo1", webhook({ events: ["MESSAGES_UPSERT"] }));
  await sendText("evo1", "not subscribed");
  world.reply("evo1", "5511988887777", "one");
  world.silent("evo1");
  world.reply("evo1", "5511988887777", "silent");
  world.silent("evo1", false);
  for (const changes of [{ url: "not a url" }, { enabled: false }, { headers: { "x-a": "a\nb" } }]) {
    await call("POST", "/webhook/set/evo1", {
      webhook: webhook({ events: ["MESSAGES_UPSERT"], ...changes }),
    });
    world.reply("evo1", "5511988887777", "never");
  }
  await new Promise((resolve) => setImmediate(resolve));
  await call("POST", "/webhook/set/evo1", {
    webhook: webhook({ enabled: false, url: "http://127.0.0.1:9" }),
  });
  expect(lab.receiver.events()).toEqual(["messages.upsert"]);
  const found = await call("POST", "/chat/findMessages/evo1", {});
  expect(found.body.messages).toMatchObject({ total: 6 });
});

test("the time of a webhook is local time marked as UTC", async () => {
  await start({ utcOffsetMinutes: -180, now: () => Date.parse("2026-11-20T12:00:00Z") });
  await openChannel("evo1", webhook());
  await lab.world.idle();
  expect(lab.receiver.posted[0]?.body).toMatchObject({ date_time: "2026-11-20T09:00:00.000Z" });
});

test("since 2.4 headers say what a webhook is", async () => {
  const world = await start({ version: "2.4.0" });
  await openChannel("evo1", webhook());
  await world.idle();
  expect(lab.receiver.posted[0]?.headers).toMatchObject({
    "x-instance-name": "evo1",
    "x-event-type": "instance.create",
  });
});

test("webhooks can come twice, in any order, and get lost with the process", async () => {
  let chance = 0;
  const world = await start({ random: () => (chance = (chance + 0.37) % 1) });
  await openChannel("evo1", webhook({ events: ["MESSAGES_UPSERT"] }));
  world.delivery({ duplicates: 0.5, shuffleMs: 40 });
  for (let index = 0; index < 40; index += 1) world.reply("evo1", "5511988887777", `${index}`);
  await world.idle();
  const texts = lab.receiver.posted.map(
    ({ body }) => (body.data as { message: { conversation: string } }).message.conversation,
  );
  expect(new Set(texts).size).toBe(40);
  expect(texts.length).toBeGreaterThan(50);
  expect(texts).not.toEqual([...texts].sort((a, b) => Number(a) - Number(b)));

  world.delivery({ duplicates: 0, shuffleMs: 0, delayMs: 10 });
  world.reply("evo1", "5511988887777", "lost");
  await world.goDown({ losesWebhooks: true });
  await world.idle();
  expect(lab.receiver.posted.length).toBe(texts.length);
  await world.comeBack();
  expect((await call("GET", "/")).status).toBe(200);
});
