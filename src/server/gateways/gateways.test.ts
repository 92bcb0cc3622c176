import http from "node:http";
import type { AddressInfo } from "node:net";
import { sql } from "kysely";
import { afterAll, describe, expect, test } from "vitest";
import { madeThere } from "../../../tests/support/calls-there.ts";
import { testDatabase } from "../../../tests/support/database.ts";
import { gatewaysFeature } from "../../../tests/support/gateways-feature.ts";
import type { Gateway } from "../../contract/gateways.ts";

const database = await testDatabase();
const feature = await gatewaysFeature(database);
const { person, evolution, seen } = feature;

const web = http.createServer((_, response) => response.end("<h1>Loja</h1>"));
await new Promise<void>((resolve) => web.listen(0, "127.0.0.1", resolve));
const shop = `http://127.0.0.1:${(web.address() as AddressInfo).port}`;
afterAll(() => web.close());

describe("register", () => {
  test("a server is tested at once: version, key, and that its webhooks arrive here; nothing is left behind there", async () => {
    const ana = await person();
    const server = await evolution();
    const { status, body } = await ana.call<Gateway>("POST", "/api/gateways", {
      name: "  Matriz ",
      url: `${server.url}/manager/`,
      apiKey: ` ${server.apiKey} `,
    });
    expect(status).toBe(201);
    expect(body).toMatchObject({
      name: "Matriz",
      url: server.url,
      provided: false,
      keyHint: server.apiKey.length < 12 ? "" : server.apiKey.slice(-4),
      check: { state: "ok", version: "2.3.7", licenseUrl: null, reachesUs: "yes" },
    });
    expect(server.world.instances()).toEqual([]);
    const { body: listed } = await ana.call<{ gateways: Gateway[] }>("GET", "/api/gateways");
    expect(listed.gateways).toEqual([body]);
  });

  test("without a name it is called by its host; the same server twice is a conflict, for another account it is not", async () => {
    const [ana, bruno] = [await person(), await person()];
    const server = await evolution();
    expect((await ana.register(server)).name).toBe(new URL(server.url).host);
    const again = await ana.call("POST", "/api/gateways", { url: `${server.url}/`, apiKey: "k" });
    expect(again).toMatchObject({ status: 409, body: { code: "gateway_exists" } });
    expect((await bruno.register(server)).check?.state).toBe("ok");
  });

  test("a repeated request with its key returns the existing server; another key finds it taken", async () => {
    const ana = await person();
    const { url, apiKey } = await evolution();
    const ask = (idempotencyKey: string, more = {}) =>
      ana.call<Gateway & { code?: string }>("POST", "/api/gateways", {
        url,
        apiKey,
        idempotencyKey,
        ...more,
      });
    const [first, ...again] = [await ask("press"), ...(await Promise.all([ask("press"), ask("press")]))];
    expect(first.body).toMatchObject({ url, check: { state: "ok" } });
    for (const { status, body } of again) expect([status, body.id]).toEqual([201, first.body.id]);
    expect((await ask("other")).body.code).toBe("gateway_exists");
    expect((await ask("press", { name: "Filial" })).body.code).toBe("idempotency_mismatch");
    const { body } = await ana.call<{ gateways: Gateway[] }>("GET", "/api/gateways");
    expect(body.gateways.map(({ id }) => id)).toEqual([first.body.id]);
    await ana.call("DELETE", `/api/gateways/${first.body.id}`);
    expect((await ask("press")).status).toBe(404);
  });

  test("the newest server stands first @spec 7.10", async () => {
    const ana = await person();
    const made = [];
    for (const _ of [1, 2, 3]) made.unshift((await ana.register(await evolution())).id);
    const { body } = await ana.call<{ gateways: Gateway[] }>("GET", "/api/gateways");
    expect(body.gateways.map(({ id }) => id)).toEqual(made);
  });

  test("a wrong key, a server that is off, a licence that is missing, another website: kept, and said", async () => {
    const ana = await person();
    const stateOf = async (url: string, apiKey: string) =>
      (await ana.call<Gateway>("POST", "/api/gateways", { url, apiKey })).body.check;
    const server = await evolution();
    expect(await stateOf(server.url, "errada")).toMatchObject({ state: "wrong_key", version: "2.3.7" });
    const off = await evolution();
    await off.world.goDown();
    expect(await stateOf(off.url, off.apiKey)).toMatchObject({ state: "unreachable", version: null });
    const unlicensed = await evolution({ version: "2.4.0" });
    unlicensed.world.license(true);
    const license = await stateOf(unlicensed.url, unlicensed.apiKey);
    expect(license).toMatchObject({
      state: "license_required",
      licenseUrl: expect.stringMatching(/^https?:/),
    });
    expect(await stateOf(shop, "chave")).toMatchObject({ state: "not_evolution" });
  });

  test("addresses of the network inside, and what is no address, are refused before anything is stored", async () => {
    const ana = await person();
    const ask = (body: object) => ana.call<{ code: string; fields?: object }>("POST", "/api/gateways", body);
    for (const url of [
      "http://10.0.0.5:8080",
      "https://169.254.169.254",
      "http://localhost:8080",
      "http://[::1]",
    ]) {
      expect((await ask({ url, apiKey: "k" })).body.code).toBe("url_private");
    }
    expect((await ask({ url: "https://evo.example:5432", apiKey: "k" })).body.code).toBe("url_forbidden");
    for (const url of ["ftp://x.br", "https://a:b@evo.br", "https://evo.br/?a=1", "https://"]) {
      const { status, body } = await ask({ url, apiKey: "k" });
      expect([status, Object.keys(body.fields ?? {})]).toEqual([422, ["url"]]);
    }
    const { body } = await ask({ url: "", apiKey: " " });
    expect(body.fields).toEqual({ url: "Preencha este campo.", apiKey: "Preencha este campo." });
    expect((await ask({ url: shop, apiKey: "chave\ncom linha" })).status).toBe(422);
    expect((await ask({ url: shop, apiKey: "k", name: "a\0b" })).body.fields).toHaveProperty("name");
    expect((await ana.call<{ gateways: [] }>("GET", "/api/gateways")).body.gateways).toEqual([]);
  });
});

