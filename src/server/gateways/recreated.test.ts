import { sql } from "kysely";
import { expect, test } from "vitest";
import { callThere, madeThere, webhookOf } from "../../../tests/support/calls-there.ts";
import { testDatabase } from "../../../tests/support/database.ts";
import { gatewaysFeature, newInstance, TEST_SECRETS } from "../../../tests/support/gateways-feature.ts";
import type { Gateway, Instance } from "../../contract/gateways.ts";
import { instanceAccess } from "./access.ts";

const database = await testDatabase();
const { db } = database;
const feature = await gatewaysFeature(database);
const { owner, evolution } = feature;

const keyOf = async ({ connectionId }: Instance) =>
  (await instanceAccess(db, TEST_SECRETS)(connectionId ?? 0))?.apiKey;

const refused = ({ connectionId }: Instance) =>
  sql`update connection set state = 'disconnected', state_reason = 'wrong_key' where id = ${connectionId}`.execute(
    db,
  );

test("a server at a new address gets only its own key, and our webhook again", async () => {
  const { id, call, create } = await owner({ apiKey: "chave-antiga" });
  const { body: made } = await create();
  expect(await keyOf(made)).toBe("segredo-da-loja");
  await sql`update instance set state_stamp = '2099-01-01', qr_stamp = '2099-01-01' where connection_id = ${made.connectionId}`.execute(
    db,
  );
  const moved = await evolution({ apiKey: "chave-nova" });
  await madeThere(moved, "loja", { token: "outro-segredo" });
  const { body } = await call<Gateway>("PATCH", `/api/gateways/${id}`, {
    url: moved.url,
    apiKey: "chave-nova",
  });
  expect(body.check).toMatchObject({ state: "ok", reachesUs: "yes" });
  expect(await keyOf(made)).toBe("chave-nova");
  const { rows } =
    await sql`select state_stamp, qr_stamp from instance where connection_id = ${made.connectionId}`.execute(
      db,
    );
  expect(rows).toEqual([{ state_stamp: null, qr_stamp: null }]);
  expect((await webhookOf(moved, "loja")).url).toContain(`${feature.url}/hooks/evolution/`);
});

test("a server does not move to where another account has an instance of the same name, and hears why", async () => {
  const ana = await owner({ apiKey: "chave-antiga" });
  await ana.create();
  const bruno = await owner({ apiKey: "chave-nova" });
  await bruno.create();
  const change = { url: bruno.server.url, apiKey: "chave-nova" };
  const moved = await ana.call("PATCH", `/api/gateways/${ana.id}`, change);
  expect(moved).toMatchObject({ status: 409, body: { code: "instance_taken" } });
  expect((await ana.call<{ gateways: Gateway[] }>("GET", "/api/gateways")).body.gateways).toMatchObject([
    { url: ana.server.url },
  ]);
});

test("a server whose name or key alone changes keeps what its instances have", async () => {
  const { id, server, call, create, instances } = await owner();
  const { body: made } = await create();
  await call("PATCH", `/api/gateways/${id}`, { name: "Filial", apiKey: server.apiKey });
  expect(await keyOf(made)).toBe("segredo-da-loja");
  expect((await instances(id)).body.instances).toMatchObject([{ hook: "ours" }]);
});

test("a recreated instance is accessed with the server's key and gets our webhook", async () => {
  const { id, server, create, instances } = await owner();
  const { body: made } = await create();
  await callThere(server, "DELETE", "/instance/delete/loja");
  await expect.poll(() => server.world.instances()).toEqual([]);
  await madeThere(server, "loja", { token: "outro-segredo" });
  await refused(made);
  expect((await instances(id)).body.instances).toMatchObject([{ name: "loja", cause: "wrong_key" }]);
  expect(await keyOf(made)).toBe(server.apiKey);
  await feature.gateways.setMissingHooks();
  expect((await webhookOf(server, "loja")).url).toContain(`${feature.url}/hooks/evolution/`);
});

test("the operator's key does not open an instance that refuses us, as it may be another account's", async () => {
  const provided = await evolution({ apiKey: "chave-do-operador" });
  const operated = await gatewaysFeature(database, {
    gateways: [{ name: "Da casa", url: provided.url, apiKey: "chave-do-operador" }],
  });
  const ana = await operated.person();
  const { body } = await ana.call<{ gateways: Gateway[] }>("GET", "/api/gateways");
  const id = body.gateways.find(({ url }) => url === provided.url)?.id ?? 0;
  const { body: made } = await ana.call<Instance>("POST", `/api/gateways/${id}/instances`, newInstance());
  await refused(made);
  await ana.instances(id);
  expect(await keyOf(made)).toBe("segredo-da-loja");
});

test("26.22 a token that its server takes again is kept, and so is our webhook", async () => {
  const { id, create, instances } = await owner();
  const { body: made } = await create();
  await refused(made);
  expect((await instances(id)).body.instances).toMatchObject([{ name: "loja", hook: "ours" }]);
  expect(await keyOf(made)).toBe("segredo-da-loja");
});
