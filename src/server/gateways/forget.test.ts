import { sql } from "kysely";
import { expect, test } from "vitest";
import { testDatabase, testLog } from "../../../tests/support/database.ts";
import { makeInstance, SECRETS } from "../../../tests/webhooks/lab.ts";
import { connectionService } from "../connections/service.ts";
import { ownerOf } from "../db/owner.ts";
import { forgetGateway } from "./forget.ts";
import { storeInstance } from "./take-in.ts";

const { db } = await testDatabase();
const unused = async () => {
  throw new Error("not used here");
};
const connections = connectionService({
  changes: { mark: () => undefined },
  files: { uploadFrom: unused },
  outbox: { wait: unused, close: unused },
  answerMs: 0,
  ownerMs: 0,
});

test("an instance that is taken into use while its server is forgotten goes with it", async () => {
  const { accountId, gatewayId } = await makeInstance(db);
  const owner = ownerOf(db, accountId);
  const row = {
    ...{
      gatewayId,
      gatewayUrl: "http://127.0.0.1:1",
      name: "recém-chegada",
      integration: "WHATSAPP-BAILEYS",
    },
    ...{ number: null, hookId: "x".repeat(32), hookState: "unset" as const, relayUrl: null },
  };
  let others = 1;
  const forget: typeof connections.forget = async (...asked) => {
    // Whoever sits at another page adds it after the server's instances were listed.
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
