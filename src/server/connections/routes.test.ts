import http from "node:http";
import type { AddressInfo } from "node:net";
import { sql } from "kysely";
import sharp from "sharp";
import { afterAll, describe, expect, test } from "vitest";
import type { z } from "zod";
import { type Caller, testApi } from "../../../tests/support/api.ts";
import { testLog } from "../../../tests/support/database.ts";
import { deviceLab } from "../../../tests/support/device-lab.ts";
import { testFiles } from "../../../tests/support/file-service.ts";
import { memoryStore } from "../../../tests/support/memory-store.ts";
import { makeAccount, makeCampaign } from "../../../tests/support/sending.ts";
import type { Connection } from "../../contract/connections.ts";
import type { ErrorAnswer } from "../../contract/error-messages.ts";
import { systemClock } from "../base/clock.ts";
import { openLiveUpdates } from "../db/live-updates.ts";
import { findOutgoing } from "../files/repo.ts";
import { FairQueues } from "../jobs/fair-queue.ts";
import { readPrivateHosts } from "../net/addresses.ts";
import { openGuardedFetch } from "../net/guarded-fetch.ts";
import { loadMessageKey } from "../sending/ledger/message-key.ts";
import { LANE_TIMES } from "../sending/ledger/timing.ts";
import { openOutboxWaiter } from "../sending/outbox/waiter.ts";
import { openLanes } from "../sending/ownership/lanes.ts";
import { mountConnections } from "./routes.ts";
import { ConnectionService } from "./service.ts";

const lab = await deviceLab();
const { db, database, whatsapp } = lab;

const picture = await sharp({ create: { width: 40, height: 30, channels: 3, background: "#b00" } })
  .png()
  .toBuffer();
const taken = new Set<string>();
const web = http.createServer((request, response) => {
  if (request.url?.startsWith("/foto.png") && !taken.has(request.url)) response.end(picture);
  else if (request.url?.startsWith("/redir"))
    response.writeHead(302, { location: request.url.replace("/redir", "") || "/foto.png" }).end();
  else response.writeHead(404).end(picture);
});
await new Promise<void>((resolve) => web.listen(0, "127.0.0.1", resolve));
const webHost = `127.0.0.1:${(web.address() as AddressInfo).port}`;

const changes = await openLiveUpdates(database, testLog);
const guardedFetch = openGuardedFetch({ privateHosts: readPrivateHosts(webHost) });
const outbox = await openOutboxWaiter(database);
const store = memoryStore();
const lanes = await openLanes({
  readFile: (reader, id) => findOutgoing(reader, id, store),
  database,
  queues: new FairQueues(systemClock),
  open: { device: lab.openDevice },
  messages: async () => undefined,
  clock: systemClock,
  random: () => 0,
  log: testLog,
  times: { ...LANE_TIMES, retry: [5, 5], doubt: 30, backoff: [20, 40], flush: 10, poll: 20, aside: 20 },
  messageKey: await loadMessageKey(db),
  resend: "same-id",
  mark: (accountId, topic, id) => changes.mark(accountId, topic, id),
});
const service = new ConnectionService({
  changes,
  files: testFiles(guardedFetch, { store }),
  outbox,
  answerMs: 60_000,
  ownerMs: 60_000,
});
const callAs = testApi(db, (app) => mountConnections(app, service));

afterAll(async () => {
  await lanes.close(1_000);
  await changes.close();
  await outbox.close();
  await guardedFetch.close();
  web.close();
});

let number = 5511900001000;
const digits = () => String(number++);
const account = async () => {
  const id = await makeAccount(db);
  return { id, call: callAs(id) };
};

async function becomes<T>(ask: () => Promise<T | null | undefined | false>): Promise<T> {
  const end = performance.now() + 60_000;
  for (;;) {
    const answer = await ask();
    if (answer) return answer;
    if (performance.now() > end) throw new Error(`never: ${ask.toString().slice(0, 200)}`);
    await new Promise((resolve) => setTimeout(resolve, 30));
  }
}

const qrOf = (call: Caller, deviceId: string, not = "") =>
  becomes(async () => {
    const { status, body } = await call<{ qr: string }>("GET", `/api/whatsapp/qr/${deviceId}`);
    return status === 200 && body.qr !== not && body.qr;
  });
