import { afterAll, expect, test } from "vitest";
import { startLocalSimulator } from "../../simulators/whatsapp/local.ts";
import { createApiKey } from "../../src/server/accounts/administration.ts";
import { systemClock } from "../../src/server/base/clock.ts";
import { ownerOf } from "../../src/server/db/owner.ts";
import { testDatabase } from "../support/database.ts";
import { startProduct } from "../support/server.ts";

const { db, url: databaseUrl } = await testDatabase();
const simulator = await startLocalSimulator();
const product = await startProduct({
  databaseUrl,
  preload: ["simulators/whatsapp/preload.ts"],
  env: { RECADO_SIMULATOR: simulator.controlUrl },
});
afterAll(async () => {
  await product.close();
  await simulator.stop();
});

async function newProgram(email: string) {
  const password = "girassol no quintal";
  const body = { name: "Loja", email, password, confirmPassword: password, acceptTerms: true };
  const made = await product.fetch("/api/signup", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  const { id } = (await made.json()) as { id: string };
  const { key } = await createApiKey(ownerOf(db, id), { name: "Loja", days: null }, systemClock);
  const call = async (method: string, path: string, sent?: unknown) => {
    const answer = await product.fetch(`/api/whatsapp/${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      ...(sent === undefined ? {} : { body: JSON.stringify(sent) }),
    });
    return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
  };
  return { id, key, call };
}

test("a program with a key connects a number, sends once WhatsApp has acknowledged, and ends, by the specification's table @spec 1.4,3.8,3.15,3.17,7.17,7.18,7.19,7.20,7.21,7.25 @decision 16,18,19", async () => {
  const { id, call } = await newProgram("loja@exemplo.com.br");
  const deviceId = "5531907773055";
  const scanned = async () => (await call("GET", `status/${deviceId}`)).body.status;

  expect(await call("GET", "devices")).toEqual({ status: 200, body: { devices: [] } });
  expect((await call("GET", `qr/${deviceId}`)).status).toBe(404);
  const started = await call("POST", "connect", { userId: id, deviceId, connectionName: "Vendas" });
  expect(started).toEqual({
    status: 200,
    body: { status: expect.stringMatching(/^(connecting|pending)$/), deviceId },
  });

  let qr = "";
  await expect
    .poll(
      async () => {
        const { status, body } = await call("GET", `qr/${deviceId}`);
        if (status === 200) qr = String(body.qr);
        else expect([status, body.code]).toEqual([404, "qr_not_ready"]);
        return status;
      },
      { interval: 100 },
    )
    .toBe(200);
  expect(await scanned()).toBe("pending");
  await simulator.control.scan({ qr, phone: deviceId });
  await expect.poll(scanned, { interval: 100 }).toBe("connected");
  expect((await call("GET", `qr/${deviceId}`)).status).toBe(404);
  expect((await call("GET", "devices")).body).toMatchObject({
    devices: [{ deviceId, connection_name: "Vendas" }],
  });

  // A receipt would prove as much, and arrive before the acknowledgement.
  await simulator.control.people({ settings: { deliversAfterMs: 60_000 } });
  await simulator.control.faults({ delayAcks: { ms: 2_000, count: 1 } });
  const message = { deviceId, number: "11 98765-4321", message: "Seu pedido saiu", imagemUrl: "" };
  const from = performance.now();
  expect(await call("POST", "send", message)).toMatchObject({
    status: 200,
    body: { success: true, status: "sent" },
  });
  expect(performance.now() - from).toBeGreaterThan(2_000);
  const { messages } = await simulator.control.messages({ to: "5511987654321" });
  expect(messages).toMatchObject([{ text: "Seu pedido saiu", shown: true }]);

  expect(await call("DELETE", `session/${deviceId}`)).toMatchObject({ status: 200, body: { success: true } });
  expect(await scanned()).toBe("disconnected");
  expect(await call("DELETE", `devices/${deviceId}`)).toEqual({ status: 200, body: { success: true } });
  expect((await call("GET", `status/${deviceId}`)).status).toBe(404);
});

test("another account's key sees nothing, its userId matches no account, and a key opens no screen", async () => {
  const [ana, bia] = [await newProgram("ana@exemplo.com.br"), await newProgram("bia@exemplo.com.br")];
  const deviceId = "5531907773056";
  await ana.call("POST", "connect", { deviceId });
  expect((await bia.call("GET", "devices")).body).toEqual({ devices: [] });
  expect((await bia.call("GET", `status/${deviceId}`)).status).toBe(404);
  expect((await bia.call("POST", "connect", { userId: ana.id, deviceId })).status).toBe(404);
  const screen = await product.fetch("/api/connections", { headers: { authorization: `Bearer ${ana.key}` } });
  expect(screen.status).toBe(403);
});
