import { sql } from "kysely";
import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import { startEvolution } from "../../../simulators/evolution/evolution.ts";
import { callThere, webhookOf } from "../../../tests/support/calls-there.ts";
import { testDatabase, testLog } from "../../../tests/support/database.ts";
import {
  type ErrorAnswer,
  gatewaysFeature,
  newInstance,
  TEST_SECRETS,
} from "../../../tests/support/gateways-feature.ts";
import { openServices } from "../../../tests/support/open-services.ts";
import type { Gateway, Instance } from "../../contract/gateways.ts";
import { setServiceOpen } from "../db/operator-services.ts";
import { ownerOf } from "../db/owner.ts";
import { instanceAccess } from "./access.ts";
import { assignInstance } from "./assign.ts";
import { reachBy } from "./server.ts";

const database = await testDatabase();
const { db } = database;
const apiKey = "chave-do-operador-4711";
const server = await startEvolution({ apiKey });
afterAll(() => server.close());
const provided = { name: "Servidor da casa", url: server.url, apiKey };
const feature = await gatewaysFeature(database, { gateways: [provided] });
await callThere(server, "POST", "/instance/create", {
  instanceName: "do-operador",
  token: "tok-op",
  integration: "WHATSAPP-BAILEYS",
});

async function personAt(at: typeof feature = feature) {
  const who = await at.person();
  const { body } = await who.call<{ gateways: Gateway[] }>("GET", "/api/gateways");
  const [gateway] = body.gateways;
  return { ...who, gateway, path: `/api/gateways/${gateway?.id}/instances` };
}

test("everyone sees its address but not its key; no one changes or deletes it @decision 4", async () => {
  const ana = await personAt();
  expect(ana.gateway).toMatchObject({
    name: "Servidor da casa",
    url: server.url,
    provided: true,
    withdrawn: false,
    keyHint: null,
    instances: 0,
  });
  const path = `/api/gateways/${ana.gateway?.id}`;
  for (const [method, body] of [
    ["PATCH", { name: "Meu" }],
    ["DELETE", undefined],
  ] as const)
    expect(await ana.call(method, path, body)).toMatchObject({
      status: 409,
      body: { code: "gateway_provided" },
    });
  expect((await ana.call<Gateway>("POST", `${path}/test`)).body.check).toMatchObject({
    state: "ok",
    reachesUs: "yes",
  });
});

test("an account sees only the instances it created there @decision 4", async () => {
  const [ana, bruno] = [await personAt(), await personAt()];
  const names = async (who: typeof ana) =>
    (await who.call<{ instances: Instance[] }>("GET", who.path)).body.instances.map(({ name }) => name);
  expect((await ana.call("POST", ana.path, newInstance({ instanceName: "da-ana" }))).status).toBe(201);
  expect((await bruno.call("POST", bruno.path, newInstance({ instanceName: "do-bruno" }))).status).toBe(201);
  expect(await names(ana)).toEqual(["da-ana"]);
  expect(await names(bruno)).toEqual(["do-bruno"]);

  const missing = await ana.call("DELETE", `${ana.path}/nenhuma`);
  for (const name of ["do-bruno", "do-operador"]) {
    for (const [method, rest, body] of [
      ["DELETE", "", undefined],
      ["POST", "/adopt", undefined],
      ["GET", "/picture", undefined],
      ["GET", "/oddities", undefined],
      ["PUT", "/webhook", { url: "https://x.br" }],
    ] as const)
      expect(await ana.call(method, `${ana.path}/${name}${rest}`, body)).toMatchObject({
        status: 404,
        body: missing.body,
      });
  }
  expect(server.world.instances().toSorted()).toEqual(["da-ana", "do-bruno", "do-operador"]);
  expect(feature.seen.join("\n")).not.toContain(apiKey);
});

test("an instance that could not be stored here is removed there again", async () => {
  const { call, path } = await personAt();
  const { db } = database;
  await sql`create function refuse() returns trigger language plpgsql as $$ begin raise exception 'on purpose'; end $$`.execute(
    db,
  );
  await sql`create trigger refuse before insert on instance for each row execute function refuse()`.execute(
    db,
  );
  const before = server.world.instances();
  expect((await call("POST", path, newInstance({ instanceName: "de-ninguem" }))).status).toBe(500);
  expect(server.world.instances()).toEqual(before);
  await sql`drop trigger refuse on instance`.execute(db);
  expect((await call("POST", path, newInstance({ instanceName: "de-ninguem" }))).status).toBe(201);
  await call("DELETE", `${path}/de-ninguem`);
});