const statusOf = async (call: Caller, deviceId: string) =>
  (await call<{ status: string; cause: string | null }>("GET", `/api/whatsapp/status/${deviceId}`)).body;
const connected = (call: Caller, deviceId: string) =>
  becomes(async () => (await statusOf(call, deviceId)).status === "connected");

async function connectedDevice() {
  const { id, call } = await account();
  const deviceId = digits();
  await call("POST", "/api/whatsapp/connect", { deviceId, connectionName: "Vendas" });
  await whatsapp.scan({ qr: await qrOf(call, deviceId), phone: deviceId });
  await connected(call, deviceId);
  return { id, call, deviceId };
}

describe("connect", () => {
  test("a typed number becomes a device: connecting, a QR in words, pending, connected @spec 3.9,3.15,5.13", async () => {
    const { id, call } = await account();
    const phone = digits();
    const typed = `+55 (11) ${phone.slice(4, 9)}-${phone.slice(9)}`;
    const answer = await call("POST", "/api/whatsapp/connect", {
      userId: id,
      deviceId: typed,
      connectionName: "",
    });
    expect(answer).toMatchObject({ status: 200, body: { status: "connecting", deviceId: phone } });
    const qr = await qrOf(call, phone);
    expect(await statusOf(call, phone)).toMatchObject({ status: "pending" });
    await whatsapp.scan({ qr, phone });
    await connected(call, phone);
    expect((await call("GET", `/api/whatsapp/qr/${phone}`)).status).toBe(404);
    const devices = await call("GET", "/api/whatsapp/devices");
    expect(devices.body).toMatchObject({
      devices: [{ deviceId: phone, connection_name: `WhatsApp ${phone}`, status: "connected" }],
    });
    const again = await call("POST", "/api/whatsapp/connect", { deviceId: phone, connectionName: "Loja" });
    expect(again.body).toMatchObject({ status: "connected", deviceId: phone });
  });

  test("another's userId answers as a missing one, an empty number says what is missing, nonsense is refused @spec 3.15,5.13", async () => {
    const { call } = await account();
    const other = await account();
    const foreign = await call("POST", "/api/whatsapp/connect", { userId: other.id, deviceId: digits() });
    expect(foreign.status).toBe(404);
    for (const deviceId of ["", "   ", "abc", "123", "11 98765-4321 ou 11 98765-4322"]) {
      const { status, body } = await call("POST", "/api/whatsapp/connect", { deviceId });
      expect([status, body]).toMatchObject([422, { code: "device_number_required" }]);
    }
    expect((await call("POST", "/api/whatsapp/connect", { deviceId: digits(), role: "admin" })).status).toBe(
      422,
    );
  });

  test("one number of two accounts is two devices, and neither sees the other's", async () => {
    const [ana, bia] = [await account(), await account()];
    const deviceId = digits();
    await ana.call("POST", "/api/whatsapp/connect", { deviceId });
    expect((await bia.call("GET", `/api/whatsapp/status/${deviceId}`)).status).toBe(404);
    expect((await bia.call("DELETE", `/api/whatsapp/devices/${deviceId}`)).status).toBe(404);
    await bia.call("POST", "/api/whatsapp/connect", { deviceId });
    const { rows } = await sql<{ n: number }>`
      select count(*)::int as n from connection where device_id = ${deviceId}`.execute(db);
    expect(rows).toEqual([{ n: 2 }]);
  });
});

