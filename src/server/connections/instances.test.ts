import { sql } from "kysely";
import { afterAll, expect, test } from "vitest";
import { callThere, madeThere } from "../../../tests/support/calls-there.ts";
import { testDatabase } from "../../../tests/support/database.ts";
import {
  type ErrorAnswer,
  gatewaysFeature,
  newInstance,
  TEST_SECRETS,
} from "../../../tests/support/gateways-feature.ts";
import { makeCampaign } from "../../../tests/support/sending.ts";
import type { Connection } from "../../contract/connections.ts";
import { systemClock } from "../base/clock.ts";
import { findOutgoing } from "../files/repo.ts";
import { instanceAccess, noteProfile } from "../gateways/access.ts";
import { FairQueues } from "../jobs/fair-queue.ts";
import { loadMessageKey } from "../sending/ledger/message-key.ts";
import { LANE_TIMES } from "../sending/ledger/timing.ts";
import { openLanes } from "../sending/ownership/lanes.ts";
import { openInstance } from "../transports/gateway/instance.ts";

const database = await testDatabase();
const { db } = database;
const feature = await gatewaysFeature(database, {}, 60_000);
const { log, guardedFetch, changes } = feature;
const lanes = await openLanes({
  readFile: findOutgoing,
  queues: new FairQueues(systemClock),
  database: database.database,
  log,
  clock: systemClock,
  random: () => 0.5,
  resend: "same-id",
  open: {
    device: () => Promise.reject(new Error("no device here")),
    instance: openInstance({
      db,
      guardedFetch,
      log,
      clock: systemClock,
      random: () => 0.5,
      access: instanceAccess(db, TEST_SECRETS),
      noteProfile: noteProfile(db),
      timing: { steadyMs: 300, busyMs: 50, pokeMs: 20, backoffMs: [50] },
    }),
  },
  messages: async () => undefined,
  times: { ...LANE_TIMES, backoff: [20, 40], flush: 10, poll: 20, aside: 20 },
  messageKey: await loadMessageKey(db),
  mark: (accountId, topic, id) => changes.mark(accountId, topic, id),
});
afterAll(() => lanes.close(1_000));

async function owner() {
  const who = await feature.person();
  const server = await feature.evolution();
  const gateway = await who.register(server);
  const path = `/api/gateways/${gateway.id}/instances`;
  const connections = async () =>
    (await who.call<{ connections: Connection[] }>("GET", "/api/connections")).body.connections;
  const becomes = async (changes: Partial<Connection>, holds: (one: Connection) => boolean = () => true) => {
    let last: Connection | undefined;
    await expect
      .poll(
        async () => {
          last = (await connections())[0];
          return last && holds(last) ? last : null;
        },
        { timeout: 60_000, interval: 30 },
      )
      .toMatchObject(changes);
    return last as Connection;
  };
  return { ...who, account: who.id, server, path, becomes, connections };
}

const withCode = ({ qr }: Connection) => qr !== null;