test("the operator gives an account one of its instances: its webhook becomes ours, and only that account sees it @decision 4", async () => {
  const [ana, bruno] = [await personAt(), await personAt()];
  const deps = {
    secrets: TEST_SECRETS,
    log: testLog,
    reach: reachBy(feature.guardedFetch),
    guard: feature.guardedFetch,
  };
  const assign = (id: string, instance: string, gateway?: string) =>
    assignInstance(deps, ownerOf(database.db, id), { gateway, instance }).catch(
      (error: unknown) => `! ${(error as Error).message}`,
    );
  expect(await assign(ana.id, "nenhuma")).toBe("! Servidor da casa não tem uma instância de nome nenhuma.");
  expect(await assign(ana.id, "do-operador", "outro")).toContain(`! Diga qual servidor com --gateway`);
  expect(await assign(ana.id, "do-operador", "Servidor da casa")).toContain("agora é desta conta");
  expect(await assign(bruno.id, "do-operador", server.url)).toBe("! Esta instância já está em uso.");
  const list = await ana.instances(ana.gateway?.id ?? 0);
  expect(list.body.instances).toMatchObject([{ name: "do-operador", hook: "ours" }]);
  expect((await bruno.instances(bruno.gateway?.id ?? 0)).body.instances).toEqual([]);
});

test("an account's test sets only its own webhooks at a shared server", async () => {
  const [ana, bruno] = [await personAt(), await personAt()];
  await ana.call("POST", ana.path, newInstance({ instanceName: "gancho-ana" }));
  await bruno.call("POST", bruno.path, newInstance({ instanceName: "gancho-bruno" }));
  await sql`update instance set hook_state = 'failed'`.execute(database.db);
  const states = async () =>
    (
      await sql<{ name: string; hook_state: string }>`
        select name, hook_state from instance where name like 'gancho-%' order by name`.execute(database.db)
    ).rows.map(({ hook_state }) => hook_state);
  expect((await ana.call("POST", `/api/gateways/${ana.gateway?.id}/test`)).status).toBe(200);
  expect(await states()).toEqual(["ours", "failed"]);
  await feature.gateways.setMissingHooks();
  expect(await states()).toEqual(["ours", "ours"]);
});

test("an account may test a server twenty times in ten minutes, without limiting others", async () => {
  const [ana, bruno] = [await personAt(), await personAt()];
  const path = `/api/gateways/${ana.gateway?.id}/test`;
  const answers = await Promise.all(Array.from({ length: 25 }, () => ana.call<ErrorAnswer>("POST", path)));
  const refused = answers.filter(({ status }) => status !== 200);
  expect(refused).toHaveLength(5);
  expect(refused[0]).toMatchObject({
    status: 429,
    body: { code: "too_many_requests", error: "Muitas tentativas. Aguarde um pouco e tente novamente." },
  });
  expect(Number(refused[0]?.headers.get("retry-after"))).toBeGreaterThan(0);
  const typed = { name: "", url: "http://127.0.0.1:9", apiKey: "chave" };
  expect((await ana.call("POST", "/api/gateways", typed)).status).toBe(429);
  expect((await bruno.call("POST", path)).status).toBe(200);
  const own = await bruno.call<Gateway>("POST", "/api/gateways", typed);
  expect(own.status).toBe(201);
  const statuses = [];
  for (let change = 0; change < 19; change++)
    statuses.push((await bruno.call("PATCH", `/api/gateways/${own.body.id}`, { name: "Outra" })).status);
  expect(statuses).toEqual([...Array(18).fill(200), 429]);
});

test("removed from the environment, it stays visible only to accounts with instances there @spec 5.8", async () => {
  const at = await gatewaysFeature(database, { gateways: [provided] });
  const ana = await personAt(at);
  await ana.call("POST", ana.path, newInstance({ instanceName: "fica" }));
  const later = await gatewaysFeature(database, { gateways: [] });
  const bruno = await personAt(later);
  expect(bruno.gateway).toBeUndefined();
  const { body } = await ana.call<{ gateways: Gateway[] }>("GET", "/api/gateways");
  expect(body.gateways).toMatchObject([{ withdrawn: true, instances: 1 }]);
  expect(await ana.call("POST", ana.path, newInstance({ instanceName: "nova" }))).toMatchObject({
    status: 409,
    body: { error: "Selecione uma evolution válida." },
  });
  expect((await ana.instances(ana.gateway?.id ?? 0)).body.instances).toMatchObject([{ name: "fica" }]);
  expect(await ana.call("POST", `/api/gateways/${ana.gateway?.id}/test`)).toMatchObject({
    status: 409,
    body: { code: "gateway_withdrawn" },
  });
  await sql`update instance set hook_state = 'failed' where name = 'fica'`.execute(database.db);
  const before = await webhookOf(server, "fica");
  expect((await ana.call("PUT", `${ana.path}/fica/webhook`, { url: "https://meu.br/w" })).status).toBe(200);
  expect(await webhookOf(server, "fica")).toEqual(before);
  const deps = {
    secrets: TEST_SECRETS,
    log: testLog,
    reach: reachBy(feature.guardedFetch),
    guard: feature.guardedFetch,
  };
  const wanted = { gateway: undefined, instance: "do-operador" };
  await expect(assignInstance(deps, ownerOf(database.db, ana.id), wanted)).rejects.toThrow(
    "Nenhum servidor foi fornecido",
  );
  expect((await ana.call("DELETE", `${ana.path}/fica`)).status).toBe(200);
  expect(server.world.instances()).toContain("fica");
  const back = await personAt(
    await gatewaysFeature(database, { gateways: [{ ...provided, name: "De volta" }] }),
  );
  expect(back.gateway).toMatchObject({ name: "De volta", withdrawn: false });
});