describe("send", () => {
  test("answers after WhatsApp's acknowledgement, and the same key is the same message", async () => {
    const { call, deviceId } = await connectedDevice();
    const to = digits();
    const body = { deviceId, number: to, message: "Seu pedido saiu", idempotencyKey: "pedido-1" };
    const first = await call<{ id: string }>("POST", "/api/whatsapp/send", body);
    expect(first).toMatchObject({ status: 200, body: { success: true, status: "sent" } });
    const { messages } = await whatsapp.messages({ to, atLeast: 1 });
    expect(messages).toMatchObject([{ text: "Seu pedido saiu", shown: true, frames: 1 }]);
    expect((await call<{ id: string }>("POST", "/api/whatsapp/send", body)).body.id).toBe(first.body.id);
    const other = await call("POST", "/api/whatsapp/send", { ...body, message: "Outro texto" });
    expect(other).toMatchObject({ status: 409, body: { code: "idempotency_mismatch" } });
    expect(JSON.stringify(other.body), "the message of before was sent").not.toContain("sent");
    expect((await whatsapp.messages({ to, shown: false })).messages).toHaveLength(1);
  });

  test("a key that looks like one of our own is the caller's, and ours stays free", async () => {
    const { id, call, deviceId } = await connectedDevice();
    const body = { deviceId, number: digits(), message: "Oi", idempotencyKey: "agent:41" };
    const first = await call<{ id: string }>("POST", "/api/whatsapp/send", body);
    expect(first.status).toBe(200);
    expect((await call<{ id: string }>("POST", "/api/whatsapp/send", body)).body.id).toBe(first.body.id);
    const { rows } = await sql`select 1 from outbox
      where account_id = ${id}::uuid and idempotency_key = 'agent:41'`.execute(db);
    expect(rows).toEqual([]);
  });

  test("a picture is fetched, made ours and arrives with its caption @spec 7.18", async () => {
    const { call, deviceId } = await connectedDevice();
    const to = digits();
    const imagemUrl = `http://${webHost}/foto.png`;
    const answer = await call("POST", "/api/whatsapp/send", {
      deviceId,
      number: to,
      message: "Oferta",
      imagemUrl,
    });
    expect(answer).toMatchObject({ status: 200, body: { status: "sent" } });
    const { messages } = await whatsapp.messages({ to, atLeast: 1 });
    expect(messages).toMatchObject([{ text: "Oferta", image: { width: 40, height: 30 } }]);
    expect(messages[0]?.image?.sha256).not.toBeNull();
    const gone = { deviceId, number: digits(), message: "Oferta", imagemUrl: `http://${webHost}/antiga.png` };
    const refused = await call<ErrorAnswer>("POST", "/api/whatsapp/send", gone);
    expect(refused).toMatchObject({ status: 422, body: { code: "url_failed" } });
    expect(refused.body.details).toEqual({ reason: "status", status: 404, unsent: true });
  });

  test("AP01 a picture is fetched over at most three redirects, and a refusal never reads as sent", async () => {
    const { call, deviceId } = await connectedDevice();
    const to = digits();
    const send = (place: string) =>
      call<ErrorAnswer>("POST", "/api/whatsapp/send", {
        deviceId,
        number: to,
        message: "com imagem",
        imagemUrl: `http://${webHost}${place}`,
      });
    const far = await send("/redir/redir/redir/redir");
    expect([far.status, far.body.code, far.body.details]).toEqual([
      422,
      "url_failed",
      { reason: "redirect", unsent: true },
    ]);
    const inside = await send("/redirhttp://169.254.169.254/latest");
    expect([inside.status, inside.body.code, inside.body.details]).toEqual([
      422,
      "url_private",
      { unsent: true },
    ]);
    expect((await whatsapp.messages({ from: deviceId, shown: false })).messages).toEqual([]);
    expect((await send("/redir/redir/redir")).status).toBe(200);
    const { messages } = await whatsapp.messages({ to, atLeast: 1 });
    expect(messages).toMatchObject([{ text: "com imagem", image: { width: 40, height: 30 } }]);
  });

  test("the same key stays the same message although its picture's address is gone", async () => {
    const { call, deviceId } = await connectedDevice();
    const to = digits();
    const place = "/foto.png?1";
    const body = {
      deviceId,
      number: to,
      message: "Oferta",
      imagemUrl: `http://${webHost}${place}`,
      idempotencyKey: "oferta-1",
    };
    const first = await call<{ id: string }>("POST", "/api/whatsapp/send", body);
    expect(first.status).toBe(200);
    taken.add(place);
    expect(await call("POST", "/api/whatsapp/send", body)).toMatchObject({
      status: 200,
      body: { id: first.body.id },
    });
    expect((await whatsapp.messages({ to, shown: false })).messages).toHaveLength(1);
  });

  test.each([
    [
      "U13",
      "http://169.254.169.254/latest/meta-data",
      "url_private",
      "Endereço interno não permitido pelo administrador.",
    ],
    ["U01", "file:///etc/passwd", "url_forbidden", "Este endereço não é permitido."],
  ])("%s an imagemUrl to the inside is refused and nothing is sent", async (_id, imagemUrl, code, error) => {
    const { call, deviceId } = await connectedDevice();
    const answer = await call("POST", "/api/whatsapp/send", {
      deviceId,
      number: digits(),
      message: "x",
      imagemUrl,
    });
    expect(answer).toMatchObject({ status: 422, body: { code, error } });
    expect((await whatsapp.messages({ from: deviceId, shown: false })).messages).toEqual([]);
  });

  test("what WhatsApp refuses is said in the spec's words @decision 32", async () => {
    const { call, deviceId } = await connectedDevice();
    const to = digits();
    await whatsapp.people({
      phones: [to, `${to.slice(0, 4)}${to.slice(5)}`],
      settings: { onWhatsApp: false },
    });
    const answer = await call("POST", "/api/whatsapp/send", { deviceId, number: to, message: "Oi" });
    expect(answer).toMatchObject({
      status: 422,
      body: {
        code: "send_refused",
        error: `Falha ao enviar mensagem para ${to}: este número não tem WhatsApp`,
        details: { unsent: true },
      },
    });
  });

  test("a device that waits for a person, a bad number and an empty text are refused at once", async () => {
    const { call } = await account();
    const deviceId = digits();
    await call("POST", "/api/whatsapp/connect", { deviceId });
    await qrOf(call, deviceId);
    const to = digits();
    const send = (change: object) =>
      call("POST", "/api/whatsapp/send", { deviceId, number: to, message: "Oi", ...change });
    expect(await send({})).toMatchObject({
      status: 409,
      body: {
        code: "device_not_connected",
        error: `Falha ao enviar mensagem para ${to}: a conexão não está conectada.`,
      },
    });
    expect(await send({ number: "12" })).toMatchObject({ status: 422, body: { code: "phone_invalid" } });
    expect(await send({ message: " \u200b" })).toMatchObject({
      status: 422,
      body: { code: "invalid_fields" },
    });
    expect(await send({ message: "a".repeat(4_097) })).toMatchObject({ body: { code: "invalid_fields" } });
    expect(await send({ deviceId: digits() })).toMatchObject({
      status: 404,
      body: { code: "device_unknown" },
    });
  });
});