test("QR and pairing code, connected, sending, Desconectar, Reconectar, padrão, Excluir @decision 18", async () => {
  const { account, call, server, path, becomes, connections } = await owner();
  await call("POST", path, newInstance());
  const waiting = await becomes({ state: "pending", kind: "instance", deviceId: "loja" }, withCode);
  expect(waiting.pairingCode).toMatch(/^\w{8}$/);
  const { body: code } = await call<{ qr: string }>("GET", "/api/whatsapp/qr/loja");
  expect(code.qr).toBe(waiting.qr);

  await server.world.scan("loja", { phone: "5511987654321", profileName: "Ótica Horizonte" });
  await becomes({ state: "connected", cause: null, qr: null });
  expect(await call("GET", "/api/whatsapp/status/loja")).toMatchObject({
    status: 200,
    body: { status: "connected" },
  });
  const sent = await call("POST", "/api/whatsapp/send", {
    deviceId: "loja",
    number: "31 98888-7777",
    message: "Olá",
  });
  expect(sent).toMatchObject({ status: 202, body: { success: false, status: "accepted" } });
  expect(server.world.accepted.filter(({ instance }) => instance === "loja")).toMatchObject([
    { instance: "loja", phone: "5531988887777", text: "Olá" },
  ]);
  expect(await call("POST", `/api/connections/${waiting.id}/default`)).toMatchObject({
    status: 200,
    body: { isDefault: true },
  });

  await server.world.goDown();
  const asked = performance.now();
  expect(await call("DELETE", "/api/whatsapp/session/loja")).toMatchObject({
    status: 200,
    body: { status: "connecting" },
  });
  expect(performance.now() - asked).toBeLessThan(45_000);
  await becomes({ state: "connecting", cause: "ending", desired: "disconnected" });
  expect(await call("POST", `/api/connections/${waiting.id}/reconnect`)).toMatchObject({
    body: { cause: null },
  });
  await server.world.comeBack();
  await becomes({ state: "connected", cause: null });

  const ended = await call("DELETE", "/api/whatsapp/session/loja");
  expect(ended).toMatchObject({ status: 200, body: { success: true, status: "disconnected" } });
  expect(server.world.state("loja")).toBe("close");
  expect(server.world.instances()).toEqual(["loja"]);
  await becomes({ state: "disconnected", desired: "disconnected", isDefault: true });

  await sql`update connection set state = 'disconnected', state_reason = 'license_required', desired = 'connected'
    where id = ${waiting.id}`.execute(db);
  server.world.license(true);
  expect(await call("DELETE", "/api/whatsapp/session/loja")).toMatchObject({
    status: 200,
    body: { status: "connecting" },
  });
  await becomes({ state: "connecting", cause: "ending", desired: "disconnected" });
  server.world.license(false);

  expect((await call("POST", `/api/connections/${waiting.id}/reconnect`)).status).toBe(200);
  const again = await becomes({ state: "pending", desired: "connected" }, withCode);
  expect(again.qr).not.toBe(waiting.qr);
  expect((await call("POST", `/api/connections/${waiting.id}/pairing-code`)).status).toBe(200);
  await server.world.scan("loja");
  await becomes({ state: "connected" });

  const campaign = await makeCampaign(db, account, { status: "paused", connectionId: waiting.id });
  expect((await call("DELETE", "/api/whatsapp/devices/loja")).status).toBe(200);
  expect(await connections()).toEqual([]);
  expect(server.world.instances()).toEqual([]);
  const { rows } =
    await sql`select c.pause_reason as cause, (select count(*)::int from connection where id = ${waiting.id}) as left
    from campaign c where c.id = ${campaign}`.execute(db);
  expect(rows).toEqual([{ cause: "connection_removed", left: 0 }]);
});

test("an instance without a number gets no code request and no WhatsApp refusal", async () => {
  const { call, server, path, becomes } = await owner();
  await madeThere(server, "sem-numero");
  await call("POST", `${path}/sem-numero/adopt`);
  const waiting = await becomes({ state: "pending" }, withCode);
  const asked = await call<ErrorAnswer>("POST", `/api/connections/${waiting.id}/pairing-code`);
  expect([asked.status, asked.body.code]).toEqual([409, "pairing_code_refused"]);
  expect(asked.body.error).toContain("O Recado não sabe o número desta instância");
  expect(await becomes({ state: "pending" }, withCode)).toMatchObject({ cause: null });
  expect((await call("DELETE", "/api/whatsapp/devices/sem-numero")).status).toBe(200);
});

test("an already open instance connects at once and stays open when its server is forgotten", async () => {
  const { call, server, path, becomes, connections } = await owner();
  const there = { instanceName: "antiga", token: "tok", integration: "WHATSAPP-BAILEYS", qrcode: true };
  await callThere(server, "POST", "/instance/create", there);
  await server.world.scan("antiga", { phone: "5511999990001" });
  await call("POST", `${path}/antiga/adopt`);
  await becomes({ state: "connected", deviceId: "antiga" });
  expect((await call("DELETE", path.replace("/instances", ""))).status).toBe(200);
  expect(await connections()).toEqual([]);
  await expect.poll(() => lanes.count().owned).toBe(0);
  expect(server.world.state("antiga")).toBe("open");
});

test("«Excluir» on the connection goes on where its server does not answer", async () => {
  const { call, server, path, becomes, connections } = await owner();
  await call("POST", path, newInstance());
  await becomes({ state: "pending" }, withCode);
  await server.world.goDown();
  expect(await call("DELETE", `${path}/loja`)).toMatchObject({ status: 424 });
  expect(await connections()).toHaveLength(1);
  expect((await call("DELETE", "/api/whatsapp/devices/loja")).status).toBe(200);
  expect(await connections()).toEqual([]);
});
