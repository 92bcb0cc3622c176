import { BufferJSON } from "baileys";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { testSimulator } from "../../tests/support/simulator.ts";
import {
  type BareClient,
  type DeviceStore,
  numberAddress,
  openBareClient,
  pairBareClient,
  whenCaughtUp,
  whenClosed,
  whenOpen,
} from "./bare-client.ts";

const PHONE = "5511900000001";
const MARIA = "5511911112222";
const simulator = testSimulator();
let client: BareClient;

beforeEach(async () => {
  client = await pairBareClient((qr) => simulator.control.scan({ qr, phone: PHONE }));
});
afterEach(() => client.end());

async function comeBack(store: DeviceStore = client.store): Promise<BareClient> {
  client.end();
  client = openBareClient(store);
  await whenOpen(client);
  await whenCaughtUp(client);
  return client;
}
const send = (text: string, messageId: string) =>
  client.socket.sendMessage(numberAddress(MARIA), { text }, { messageId });
const acked = (id: string) => client.until(({ acks }) => acks.find((ack) => ack.id === id));
const updated = (id: string, status: number) =>
  client.until(({ updates }) => updates.find((one) => one.key.id === id && one.update.status === status));
const held = async () => (await simulator.control.messages({ to: MARIA })).messages;
const device = async () => (await simulator.control.accounts({})).accounts[0]?.devices[0];
const incoming = (text: string) =>
  client.until(({ upserts }) => upserts.find(({ messages }) => messages[0]?.message?.conversation === text));

describe("what ends a connection", () => {
  test("a cut socket closes with 428", async () => {
    await simulator.control.cut({ phone: PHONE });
    expect(await whenClosed(client)).toMatchObject({ code: 428 });
  });

  test("a silent server is noticed by the keep-alive, with 408", async () => {
    client.end();
    client = openBareClient(client.store, { keepAliveIntervalMs: 300 });
    await whenOpen(client);
    await simulator.control.silence({ phone: PHONE, silent: true });
    const heard: string[] = [];
    simulator.world.events.on("stanza", (node) => heard.push(node.tag));
    expect(await whenClosed(client)).toEqual({ code: 408, message: "Connection was lost" });
    expect(heard).toEqual([]);
  });

  test.each([401, 440, 500, 503, 515])("a stream error closes with %i", async (code) => {
    await simulator.control.endStream({ phone: PHONE, code });
    expect(await whenClosed(client)).toMatchObject({ code });
    await comeBack();
  });

  test.each([401, 403, 405, 408, 500, 503])(
    "a login refused with %i closes with it, the next one opens",
    async (code) => {
      await simulator.control.faults({ failLogins: { code, count: 1, phone: PHONE } });
      client.end();
      client = openBareClient(client.store);
      expect(await whenClosed(client)).toEqual({ code, message: "Connection Failure" });
      await comeBack();
    },
  );

  test("a second login with the same credentials replaces the first, which hears 440", async () => {
    const first = client;
    client = openBareClient(first.store);
    expect(await whenClosed(first)).toMatchObject({ code: 440 });
    await whenOpen(client);
    await send("depois da troca", "TAKEN");
    await updated("TAKEN", 3);
  });

  test("a device removed on the phone hears 401, and again when it comes back", async () => {
    await simulator.control.removeDevice({ phone: PHONE });
    expect(await whenClosed(client)).toMatchObject({ code: 401 });
    client = openBareClient(client.store);
    expect(await whenClosed(client)).toMatchObject({ code: 401, message: "Connection Failure" });
  });

  test("a client that logs out is unlinked", async () => {
    const unlinked = new Promise((resolve) => simulator.world.events.once("logout", resolve));
    await client.socket.logout();
    expect(await whenClosed(client)).toMatchObject({ code: 401, message: "Intentional Logout" });
    await expect(unlinked).resolves.toBe(PHONE);
    expect(await device()).toBeUndefined();
    client = openBareClient(client.store);
    expect(await whenClosed(client)).toMatchObject({ code: 401, message: "Connection Failure" });
  });

  test("an unreachable server accepts no login until it is back", async () => {
    await simulator.control.faults({ unreachable: true });
    await simulator.control.cut({ phone: PHONE });
    await whenClosed(client);
    client = openBareClient(client.store);
    expect(await whenClosed(client)).toMatchObject({ code: 428 });
    await simulator.control.faults({ unreachable: false });
    await comeBack();
  });

  test("sending on a closed connection is refused at once", async () => {
    client.end();
    await expect(send("x", "OFF")).rejects.toMatchObject({ output: { statusCode: 428 } });
    expect(await held()).toEqual([]);
  });
});

