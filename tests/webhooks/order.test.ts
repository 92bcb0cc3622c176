import { afterAll, expect, test } from "vitest";
import { startEvolution } from "../../simulators/evolution/evolution.ts";
import { HOOK_SECRET_HEADER } from "../../src/server/gateways/webhook-secret.ts";
import { testDatabase } from "../support/database.ts";
import { endState, makeInstance, openLab, type Recorded, recorded, upsert } from "./lab.ts";

const database = await testDatabase();
const { db } = database;
const { send, settled, pokes, url } = await openLab(database);

const FILES = [
  "07b-webhook-payloads-evolution-channel.json",
  "08-webhook-retries-and-jwt.json",
  "09d-webhook-payloads-baileys-simulator.json",
];

function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

function shuffled<T>(items: readonly T[], random: () => number): T[] {
  const out = [...items];
  for (let at = out.length - 1; at > 0; at--) {
    const other = Math.floor(random() * (at + 1));
    [out[at], out[other]] = [out[other] as T, out[at] as T];
  }
  return out;
}

const withRepeats = <T>(items: readonly T[], random: () => number): T[] => [
  ...items,
  ...items.filter(() => random() < 0.3),
];

async function outcomeOf(bodies: readonly Recorded[], atOnce: number) {
  const instance = await makeInstance(db);
  const before = pokes.length;
  for (let at = 0; at < bodies.length; at += atOnce) {
    const answers = await Promise.all(
      bodies.slice(at, at + atOnce).map((body) => send({ ...instance }, own(body, instance.name))),
    );
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
  }
  await settled();
  const state = await endState(db, instance);
  return {
    state: JSON.parse(JSON.stringify(state).replaceAll(instance.name, "ours")) as typeof state,
    pokes: pokes.slice(before).filter((id) => id === instance.connectionId).length,
  };
}

const own = (body: Recorded, instance: string): Recorded => ({ ...body, instance });

test.each(FILES)("%s: in order, shuffled, and with 30 % repeated, the same state", async (file) => {
  const bodies = recorded(file);
  const { state: given } = await outcomeOf(bodies, 1);
  expect(given.messages.length + given.receipts.length + given.echoes.length).toBeGreaterThan(5);
  for (let seed = 1; seed <= 6; seed++) {
    const random = seeded(seed);
    const atOnce = 1 + Math.floor(random() * 8);
    const { state } = await outcomeOf(shuffled(withRepeats(bodies, random), random), atOnce);
    expect({ seed, ...state }).toEqual({ seed, ...given });
  }
});

test("what was recorded is read as it was meant", async () => {
  const { state, pokes: published } = await outcomeOf(FILES.flatMap(recorded), 4);
  const texts = (state.messages as { text: string; from_me: boolean }[])
    .filter((one) => !one.from_me)
    .map((one) => one.text);
  expect(texts).toEqual(expect.arrayContaining(["quero saber o preço", "SAIR", "foto", "mensagem de LID"]));
  expect(state.instance).toEqual([
    { state_stamp: "2026-11-20T09:06:23.718Z", qr_stamp: "2026-11-20T09:06:13.833Z" },
  ]);
  expect(published).toBeGreaterThan(0);
  const receipts = state.receipts as { provider_id: string; status: string }[];
  expect(receipts).toContainEqual({ provider_id: "3EB0BF3AE8B9EBA4EEFAEB", status: "read" });
  expect(JSON.stringify(state)).not.toMatch(/tok-(evo|wa)/);
});

test("what a gateway tells was read on the phone is read here, up to there; that it was brought there says nothing", async () => {
  const instance = await makeInstance(db);
  const remoteJid = "5511911112222@s.whatsapp.net";
  for (const [at, id] of ["M1", "M2", "M3"].entries())
    await send(instance, upsert(id, id, { messageTimestamp: 1_763_600_000 + at }));
  const update = (keyId: string, status: string) =>
    send(instance, { event: "messages.update", data: { keyId, remoteJid, fromMe: false, status } });
  const unread = async () => {
    await settled();
    return (await endState(db, instance)).chats;
  };
  await update("M3", "DELIVERY_ACK");
  expect(await unread()).toMatchObject([{ unread: 3 }]);
  await update("M2", "READ");
  expect(await unread()).toMatchObject([{ unread: 1 }]);
});

