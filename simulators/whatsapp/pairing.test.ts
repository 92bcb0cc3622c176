import { randomBytes } from "node:crypto";
import { type BinaryNode, initAuthCreds, WA_CERT_DETAILS } from "baileys";
import { afterEach, describe, expect, test } from "vitest";
import { testSimulator } from "../../tests/support/simulator.ts";
import {
  type BareClient,
  newDevice,
  openBareClient,
  pairBareClient,
  qrOf,
  whenClosed,
  whenOpen,
} from "./bare-client.ts";

const PHONE = "5511900000001";
const simulator = testSimulator();
const { scan, typeCode, faults, accounts } = {
  scan: (qr: string, phone = PHONE) => simulator.control.scan({ qr, phone }),
  typeCode: (code: string, phone = PHONE) => simulator.control.typeCode({ code, phone }),
  faults: (changes: Parameters<typeof simulator.control.faults>[0]) => simulator.control.faults(changes),
  accounts: async () => (await simulator.control.accounts({})).accounts,
};

const clients: BareClient[] = [];
function open(...call: Parameters<typeof openBareClient>): BareClient {
  const client = openBareClient(...call);
  clients.push(client);
  return client;
}
afterEach(() => {
  for (const client of clients.splice(0)) client.end();
});

describe("certificates", () => {
  test("a server whose chain ends in another root is refused by the client", async () => {
    const own = WA_CERT_DETAILS.PUBLIC_KEY;
    Object.assign(WA_CERT_DETAILS, { PUBLIC_KEY: randomBytes(32) });
    const closed = await whenClosed(open(newDevice()));
    Object.assign(WA_CERT_DETAILS, { PUBLIC_KEY: own });
    expect(closed.message).toBe("noise intermediate certificate signature invalid");
  });
});

describe("QR code", () => {
  test("a scanned code links the device, which logs in after the restart WhatsApp asks for", async () => {
    const first = open(newDevice());
    const qr = await qrOf(first);
    await expect(scan(qr)).resolves.toEqual({ device: 1 });
    await expect(whenClosed(first)).resolves.toMatchObject({ code: 515 });
    expect(first.store.creds.me?.id).toBe(`${PHONE}:1@s.whatsapp.net`);

    const client = open(first.store);
    await whenOpen(client);
    const [account] = await accounts();
    expect(account).toMatchObject({ phone: PHONE, devices: [{ id: 1, online: true, preKeys: 812 }] });
  });

  test("a code whose secret was changed on the way is refused by the client", async () => {
    const client = open(newDevice());
    const fields = (await qrOf(client)).split(",");
    fields[3] = Buffer.alloc(32).toString("base64");
    await expect(scan(fields.join(","))).rejects.toMatchObject({ code: "client_refused_to_link" });
    await expect(whenClosed(client)).resolves.toMatchObject({ message: "Invalid account signature" });
  });

  test("a phone that signs with a key that is not its own is refused by the client", async () => {
    const { person } = simulator.world.accounts.getOrMake(PHONE);
    const stolen = { ...person.identity.creds.signedIdentityKey, private: initAuthCreds().noiseKey.private };
    person.identity = { ...person.identity, creds: { ...person.identity.creds, signedIdentityKey: stolen } };
    const client = open(newDevice());
    await expect(scan(await qrOf(client))).rejects.toMatchObject({ code: "client_refused_to_link" });
    await expect(whenClosed(client)).resolves.toMatchObject({
      message: "Failed to verify account signature",
    });
    await expect(accounts()).resolves.toMatchObject([{ devices: [] }]);
  });

  test("six codes are shown, and then the client gives up with 408", async () => {
    const client = open(newDevice(), { qrTimeout: 40 });
    const closed = await whenClosed(client);
    expect(closed).toEqual({ code: 408, message: "QR refs attempts ended" });
    expect(client.connection.filter((update) => update.qr)).toHaveLength(6);
  });

  test("a code of a socket that is gone, and anything that is no code, is refused by the phone", async () => {
    const client = open(newDevice());
    const qr = await qrOf(client);
    client.end();
    await whenClosed(client);
    await expect.poll(() => scan(qr).catch((error: { code: string }) => error.code)).toBe("qr_expired");
    await expect(scan("https://example.com")).rejects.toMatchObject({ code: "not_a_qr_code" });
  });

  test("two devices of one number are linked side by side", async () => {
    for (const device of [1, 2]) {
      clients.push(await pairBareClient((qr) => scan(qr)));
      const [account] = await accounts();
      expect(account?.devices.at(-1)).toMatchObject({ id: device, online: true });
    }
  });
});