describe("27.8 the operator's own address", () => {
  test("is reached without an entry that others could use: the same address typed by an account is refused", async () => {
    const closed = await gatewaysFeature(database, { gateways: [provided] }, 50, "");
    const ana = await personAt(closed);
    const test = await ana.call<Gateway>("POST", `/api/gateways/${ana.gateway?.id}/test`);
    expect(test.body.check).toMatchObject({ state: "ok", reachesUs: "yes" });
    expect((await ana.call("POST", ana.path, newInstance({ instanceName: "interna" }))).status).toBe(201);
    await ana.call("DELETE", `${ana.path}/interna`);
    const own = { name: "Minha", url: server.url, apiKey };
    expect(await ana.call("POST", "/api/gateways", own)).toMatchObject({ body: { code: "url_forbidden" } });
  });

  test("never calls a person's webhook: refused in words where it does not reach us", async () => {
    const who = await personAt();
    const gatewayId = who.gateway?.id;
    await sql`update gateway set reaches_us = 'no' where id = ${gatewayId}`.execute(database.db);
    const webhook = "https://meu.br/w";
    const words = expect.stringContaining("não consegue chamar o Recado");
    const made = newInstance({ instanceName: "sem-volta", webhook });
    expect(await who.call("POST", who.path, made)).toMatchObject({
      status: 422,
      body: { fields: { webhook: words } },
    });
    expect((await who.call("POST", who.path, { ...made, webhook: "" })).status).toBe(201);
    expect(await who.call("PUT", `${who.path}/sem-volta/webhook`, { url: webhook })).toMatchObject({
      status: 422,
      body: { fields: { url: words } },
    });
    expect((await webhookOf(server, "sem-volta")).url).toContain("/hooks/evolution/");
  });

  test("one that an earlier version set there as typed is replaced by ours at the next start", async () => {
    const who = await personAt();
    await sql`update gateway set reaches_us = 'yes' where id = ${who.gateway?.id}`.execute(database.db);
    await who.call("POST", who.path, newInstance({ instanceName: "de-antes", webhook: "https://meu.br/w" }));
    await callThere(server, "POST", "/webhook/set/de-antes", {
      webhook: { enabled: true, url: "http://10.0.0.5:9200/_bulk", events: ["MESSAGES_UPSERT"] },
    });
    await sql`update gateway set reaches_us = 'no' where id = ${who.gateway?.id}`.execute(database.db);
    await sql`update instance set hook_state = 'literal', relay_url = 'http://10.0.0.5:9200/_bulk'
      where name = 'de-antes'`.execute(database.db);
    await feature.gateways.setMissingHooks();
    expect((await webhookOf(server, "de-antes")).url).toContain("/hooks/evolution/");
    const { rows } = await sql`select hook_state from instance where name = 'de-antes'`.execute(database.db);
    expect(rows).toEqual([{ hook_state: "ours" }]);
  });
});

test("27.6 a server that is not open to the account is not there: no address, no instance, and words for why", async () => {
  const ana = await personAt();
  expect((await ana.call("POST", ana.path, newInstance({ instanceName: "aberta-antes" }))).status).toBe(201);
  await openServices(db, { gateways: "named" });
  onTestFinished(() => openServices(db));
  const bia = await feature.person();
  const list = async (who: typeof bia) =>
    (await who.call<{ gateways: Gateway[]; providedClosed: boolean }>("GET", "/api/gateways")).body;
  expect(await list(bia)).toEqual({ gateways: [], providedClosed: true });
  for (const [method, rest, body] of [
    ["GET", "", undefined],
    ["POST", "", newInstance({ instanceName: "escondida" })],
  ] as const)
    expect(await bia.call(method, `${ana.path}${rest}`, body)).toMatchObject({ status: 404 });
  expect(server.world.instances()).not.toContain("escondida");

  expect(await list(ana)).toMatchObject({
    gateways: [{ url: "", withdrawn: true, check: null, instances: 1 }],
  });
  const row = await sql<{
    id: number;
  }>`select connection_id as id from instance where name = 'aberta-antes'`.execute(db);
  const access = instanceAccess(db, TEST_SECRETS);
  expect(await access(row.rows[0]?.id ?? 0)).toBeNull();
  expect(await ana.call("POST", ana.path, newInstance({ instanceName: "mais-uma" }))).toMatchObject({
    status: 409,
    body: { code: "gateway_withdrawn" },
  });
  await setServiceOpen(ownerOf(db, ana.id), "gateways", true);
  expect(await list(ana)).toMatchObject({
    gateways: [{ url: server.url, withdrawn: false }],
    providedClosed: false,
  });
  expect(await access(row.rows[0]?.id ?? 0)).toMatchObject({ baseUrl: server.url });
});
