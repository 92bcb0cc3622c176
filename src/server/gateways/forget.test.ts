import { sql } from "kysely";
import { expect, onTestFinished, test } from "vitest";
import { startEvolution } from "../../../simulators/evolution/evolution.ts";
import { testDatabase, testLog } from "../../../tests/support/database.ts";
import { acquireConnection, laneHost } from "../../../tests/support/lane-host.ts";
import { makeInstance, SECRETS } from "../../../tests/webhooks/lab.ts";
import { systemClock } from "../base/clock.ts";
import { ConnectionService } from "../connections/service.ts";
import { ownerOf } from "../db/owner.ts";
import { readPrivateHosts } from "../net/addresses.ts";
import { openGuardedFetch } from "../net/guarded-fetch.ts";
import { openInstance } from "../transports/gateway/instance.ts";
import { apiKeyPlace, instanceAccess } from "./access.ts";
import { forgetGateway } from "./forget.ts";
import { storeInstance } from "./take-in.ts";

const { db } = await testDatabase();
const unused = async () => {
  throw new Error("not used here");
};
const connections = new ConnectionService({
  changes: { mark: () => undefined },
  files: { uploadFrom: unused, kindOf: unused },
  outbox: { wait: unused },
  answerMs: 0,
  ownerMs: 0,
});

test("an instance that is taken into use while its server is forgotten goes with it", async () => {
  const { accountId, gatewayId } = await makeInstance(db);
  const owner = ownerOf(db, accountId);
  const row = {
    gatewayId,
    gatewayUrl: "http://127.0.0.1:1",
    name: "recém-chegada",
    integration: "WHATSAPP-BAILEYS",
    number: null,
    hookId: "x".repeat(32),
    hookState: "unset" as const,
    relayUrl: null,
  };
  let others = 1;
  const forget: typeof connections.forget = async (...asked) => {
    if (others-- > 0)
      await storeInstance(SECRETS, owner, row, { token: null, hookSecret: "s" }, "instance_added");
    return connections.forget(...asked);
  };
  const deps = { secrets: SECRETS, reach: () => expect.unreachable(), log: testLog, connections: { forget } };
  await forgetGateway(deps, owner, gatewayId);
  const left = async (table: string) =>
    (await sql`select 1 from ${sql.table(table)} where account_id = ${accountId}::uuid`.execute(db)).rows
      .length;
  expect({
    gateways: await left("gateway"),
    instances: await left("instance"),
    connections: await left("connection"),
  }).toEqual({ gateways: 0, instances: 0, connections: 0 });
});

test("an instance of a deleted account stays at its server, also where a lane has it before its connection is taken away", async () => {
  const server = await startEvolution();
  onTestFinished(() => server.close());
  const guardedFetch = openGuardedFetch({ privateHosts: readPrivateHosts("127.0.0.1") });
  onTestFinished(() => guardedFetch.close());
  const { accountId, connectionId, gatewayId, name } = await makeInstance(db);
  const headers = { apikey: server.apiKey, "content-type": "application/json" };
  const body = JSON.stringify({ instanceName: name, integration: "WHATSAPP-BAILEYS", qrcode: true });
  await fetch(`${server.url}/instance/create`, { method: "POST", headers, body });
  await sql`update gateway set url = ${server.url}, api_key = ${SECRETS.seal(server.apiKey, apiKeyPlace(gatewayId))}
    where id = ${gatewayId}`.execute(db);
  await sql`update account set removed_at = now() where id = ${accountId}::uuid`.execute(db);
  await sql`update connection set desired = 'removed' where id = ${connectionId}`.execute(db);
  const there = async () => {
    const answer = await fetch(`${server.url}/instance/fetchInstances`, { headers });
    return ((await answer.json()) as { name: string }[]).map((one) => one.name);
  };
  expect(await there()).toEqual([name]);

  const connection = { accountId, connectionId, deviceId: name };
  const transport = await openInstance({
    db,
    guardedFetch,
    clock: systemClock,
    random: () => 0,
    log: testLog,
    access: instanceAccess(db, SECRETS),
    noteProfile: async () => undefined,
  })(laneHost(db, connection, await acquireConnection(db, connectionId)));
  await transport.remove?.();
  await transport.close();
  expect(await there()).toEqual([name]);
});
