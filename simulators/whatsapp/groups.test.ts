import { afterEach, expect, test } from "vitest";
import { testSimulator } from "../../tests/support/simulator.ts";
import { type BareClient, pairBareClient } from "./bare-client.ts";

const PHONE = "5511900000001";
const MARIA = "5511911112222";
const JOANA = "5521988887777";
const simulator = testSimulator();
const clients: BareClient[] = [];
afterEach(() => {
  for (const client of clients.splice(0)) client.end();
});

async function pair(phone = PHONE): Promise<BareClient> {
  const client = await pairBareClient((qr) => simulator.control.scan({ qr, phone }));
  clients.push(client);
  return client;
}
const group = async (members = [PHONE, MARIA, JOANA]) =>
  (await simulator.control.createGroup({ subject: "Clientes", members })).id;
const incoming = (client: BareClient, text: string) =>
  client.until(({ upserts }) =>
    upserts.flatMap(({ messages }) => messages).find(({ message }) => message?.conversation === text),
  );
const held = async (to: string) => (await simulator.control.messages({ to })).messages;

test("a member's texts reach the client, the later ones without a new key", async () => {
  const client = await pair();
  const id = await group();
  await simulator.control.writeToGroup({ from: MARIA, group: id, text: "bom dia" });
  const first = await incoming(client, "bom dia");
  expect(first.key).toMatchObject({
    remoteJid: id,
    participant: `7${MARIA}@lid`,
    participantAlt: `${MARIA}@s.whatsapp.net`,
    fromMe: false,
  });
  await simulator.control.writeToGroup({ from: MARIA, group: id, text: "alguém aí?" });
  await incoming(client, "alguém aí?");
  await simulator.control.writeToGroup({ from: JOANA, group: id, text: "eu" });
  await incoming(client, "eu");
});

test("a text to the group is shown by every member, and receipts name the member", async () => {
  const client = await pair();
  const id = await group();
  const metadata = await client.socket.groupMetadata(id);
  expect(metadata).toMatchObject({ id, subject: "Clientes", addressingMode: "lid" });
  expect(metadata.participants).toHaveLength(3);
  for (const text of ["oi grupo", "de novo"]) {
    const messageId = text.toUpperCase().replace(" ", "");
    await client.socket.sendMessage(id, { text }, { messageId });
    await client.until(({ acks }) => acks.find((ack) => ack.id === messageId));
  }
  for (const member of [MARIA, JOANA]) {
    expect((await held(member)).map(({ text }) => text)).toEqual(["oi grupo", "de novo"]);
  }
  await simulator.control.receipts({ from: MARIA, to: PHONE, ids: ["OIGRUPO"], group: id });
  const receipt = await client.until(({ groupReceipts }) => groupReceipts[0]);
  expect(receipt).toMatchObject({ key: { id: "OIGRUPO" }, receipt: { userJid: `7${MARIA}@lid` } });
});

test("the client's groups are listed, and an unknown one is not found", async () => {
  const client = await pair();
  const id = await group();
  await group([MARIA, JOANA]);
  expect(Object.keys(await client.socket.groupFetchAllParticipating())).toEqual([id]);
  await expect(client.socket.groupMetadata("120363000000000009@g.us")).rejects.toMatchObject({ data: 404 });
});

test("two numbers that both linked devices write to each other", async () => {
  const loja = await pair();
  const cliente = await pair(MARIA);
  await loja.socket.sendMessage(`${MARIA}@s.whatsapp.net`, { text: "Olá" }, { messageId: "HELLO" });
  const got = await cliente.until(({ upserts }) =>
    upserts.flatMap(({ messages }) => messages).find(({ key }) => key.id === "HELLO"),
  );
  expect(got.message?.extendedTextMessage?.text ?? got.message?.conversation).toBe("Olá");
  expect(got.key.remoteJidAlt).toBe(`${PHONE}@s.whatsapp.net`);
  expect(await held(MARIA)).toMatchObject([{ id: "HELLO", text: "Olá" }]);
});