describe("test", () => {
  test("whose webhooks cannot arrive here is said; once they do it is said again", async () => {
    const elsewhere = await gatewaysFeature(database, { webhookUrl: "http://127.0.0.1:9", timeScale: 0.1 });
    const ana = await elsewhere.person();
    const server = await evolution();
    const gateway = await ana.register(server);
    expect(gateway.check).toMatchObject({ state: "ok", reachesUs: "no" });
    expect(server.world.instances()).toEqual([]);
    const answer = await fetch(`${feature.url}/api/gateways/${gateway.id}/test`, {
      method: "POST",
      headers: { "x-account": ana.id },
    });
    expect(((await answer.json()) as Gateway).check?.reachesUs).toBe("yes");
  });

  test("a server that makes no such instance leaves what is known as it is", async () => {
    const ana = await person();
    const server = await evolution();
    server.world.faults.next("create", "errorBefore");
    const gateway = await ana.register(server);
    expect(gateway.check).toMatchObject({ state: "ok", reachesUs: "unknown" });
    const tested = async () =>
      (await ana.call<Gateway>("POST", `/api/gateways/${gateway.id}/test`)).body.check;
    server.world.faults.next("sendText", "connectionClosed");
    expect(await tested()).toMatchObject({ state: "ok", reachesUs: "unknown" });
    expect(await tested()).toMatchObject({ state: "ok", reachesUs: "yes" });
    server.world.faults.next("sendText", "connectionClosed");
    expect(await tested()).toMatchObject({ state: "ok", reachesUs: "yes" });
    expect(server.world.instances()).toEqual([]);
  });

  test("what a test that was cut off has left there goes, what another one is about stays", async () => {
    const ana = await person();
    const before = await evolution({ now: () => Date.now() - 11 * 60_000 });
    await madeThere(before, "recado-teste-antigo", { integration: "EVOLUTION" });
    await ana.register(before);
    expect(before.world.instances()).toEqual([]);
    const now = await evolution();
    await madeThere(now, "recado-teste-agora", { integration: "EVOLUTION" });
    await ana.register(now);
    expect(now.world.instances()).toEqual(["recado-teste-agora"]);
  });

  test("only an event we asked for shows that a server reaches us", async () => {
    for (const secret of ["", "x", "1.99999999999999.abc.def"]) {
      const answer = await fetch(`${feature.url}/hooks/evolution/probe/arrived`, {
        method: "POST",
        headers: { "x-recado-secret": secret },
        body: "{}",
      });
      expect(answer.status).toBe(401);
    }
  });
});