describe("companion_reg_refresh on the first scan", () => {
  function shimmed(client: BareClient): () => string | undefined {
    const { creds } = client.store;
    client.socket.ws.on("CB:notification,type:companion_reg_refresh", (node: BinaryNode) => {
      creds.advSecretKey = randomBytes(32).toString("base64");
      const { id = "", from = "", type = "" } = node.attrs;
      void client.socket.sendNode({ tag: "ack", attrs: { id, to: from, class: "notification", type } });
      client.connection.push({ receivedPendingNotifications: false });
      client.socket.ev.emit("creds.update", { advSecretKey: creds.advSecretKey });
      client.socket.ev.emit("connection.update", {});
    });
    return () => {
      const shown = client.connection.findLast((update) => update.qr)?.qr;
      const fields = shown?.split(",");
      if (fields) fields[3] = creds.advSecretKey;
      return fields?.join(",");
    };
  }

  test("bare Baileys never links", async () => {
    await faults({ refreshOnFirstScan: true });
    const client = open(newDevice(), { qrTimeout: 1_000 });
    const shown = await qrOf(client);
    await expect(scan(shown)).rejects.toMatchObject({ code: "could_not_link_device" });
    const next = await client.until(
      ({ connection }) => connection.findLast((update) => update.qr !== shown && update.qr)?.qr,
    );
    await expect(scan(next)).rejects.toMatchObject({ code: "could_not_link_device" });
    await expect(whenClosed(client)).resolves.toMatchObject({ code: 408 });
  });

  test("a client that takes a new secret links with the code it then shows", async () => {
    await faults({ refreshOnFirstScan: true });
    const client = open(newDevice());
    const before = client.store.creds.advSecretKey;
    const shown = shimmed(client);
    const first = await qrOf(client);
    await expect(scan(first)).rejects.toMatchObject({ code: "could_not_link_device" });
    await client.until(() => client.store.creds.advSecretKey !== before);
    await expect(scan(shown() ?? "")).resolves.toEqual({ device: 1 });
    await expect(whenClosed(client)).resolves.toMatchObject({ code: 515 });
  });
});

describe("pairing code", () => {
  async function askCode(client: BareClient): Promise<string> {
    await qrOf(client);
    const asked = new Promise((resolve) => simulator.world.events.once("pairingCodeAsked", resolve));
    const code = await client.socket.requestPairingCode(PHONE);
    await asked;
    return code;
  }

  test("the code typed on the phone links the device", async () => {
    const first = open(newDevice());
    const code = await askCode(first);
    expect(code).toMatch(/^[0-9A-Z]{8}$/);
    await expect(typeCode(code)).resolves.toEqual({ device: 1 });
    await expect(whenClosed(first)).resolves.toMatchObject({ code: 515 });
    const client = open(first.store);
    await whenOpen(client);
    expect(client.store.creds.me?.id).toBe(`${PHONE}:1@s.whatsapp.net`);
  });

  test("a refused request still gives a code, and says no only on the wire", async () => {
    await faults({ rejectPairingCode: true });
    const client = open(newDevice());
    await qrOf(client);
    const refused = new Promise<BinaryNode>((resolve) => client.socket.ws.once("CB:iq,type:error", resolve));
    await expect(client.socket.requestPairingCode(PHONE)).resolves.toHaveLength(8);
    expect((await refused).content).toMatchObject([{ tag: "error", attrs: { code: "400" } }]);
    await expect(typeCode("ABCDEFGH")).rejects.toMatchObject({ code: "no_pairing_code_asked" });
  });
});
