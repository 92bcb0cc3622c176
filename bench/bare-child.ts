import { randomBytes, randomUUID } from "node:crypto";
import { type BinaryNode, generateMessageIDV2, makeCacheableSignalKeyStore } from "baileys";
import pino from "pino";
import { adoptSimulator } from "../simulators/whatsapp/adopt.ts";
import { newDevice, pairBareClient } from "../simulators/whatsapp/bare-client.ts";
import { connectSimulator } from "../simulators/whatsapp/client.ts";
import { quietSignal } from "../simulators/whatsapp/quiet-signal.ts";
import { openDatabase } from "../src/server/db/client.ts";
import { createSecrets } from "../src/server/db/secrets.ts";
import { acquireConnection } from "../src/server/sending/ownership/acquire.ts";
import { DeviceKeys } from "../src/server/transports/device/device-keys.ts";
import type { DeviceAnswer, DeviceRequest } from "./device.ts";
import { serveWorker } from "./worker.ts";

const [databaseUrl = "", controlUrl = "", , connection = ""] = process.argv.slice(2);
const connectionId = Number(connection);
const control = connectSimulator(controlUrl);
adoptSimulator(await control.info({}));
quietSignal();
const log = pino({ level: "warn" }, pino.destination({ dest: 2, sync: true }));
const database = openDatabase(databaseUrl, { log });
const phone = "5511950000001";

const store = newDevice();
const keys = await openKeys();
const client = await pairBareClient(
  (qr) => control.scan({ qr, phone }),
  {
    auth: {
      creds: store.creds,
      keys: makeCacheableSignalKeyStore(keys.ofPairing(), pino({ level: "silent" })),
    },
  },
  store,
);
const { socket } = client;
socket.ev.on("creds.update", () => keys.saveCreds(store.creds));

const waiting = new Map<string, (node: BinaryNode) => void>();
socket.ws.on("CB:ack,class:message", (node: BinaryNode) => waiting.get(node.attrs.id ?? "")?.(node));

async function openKeys() {
  const taken = await acquireConnection(database.db, connectionId, randomUUID(), "resend");
  const secrets = createSecrets(randomBytes(32).toString("base64"));
  const onFenceLost = () => log.error("fence lost");
  return new DeviceKeys({ database, secrets, log, connectionId, fence: taken?.fence ?? 0, onFenceLost });
}

async function addressOf(number: string): Promise<string> {
  const known = await database.prepared<{ jid: string }>(
    "bare_address",
    "select jid from wa_address where phone = $1::bigint and checked_at > now() - interval '7 days'",
    [number],
  );
  if (known.rows[0]) return known.rows[0].jid;
  const [found] = (await socket.onWhatsApp(number)) ?? [];
  if (!found?.exists) throw new Error(`${number} is not on WhatsApp`);
  await database.prepared(
    "bare_remember",
    "insert into wa_address (phone, jid, checked_at) values ($1::bigint, $2, now())",
    [number, found.jid],
  );
  return found.jid;
}

async function sendOne(number: string, text: string): Promise<void> {
  const jid = await addressOf(number);
  const messageId = generateMessageIDV2(socket.user?.id);
  const answer = new Promise<BinaryNode>((resolve) => {
    waiting.set(messageId, resolve);
  });
  await socket.sendMessage(jid, { text }, { messageId });
  const { attrs } = await answer;
  waiting.delete(messageId);
  if (attrs.error) throw new Error(`refused with ${attrs.error}`);
}

serveWorker(
  async ({ people, firstPhone, text }: DeviceRequest): Promise<DeviceAnswer> => {
    const start = performance.now();
    const used = process.cpuUsage();
    for (let seq = 0; seq < people; seq++)
      await sendOne(String(firstPhone + seq), text.replace("{nome}", `Pessoa ${seq}`));
    const { user, system } = process.cpuUsage(used);
    return { phone, seconds: (performance.now() - start) / 1000, cpuS: (user + system) / 1e6 };
  },
  async () => {
    await keys.close();
    client.end();
    await database.close();
  },
);
