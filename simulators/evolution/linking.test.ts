import { expect, test } from "vitest";
import { gatewayLab } from "../../tests/support/gateway-lab.ts";

const lab = gatewayLab();
const { start, call, webhook, openLinked, openChannel, sendText } = lab;

const create = (name: string, more: object = {}) =>
  call("POST", "/instance/create", {
    instanceName: name,
    integration: "WHATSAPP-BAILEYS",
    qrcode: true,
    ...more,
  });
const states = () =>
  lab.receiver.posted
    .filter(({ body }) => body.event === "connection.update")
    .map(({ body }) => (body.data as { state: string }).state);

test("a QR code lives 45 s, the next is reported, and after the last the gateway gives up", async () => {
  const world = await start({ timing: { qrLimit: 3 } });
  world.clock.hold();
  await create("loja", { webhook: webhook({ events: ["QRCODE_UPDATED", "CONNECTION_UPDATE"] }) });
  const codes = [world.qr("loja")?.code];
  world.clock.advance(44_000);
  expect(world.qr("loja")?.code).toBe(codes[0]);
  world.clock.advance(1_000);
  expect(world.qr("loja")?.code).not.toBe(codes[0]);
  expect((await call("GET", "/instance/connect/loja")).body).toMatchObject({ count: 2, pairingCode: null });
  world.clock.advance(45_000);
  expect(world.qr("loja")).not.toBeNull();
  world.clock.advance(45_000);
  await world.idle();
  expect(world.qr("loja")).toBeNull();
  expect(world.state("loja")).toBe("close");
  const last = lab.receiver.posted.filter(({ body }) => body.event === "qrcode.updated").at(-1);
  expect(last?.body.data).toEqual({ message: expect.any(String), statusCode: 500 });
  expect(states()).toContain("refused");
});

test("create blocks as long as a real one; the QR code may come later than the answer", async () => {
  const world = await start({ timing: { createMs: 40, firstQrMs: 80 } });
  const began = performance.now();
  expect((await create("loja")).body).toMatchObject({ qrcode: { count: 0 } });
  expect(performance.now() - began).toBeGreaterThan(35);
  await expect.poll(() => world.qr("loja")).not.toBeNull();
  expect((await call("GET", "/instance/connect/loja")).body).toMatchObject({ count: 1 });
});

test("a pairing code comes with the QR code when a number is known; a QR can be scanned by itself", async () => {
  const world = await start({ timing: { autoScanMs: 1_000 } });
  world.clock.hold();
  await create("loja", { number: "5531987654321" });
  expect(world.qr("loja")?.pairingCode).toMatch(/^[1-9A-Z]{8}$/);
  world.clock.advance(1_000);
  const [row] = (await call("GET", "/instance/fetchInstances")).body as never as object[];
  expect(row).toMatchObject({ connectionStatus: "open", ownerJid: "553187654321@s.whatsapp.net" });
});

test("an owner has a name and a picture that can be fetched", async () => {
  const world = await start();
  await create("loja", { webhook: webhook({ events: ["CONNECTION_UPDATE"] }) });
  await world.scan("loja", { phone: "5511900000001", profileName: "Loja", picture: true });
  const [row] = (await call("GET", "/instance/fetchInstances?instanceName=loja")).body as never as {
    profilePicUrl: string;
  }[];
  expect(row).toMatchObject({ profileName: "Loja" });
  const picture = await fetch(row?.profilePicUrl ?? "");
  expect(picture.headers.get("content-type")).toBe("image/png");
  expect(
    Buffer.from(await picture.arrayBuffer())
      .subarray(1, 4)
      .toString(),
  ).toBe("PNG");
  await world.idle();
  const open = lab.receiver.posted.find(({ body }) => (body.data as { state: string }).state === "open");
  expect(open?.body.data).toMatchObject({ profileName: "Loja", profilePictureUrl: row?.profilePicUrl });
  world.person({ phone: "5511911112222", picture: true });
  const url = (number: string) => call("POST", "/chat/fetchProfilePictureUrl/loja", { number });
  expect((await url("5511911112222")).body).toMatchObject({
    profilePictureUrl: expect.stringContaining("/pictures/"),
  });
  expect((await url("5511911113333")).body).toEqual({
    wuid: "5511911113333@s.whatsapp.net",
    profilePictureUrl: null,
  });
});