describe("what waits for a device that is away", () => {
  test("messages and receipts arrive at the next login, marked as offline", async () => {
    await simulator.control.people({ settings: { deliversAfterMs: null } });
    await send("antes", "BEFORE");
    await acked("BEFORE");
    await simulator.control.cut({ phone: PHONE });
    await whenClosed(client);
    await simulator.control.write({ from: MARIA, to: PHONE, text: "offline" });
    await simulator.control.receipts({ from: MARIA, to: PHONE, ids: ["BEFORE"], type: "delivered" });
    await simulator.control.receipts({ from: MARIA, to: PHONE, ids: ["BEFORE"], type: "read" });
    expect(await device()).toMatchObject({ online: false, waiting: 3 });
    await comeBack();
    // Baileys merges pending updates into the last state.
    await updated("BEFORE", 4);
    expect((await incoming("offline")).type).toBe("append");
    await expect.poll(device).toMatchObject({ online: true, waiting: 0 });
  });

  test("what was sent and not acknowledged comes again, as after a kill", async () => {
    await send("antes", "BEFORE");
    await updated("BEFORE", 3);
    await expect.poll(device).toMatchObject({ waiting: 0 });
    client.socket.ws.removeAllListeners("message");
    await simulator.control.receipts({ from: MARIA, to: PHONE, ids: ["BEFORE"], type: "read" });
    expect(await device()).toMatchObject({ online: true, waiting: 1 });
    await comeBack();
    await updated("BEFORE", 4);
  });

  test("an acknowledgement lost with the socket: the resend is a second frame, the phone shows one message", async () => {
    await simulator.control.faults({ cutAfterAccept: 1 });
    await send("uma vez só", "CUT");
    await whenClosed(client);
    expect(client.acks).toEqual([]);
    await comeBack();
    await updated("CUT", 3);
    await send("uma vez só", "CUT");
    await acked("CUT");
    expect(await held()).toMatchObject([{ id: "CUT", accepted: 2, collapsed: true }]);
  });

  test("a message lost with the socket is delivered only after a resend", async () => {
    await simulator.control.faults({ cutBeforeAccept: 1 });
    await send("perdida", "LOST");
    await whenClosed(client);
    expect(await held()).toEqual([]);
    await comeBack();
    await send("perdida", "LOST");
    await updated("LOST", 3);
    expect(await held()).toMatchObject([{ id: "LOST", frames: 1, accepted: 1 }]);
    expect(await simulator.control.stats({})).toMatchObject({ lost: 1 });
  });
});

describe("restart", () => {
  test("a reset that keeps devices forgets messages, settings and faults alone", async () => {
    await simulator.control.people({ settings: { refusesWith: 463 } });
    await simulator.control.faults({ dropAcks: 5 });
    await send("antes", "BEFORE");
    await acked("BEFORE");
    await simulator.control.reset({ keepDevices: true });
    expect(await simulator.control.stats({})).toMatchObject({ frames: 0, messages: 0, sockets: 1 });
    await send("depois", "AFTER");
    await updated("AFTER", 3);
    expect(await held()).toMatchObject([{ id: "AFTER", text: "depois" }]);
  });

  test("credentials written down and read again log in, and sessions go on", async () => {
    await send("antes", "BEFORE");
    await acked("BEFORE");
    const written = JSON.stringify(client.store.creds, BufferJSON.replacer);
    await comeBack({ creds: JSON.parse(written, BufferJSON.reviver), keys: client.store.keys });
    await send("depois", "AFTER");
    await updated("AFTER", 3);
    expect(await held()).toMatchObject([{ text: "antes" }, { text: "depois" }]);
  });
});
