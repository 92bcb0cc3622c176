import { sql } from "kysely";
import { expect, test } from "vitest";
import { testDatabase, testLog } from "../../../tests/support/database.ts";
import { makeInstance, SECRETS } from "../../../tests/webhooks/lab.ts";
import type { WantedWebhook } from "../transports/gateway/evolution-requests.ts";
import type { StoredWebhook } from "../transports/gateway/shapes.ts";
import { tokenPlace } from "./access.ts";
import { type HookDeps, noticeHook, ourWebhook, setHook } from "./hook.ts";

const { db } = await testDatabase();

test("a webhook that is set while the gateway tells of the one before is not said to have lost its place", async () => {
  const { connectionId } = await makeInstance(db);
  const store = (state: string) =>
    sql`update instance set hook_state = ${state} where connection_id = ${connectionId}`.execute(db);
  const find =
    (url: string, concurrent = "ours") =>
    async () => {
      await store(concurrent);
      return { url, enabled: true, headers: {}, events: [], byEvents: false, base64: true };
    };
  await store("taken");
  expect(await noticeHook(db, connectionId, find("https://other.example/hook"))).toBe(false);
  expect(await noticeHook(db, connectionId, find("https://other.example/hook"))).toBe(true);
  await store("ours");
  expect(await noticeHook(db, connectionId, find("https://other.example/hook", "literal"))).toBe(false);
  const { rows } = await sql`select hook_state from instance where connection_id = ${connectionId}`.execute(
    db,
  );
  expect(rows).toEqual([{ hook_state: "literal" }]);
});

test("a webhook at our address with missing events or without its secret is set again", async () => {
  const { connectionId, hookId } = await makeInstance(db);
  const whole: StoredWebhook = {
    ...ourWebhook("https://recado.example", hookId, "secret"),
    events: ["MESSAGES_UPSERT", ...ourWebhook("", "", "").events, "CALL"],
    byEvents: false,
    base64: true,
  };
  const noticed = async (change: Partial<StoredWebhook>) => {
    await sql`update instance set hook_state = 'ours' where connection_id = ${connectionId}`.execute(db);
    const changed = await noticeHook(db, connectionId, async () => ({ ...whole, ...change }));
    const { rows } = await sql<{ unset: boolean }>`
      select hook_state = 'unset' as unset from instance where connection_id = ${connectionId}`.execute(db);
    expect(changed).toBe(rows[0]?.unset);
    return changed;
  };
  expect(await noticed({})).toBe(false);
  expect(await noticed({ events: [], headers: {} })).toBe(false);
  expect(await noticed({ events: ["MESSAGES_UPSERT"] })).toBe(true);
  expect(await noticed({ byEvents: true })).toBe(true);
  expect(await noticed({ base64: false })).toBe(true);
  expect(await noticed({ headers: { "x-a": "b" } })).toBe(true);
});

test("an address that is wanted while the one before is on its way to the gateway stands there in the end", async () => {
  const { connectionId, gatewayId } = await makeInstance(db, { relayUrl: "https://one.example/" });
  await sql`update gateway set reaches_us = 'no' where id = ${gatewayId}`.execute(db);
  const token = SECRETS.seal("token", tokenPlace(connectionId));
  await sql`update instance set token = ${token} where connection_id = ${connectionId}`.execute(db);
  const set: string[] = [];
  const client = {
    findWebhook: async () => null,
    setWebhook: async (_: string, { url }: WantedWebhook) => {
      set.push(url);
      await sql`update instance set relay_url = 'https://two.example/' where connection_id = ${connectionId}`.execute(
        db,
      );
    },
  };
  const reach = (() => client) as unknown as HookDeps["reach"];
  const guard = { checkResolved: async () => undefined };
  await setHook({ secrets: SECRETS, reach, guard, log: testLog, webhookUrl: "" }, db, connectionId);
  expect(set).toEqual(["https://one.example/", "https://two.example/"]);
});
