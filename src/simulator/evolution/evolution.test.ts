import http from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type Evolution, startEvolution } from "./evolution.ts";

let gateway: Evolution;
let receiver: http.Server;
let hook: string;
let posted: { event: string; data: never; apikey: string }[];

beforeEach(async () => {
  posted = [];
  receiver = http.createServer(async (request, response) => {
    const chunks = await request.toArray();
    posted.push(JSON.parse(Buffer.concat(chunks).toString()));
    response.end();
  });
  await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve));
  hook = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;
  gateway = await startEvolution();
});

afterEach(async () => {
  await gateway.close();
  receiver.close();
  receiver.closeAllConnections();
});

async function call(method: string, path: string, body?: unknown) {
  const response = await fetch(gateway.url + path, {
    method,
    headers: { apikey: gateway.apiKey, "content-type": "application/json" },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  return { status: response.status, body: (await response.json()) as never };
}

test("an instance is made, linked, sends, and hears what people answer", async () => {
  const webhook = { enabled: true, url: hook, events: [], byEvents: false, base64: true };
  const made = await call("POST", "/instance/create", {
    instanceName: "loja",
    integration: "WHATSAPP-BAILEYS",
    qrcode: true,
    webhook,
  });
  expect(made).toMatchObject({
    status: 201,
    body: { qrcode: { count: 1 }, instance: { status: "connecting" } },
  });
  await gateway.world.scan("loja", { phone: "5511900000001" });
  const sent = await call("POST", "/message/sendText/loja", { number: "5531987654321", text: "oi" });
  expect(sent).toMatchObject({ status: 201, body: { key: { remoteJid: "553187654321@s.whatsapp.net" } } });
  gateway.world.reply("loja", "5531987654321", "quero");
  await gateway.world.idle();
  // Each is posted by itself, so they arrive in any order.
  expect(posted.map(({ event }) => event).sort()).toEqual([
    "chats.update",
    "connection.update",
    "connection.update",
    "connection.update",
    "contacts.update",
    "contacts.upsert",
    "instance.create",
    "messages.update",
    "messages.upsert",
    "qrcode.updated",
    "send.message",
  ]);
  expect(gateway.world.accepted).toMatchObject([{ phone: "5531987654321", text: "oi", fault: null }]);
});