describe("ending", () => {
  test("Desconectar ends the session and keeps the connection; Reconectar brings a new QR @spec 3.9,7.22 @decision 18", async () => {
    const { call, deviceId } = await connectedDevice();
    const ended = await call("DELETE", `/api/whatsapp/session/${deviceId}`);
    expect(ended).toMatchObject({ status: 200, body: { success: true, status: "disconnected" } });
    expect(await statusOf(call, deviceId)).toMatchObject({ cause: "disconnected_by_user" });
    const linked = async () =>
      (await whatsapp.accounts({})).accounts.find(({ phone }) => phone === deviceId)?.devices;
    await expect.poll(linked).toEqual([]);
    const { body } = await call<{ connections: z.infer<typeof Connection>[] }>("GET", "/api/connections");
    const [one] = body.connections;
    await call("POST", `/api/connections/${one?.id}/reconnect`);
    await whatsapp.scan({ qr: await qrOf(call, deviceId), phone: deviceId });
    await connected(call, deviceId);
  });

  test("Excluir tells what it stops, removes the connection and pauses its campaigns with a cause @spec 7.22 @decision 18", async () => {
    const { id, call, deviceId } = await connectedDevice();
    const { body } = await call<{ connections: z.infer<typeof Connection>[] }>("GET", "/api/connections");
    const connectionId = body.connections[0]?.id ?? 0;
    const campaign = await makeCampaign(db, id, { connectionId, status: "paused" });
    const listed = await call<{ connections: z.infer<typeof Connection>[] }>("GET", "/api/connections");
    expect(listed.body.connections[0]?.campaigns).toEqual({
      sending: 0,
      paused: 1,
      scheduled: 0,
      names: ["Black Friday"],
    });
    const published = new Set<string>();
    changes.subscribe({
      accountId: id,
      onChange: ({ topic }) => void published.add(topic),
      onEnd: () => undefined,
    });
    const removed = await call("DELETE", `/api/whatsapp/devices/${deviceId}`);
    expect(removed).toMatchObject({ status: 200, body: { success: true } });
    expect((await call("GET", "/api/connections")).body).toEqual({ connections: [] });
    await becomes(async () => ["connections", "campaigns", "chats"].every((topic) => published.has(topic)));
    expect((await call("GET", `/api/whatsapp/status/${deviceId}`)).status).toBe(404);
    const { rows } =
      await sql`select status, pause_reason as cause, connection_id from campaign where id = ${campaign}`.execute(
        db,
      );
    expect(rows).toEqual([{ status: "paused", cause: "connection_removed", connection_id: null }]);
    await becomes(
      async () =>
        (await sql`select 1 from connection where id = ${connectionId}`.execute(db)).rows.length === 0,
    );
    await call("POST", "/api/whatsapp/connect", { deviceId });
    await qrOf(call, deviceId);
  });
});