test("F29 2,000 events, 30 % repeated and shuffled, have exactly their effect", async () => {
  const instance = await makeInstance(db);
  const random = seeded(7);
  const people = 40;
  const fresh = Array.from({ length: 1_000 }, (_, at) => {
    const phone = 5_511_900_000_000 + (at % people);
    const key = { remoteJid: `${phone}@s.whatsapp.net`, id: `M${at}`, fromMe: false };
    return upsert(`M${at}`, `mensagem ${at}`, { key, messageTimestamp: 1_763_600_000 + at });
  });
  const receipts = Array.from({ length: 540 }, (_, at) => ({
    event: "messages.update",
    data: {
      keyId: `R${at % 180}`,
      fromMe: true,
      status: ["SERVER_ACK", "DELIVERY_ACK", "READ"][Math.floor(at / 180)],
    },
    date_time: "2025-11-20T09:06:00.011Z",
  }));
  const all = [...fresh, ...receipts];
  const twice = shuffled(all, random).slice(0, 2_000 - all.length);
  const events = shuffled([...all, ...twice], random);
  expect(events).toHaveLength(2_000);
  let next = 0;
  const client = async () => {
    for (let event = events[next++]; event; event = events[next++])
      expect((await send(instance, event)).status).toBe(200);
  };
  await Promise.all(Array.from({ length: 32 }, client));
  await settled();

  const state = await endState(db, instance);
  const messages = state.messages as { provider_id: string; text: string }[];
  expect(messages).toHaveLength(1_000);
  for (const { provider_id, text } of messages) expect(text).toBe(`mensagem ${provider_id.slice(1)}`);
  const chats = state.chats as { unread: number; last_at: Date; last_is_there: boolean }[];
  expect(chats.map(({ unread }) => unread)).toEqual(Array(people).fill(1_000 / people));
  const last = Array.from({ length: people }, (_, at) => 1_763_600_000 + 1_000 - people + at);
  expect(chats.map(({ last_at }) => Math.floor(last_at.getTime() / 1000))).toEqual(last);
  expect(chats.every(({ last_is_there }) => last_is_there)).toBe(true);
  expect(state.receipts).toHaveLength(540);
}, 600_000);

test("a gateway that tells twice, late and in any order: every message, send and receipt there, its state the newest", async () => {
  const gateway = await startEvolution();
  afterAll(() => gateway.close());
  const { world } = gateway;
  const call = (path: string, body: unknown) =>
    fetch(`${gateway.url}${path}`, {
      method: "POST",
      headers: { apikey: gateway.apiKey, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
  const instance = await makeInstance(db, { name: "ao-vivo" });
  const webhook = {
    enabled: true,
    url: `${url}/hooks/evolution/${instance.hookId}`,
    byEvents: false,
    base64: true,
    headers: { [HOOK_SECRET_HEADER]: instance.secret },
    events: ["MESSAGES_UPSERT", "MESSAGES_UPDATE", "SEND_MESSAGE", "CONNECTION_UPDATE", "QRCODE_UPDATED"],
  };
  world.delivery({ duplicates: 0.3, shuffleMs: 60 });
  world.everybody({ readMs: 20 });
  const create = { instanceName: "ao-vivo", integration: "WHATSAPP-BAILEYS", qrcode: true, webhook };
  expect((await call("/instance/create", create)).status).toBe(201);
  await world.scan("ao-vivo", { phone: "5511900000001" });
  for (let at = 0; at < 60; at++)
    world.reply("ao-vivo", `55119000${String(10_000 + (at % 7))}`, `pergunta ${at}`);
  for (let at = 0; at < 20; at++)
    await call("/message/sendText/ao-vivo", { number: "5511911112222", text: `resposta ${at}` });
  world.dropSocket("ao-vivo");
  await world.idle();
  await settled();

  const state = await endState(db, instance);
  const messages = state.messages as { from_me: boolean; text: string }[];
  expect(messages.filter(({ from_me }) => !from_me)).toHaveLength(60);
  expect(state.echoes).toHaveLength(20);
  const receipts = state.receipts as { status: string }[];
  expect(receipts.filter(({ status }) => status === "read")).toHaveLength(20);
  expect(state.oddities).toEqual([]);
  const newest = world.webhooks
    .filter(({ event }) => event === "connection.update")
    .map(({ body }) => Date.parse((body as { date_time: string }).date_time));
  expect(state.instance).toMatchObject([{ state_stamp: new Date(Math.max(...newest)) }]);
});
