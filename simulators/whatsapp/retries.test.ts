import { BufferJSON, type proto, type UserFacingSocketConfig } from "baileys";
import { afterEach, expect, test } from "vitest";
import { testSimulator } from "../../tests/support/simulator.ts";
import {
  type BareClient,
  type DeviceStore,
  memoryKeys,
  newDevice,
  numberAddress,
  openBareClient,
  pairBareClient,
  whenCaughtUp,
  whenOpen,
} from "./bare-client.ts";
import { askAgain } from "./receipts.ts";

const PHONE = "5511900000001";
const MARIA = "5511911112222";
const simulator = testSimulator();
const clients: BareClient[] = [];

async function pair(config: Partial<UserFacingSocketConfig> = {}, store = newDevice()): Promise<BareClient> {
  const client = await pairBareClient((qr) => simulator.control.scan({ qr, phone: PHONE }), config, store);
  clients.push(client);
  return client;
}
async function restart(
  store: DeviceStore,
  config: Partial<UserFacingSocketConfig> = {},
): Promise<BareClient> {
  const client = openBareClient(store, config);
  clients.push(client);
  await whenOpen(client);
  await whenCaughtUp(client);
  return client;
}
afterEach(() => {
  for (const client of clients.splice(0)) client.end();
});

const send = (client: BareClient, text: string, messageId: string) =>
  client.socket.sendMessage(numberAddress(MARIA), { text }, { messageId });
const acked = (client: BareClient, id: string) =>
  client.until(({ acks }) => acks.find((ack) => ack.id === id));
const held = async () => (await simulator.control.messages({ to: MARIA })).messages;
const frames = async (id: string) =>
  (await simulator.control.messages({ id, shown: false })).messages[0]?.frames ?? 0;

function copyOf(store: DeviceStore): DeviceStore {
  const copy = <T>(value: T): T => JSON.parse(JSON.stringify(value, BufferJSON.replacer), BufferJSON.reviver);
  const keys = memoryKeys();
  for (const [id, value] of store.keys.data) keys.data.set(id, copy(value));
  return { creds: copy(store.creds), keys };
}

test("a key store that fails to commit rejects the send, and the message left all the same", async () => {
  const store = newDevice();
  const client = await pair({ transactionOpts: { maxCommitRetries: 2, delayBetweenTriesMs: 10 } }, store);
  await send(client, "primeira", "ONE");
  await acked(client, "ONE");
  const commit = store.keys.set;
  store.keys.set = (data) => {
    if (data.session) throw new Error("database down");
    return commit(data);
  };
  await expect(send(client, "banco caiu", "TWO")).rejects.toThrow("database down");
  await acked(client, "TWO");
  store.keys.set = commit;
  await send(client, "banco caiu", "TWO");
  await expect.poll(() => frames("TWO")).toBe(2);
  expect(await held()).toMatchObject([{ id: "ONE" }, { id: "TWO", text: "banco caiu", accepted: 2 }]);
});

test("a crash between sending and storing the keys does not stop the next message", async () => {
  const client = await pair();
  await send(client, "1", "ONE");
  await acked(client, "ONE");
  const stored = copyOf(client.store);
  await send(client, "2", "TWO");
  await acked(client, "TWO");
  client.end();
  const again = await restart(stored);
  await send(again, "3 depois da queda", "THREE");
  await acked(again, "THREE");
  expect((await held()).map(({ text }) => text)).toEqual(["1", "2", "3 depois da queda"]);
});

test("a phone that cannot open a message asks again, and getMessage answers, also after a restart", async () => {
  const asked: string[] = [];
  const getMessage = async ({ id }: { id?: string | null }): Promise<proto.IMessage> => {
    asked.push(id ?? "");
    return { conversation: "guardado no banco" };
  };
  const client = await pair({ getMessage });
  await simulator.control.people({ settings: { deliversAfterMs: null } });
  await send(client, "guardado no banco", "KNOWN");
  await acked(client, "KNOWN");
  // The client does not know that she lost her sessions.
  await simulator.control.write({ from: MARIA, to: PHONE, text: "oi" });
  await client.until(({ upserts }) => upserts.length);
  simulator.world.signal.forget();
  await send(client, "guardado no banco", "BROKEN");
  await simulator.control.messages({ to: MARIA, id: "BROKEN", atLeast: 1 });
  expect(await held()).toMatchObject([
    { id: "KNOWN" },
    { id: "BROKEN", text: "guardado no banco", undecryptable: 1, frames: 2, shown: true },
  ]);
  expect(asked).toEqual(["BROKEN"]);
  client.end();

  asked.length = 0;
  await restart(client.store, { getMessage });
  const account = simulator.world.accounts.getOrMake(PHONE);
  askAgain(simulator.world, account, simulator.world.people.get(MARIA), "BROKEN", 2);
  await expect.poll(() => frames("BROKEN")).toBe(3);
  expect(asked).toEqual(["BROKEN"]);
  expect((await held()).at(-1)).toMatchObject({ id: "BROKEN", collapsed: true });
});

test("a client that cannot open a message asks again, and the person sends it once more", async () => {
  const client = await pair();
  await simulator.control.write({ from: MARIA, to: PHONE, text: "primeira" });
  await client.until(({ upserts }) => upserts.length);
  for (const key of client.store.keys.data.keys())
    if (key.startsWith("session ")) client.store.keys.data.delete(key);
  client.end();
  const again = await restart(client.store);
  await simulator.control.write({ from: MARIA, to: PHONE, text: "segunda", id: "LOSTKEY" });
  await again.until(({ upserts, updates }) =>
    [...upserts.flatMap(({ messages }) => messages), ...updates.map(({ update }) => update)].some(
      ({ message }) => message?.conversation === "segunda",
    ),
  );
});