describe("the screens", () => {
  const list = async (call: Caller) =>
    (await call<{ connections: z.infer<typeof Connection>[] }>("GET", "/api/connections")).body.connections;

  test("a pairing code is asked for and links @decision 19", async () => {
    const { call } = await account();
    const deviceId = digits();
    await call("POST", "/api/whatsapp/connect", { deviceId });
    await qrOf(call, deviceId);
    const [before] = await list(call);
    await call("POST", `/api/connections/${before?.id}/pairing-code`);
    const code = await becomes(async () => (await list(call))[0]?.pairingCode);
    await whatsapp.typeCode({ code, phone: deviceId });
    await connected(call, deviceId);
    expect((await list(call))[0]).toMatchObject({ pairingCode: null, qr: null, state: "connected" });
  });

  test("after the codes ran out a person gets new ones", async () => {
    const { call } = await account();
    const deviceId = digits();
    await call("POST", "/api/whatsapp/connect", { deviceId });
    const first = await qrOf(call, deviceId);
    const [one] = await list(call);
    const { connectionId } = { connectionId: one?.id ?? 0 };
    for (const session of lab.simulator.world.sessions) if (!session.login) session.cut();
    await sql`update connection set state = 'disconnected', state_reason = 'qr_expired', qr = null where id = ${connectionId}`.execute(
      db,
    );
    expect((await call("POST", `/api/connections/${connectionId}/qr`)).status).toBe(200);
    expect(await qrOf(call, deviceId, first)).not.toBe(first);
  });

  test("one connection is the default, and only one's own can be made it @decision 27", async () => {
    const { call } = await account();
    const other = await account();
    for (const deviceId of [digits(), digits()]) await call("POST", "/api/whatsapp/connect", { deviceId });
    const [first, second] = await list(call);
    await call("POST", `/api/connections/${first?.id}/default`);
    const atOnce = Array.from({ length: 12 }, () => [first, second, second]).flat();
    const answers = await Promise.all(
      atOnce.map((one) => call("POST", `/api/connections/${one?.id}/default`)),
    );
    expect(answers.map(({ status }) => status)).toEqual(atOnce.map(() => 200));
    const after = await call("POST", `/api/connections/${second?.id}/default`);
    expect(after).toMatchObject({ status: 200, body: { isDefault: true } });
    expect((await list(call)).map(({ isDefault }) => isDefault)).toEqual([false, true]);
    expect((await other.call("POST", `/api/connections/${first?.id}/default`)).status).toBe(404);
    const undone = `/api/connections/${first?.id}/default?insteadOf=${second?.id}`;
    expect((await call("POST", undone)).status).toBe(200);
    const late = await call<{ code: string }>(
      "POST",
      `/api/connections/${second?.id}/default?insteadOf=${second?.id}`,
    );
    expect([late.status, late.body.code]).toEqual([409, "undo_too_late"]);
    expect((await list(call)).map(({ isDefault }) => isDefault)).toEqual([true, false]);
  });
});