describe("edit and delete", () => {
  test("an empty key keeps the stored one, but another address needs it again; what is left out stays", async () => {
    const ana = await person();
    const [server, other] = [await evolution(), await evolution()];
    const gateway = await ana.register(server);
    const change = (body: object) => ana.call<Gateway>("PATCH", `/api/gateways/${gateway.id}`, body);
    expect((await change({ name: "Filial", apiKey: "" })).body).toMatchObject({
      name: "Filial",
      check: { state: "ok" },
    });
    expect(await change({ url: other.url })).toMatchObject({
      status: 422,
      body: { fields: { apiKey: "O endereço mudou: informe a API Key de novo." } },
    });
    other.world.faults.next("create", "errorBefore");
    expect((await change({ url: other.url, apiKey: other.apiKey })).body).toMatchObject({
      name: "Filial",
      url: other.url,
      check: { state: "ok", reachesUs: "unknown" },
    });
    expect((await change({ name: "Matriz" })).body.check).toMatchObject({ state: "ok", reachesUs: "yes" });
    expect((await change({ apiKey: "errada" })).body).toMatchObject({
      name: "Matriz",
      url: other.url,
      check: { state: "wrong_key" },
    });
  });

  test("the account's activity says that another address or key is used, and not that a name is", async () => {
    const ana = await person();
    const [server, other] = [await evolution(), await evolution()];
    const { id } = await ana.register(server);
    const change = (body: object) => ana.call<Gateway>("PATCH", `/api/gateways/${id}`, body);
    await change({ name: "Filial", apiKey: server.apiKey });
    await change({ url: other.url, apiKey: other.apiKey });
    await change({ apiKey: "errada" });
    const { rows } = await sql`select kind, subject, details from audit_event
      where account_id = ${ana.id} and kind like 'gateway%' order by id`.execute(database.db);
    expect(rows).toEqual([
      expect.objectContaining({ kind: "gateway_created" }),
      { kind: "gateway_changed", subject: "Filial", details: { host: new URL(other.url).host } },
      { kind: "gateway_changed", subject: "Filial", details: null },
    ]);
  });

  test("a key that another window stores while a name is being saved stays", async () => {
    const ana = await person();
    const [asked, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    let slow = false;
    const server = http.createServer(async (_, response) => {
      if (slow) {
        asked.resolve();
        await held.promise;
      }
      response.end("<h1>Loja</h1>");
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const typed = { url, apiKey: "a-chave-de-antes-1111" };
    const gateway = (await ana.call<Gateway>("POST", "/api/gateways", typed)).body;
    const change = (body: object) => ana.call<Gateway>("PATCH", `/api/gateways/${gateway.id}`, body);
    slow = true;
    const named = change({ name: "Filial" });
    await asked.promise;
    slow = false;
    await change({ apiKey: "a-chave-de-agora-2222" });
    held.resolve();
    expect((await named).body).toMatchObject({ name: "Filial", keyHint: "2222" });
    server.close();
  });

  test("a forgotten server is gone, and another account's was never there @spec 7.10", async () => {
    const [ana, bruno] = [await person(), await person()];
    const gateway = await ana.register(await evolution());
    const path = `/api/gateways/${gateway.id}`;
    const missing = await bruno.call("DELETE", "/api/gateways/999999999");
    for (const [method, at] of [
      ["DELETE", path],
      ["POST", `${path}/test`],
      ["GET", `${path}/instances`],
    ] as const)
      expect(await bruno.call(method, at)).toMatchObject({ status: 404, body: missing.body });
    expect((await ana.call("DELETE", path)).status).toBe(200);
    expect((await ana.call("DELETE", path)).status).toBe(404);
  });
});

test("the key of a server is in no answer, no log line and no row @spec 3.6 @decision 3", async () => {
  const ana = await person();
  const apiKey = "canario-7f3a9c-nao-pode-aparecer";
  const server = await evolution({ apiKey });
  const gateway = await ana.register(server);
  await ana.instances(gateway.id);
  await ana.call("POST", `/api/gateways/${gateway.id}/test`);
  server.world.faults.next("fetchInstances", "errorBefore");
  await ana.instances(gateway.id);
  expect(gateway.keyHint).toBe("ecer");
  expect(seen.join("\n")).not.toContain(apiKey);
  const { rows } = await database.database.query<{ row: string }>("select g::text as row from gateway g");
  const stored = rows.map(({ row }) => row).join("\n");
  expect(stored).not.toContain(apiKey);
  expect(stored).not.toContain(Buffer.from(apiKey).toString("hex"));
});