test("a send during a reconnect waits for it; one that does not come back fails", async () => {
  const world = await start();
  await openLinked("loja");
  world.clock.hold();
  world.dropSocket("loja", { hold: true });
  const late = sendText("loja", "oi");
  expect((await call("GET", "/instance/connect/loja")).body).toMatchObject({ code: expect.any(String) });
  world.reconnect("loja");
  expect((await late).status).toBe(201);
  world.dropSocket("loja", { hold: true });
  let hung: unknown;
  void sendText("loja", "oi").then((answer) => {
    hung = answer;
  });
  await expect
    .poll(() => {
      world.clock.advance(60_000);
      return hung;
    })
    .toMatchObject({ status: 400, body: { response: { message: ["Error: Connection Closed"] } } });
});

test("what people wrote while it was away arrives when it is back", async () => {
  const world = await start();
  await openLinked("loja", webhook({ events: ["MESSAGES_UPSERT"] }));
  world.dropSocket("loja", { hold: true });
  world.reply("loja", "5511988887777", "oi?");
  expect((await call("POST", "/chat/findMessages/loja", {})).body).toMatchObject({ messages: { total: 0 } });
  world.reconnect("loja");
  await world.idle();
  expect(lab.receiver.events()).toEqual(["messages.upsert"]);
});

test("the offline loop posts 60 states a second until it is stopped", async () => {
  const world = await start();
  await openLinked("loja", webhook({ events: ["CONNECTION_UPDATE"] }));
  await world.idle();
  const before = lab.receiver.posted.length;
  world.clock.hold();
  const stop = world.offlineLoop("loja");
  world.clock.advance(1_000);
  stop();
  world.clock.advance(1_000);
  await world.idle();
  const count = lab.receiver.posted.length - before;
  expect(count).toBeGreaterThanOrEqual(60);
  expect(count).toBeLessThanOrEqual(62);
});

test("a deleted instance still answers for a moment, then is gone with what it held", async () => {
  const world = await start({ timing: { deleteMs: 100 } });
  await openChannel("loja");
  await sendText("loja", "oi");
  world.clock.hold();
  expect((await call("DELETE", "/instance/delete/loja")).status).toBe(200);
  expect((await call("DELETE", "/instance/delete/loja")).status).toBe(200);
  expect((await openChannel("loja")).status).toBe(403);
  world.clock.advance(100);
  expect((await call("DELETE", "/instance/delete/loja")).status).toBe(404);
  expect((await openChannel("loja")).status).toBe(201);
  expect((await call("POST", "/chat/findMessages/loja", {})).body).toMatchObject({ messages: { total: 0 } });
});

test("1.8 lists wrapped rows, and a single one when asked for one", async () => {
  await start({ version: "1.8.2" });
  await openLinked("loja");
  await create("outra");
  expect((await call("GET", "/instance/fetchInstances")).body).toMatchObject([
    { instance: { instanceName: "loja", owner: "5511900000001@s.whatsapp.net", status: "open" } },
    { instance: { instanceName: "outra", status: "connecting" } },
  ]);
  expect((await call("GET", "/instance/fetchInstances?instanceName=loja")).body).toMatchObject({
    instance: { instanceName: "loja", profileName: "not loaded" },
  });
});

test("2.4 wants a licence, forgives a second logout, and keeps the caller's message id", async () => {
  const world = await start({ version: "2.4.0" });
  await openLinked("loja");
  for (const repeated of [false, true]) {
    const sent = await sendText("loja", "oi", undefined, { messageId: "3EB0OURS" });
    expect(sent).toMatchObject({ status: 201, body: { key: { id: "3EB0OURS" } } });
    expect(world.accepted.at(-1)).toMatchObject({ id: "3EB0OURS", repeated });
  }
  world.license(true);
  expect(await sendText("loja", "oi")).toMatchObject({
    status: 503,
    body: { error: "service not activated", code: "LICENSE_REQUIRED", register_url: expect.any(String) },
  });
  expect((await call("GET", "/")).status).toBe(200);
  world.license(false);
  for (let twice = 0; twice < 2; twice += 1)
    expect((await call("DELETE", "/instance/logout/loja")).status).toBe(200);
});
