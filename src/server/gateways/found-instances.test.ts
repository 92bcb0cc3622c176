import { sql } from "kysely";
import { describe, expect, test } from "vitest";
import { callThere, madeThere, webhookOf } from "../../../tests/support/calls-there.ts";
import { testDatabase } from "../../../tests/support/database.ts";
import {
  type ErrorAnswer,
  gatewaysFeature,
  newInstance,
  TEST_SECRETS,
} from "../../../tests/support/gateways-feature.ts";
import type { Gateway, Instance } from "../../contract/gateways.ts";
import { instanceAccess } from "./access.ts";

const database = await testDatabase();
const { db } = database;
const feature = await gatewaysFeature(database);
const { person, owner } = feature;

describe("list", () => {
  test.each(["2.3.7", "1.8.2"])("%s: all that the own key opens, with what each is", async (version) => {
    const { id, server, instances, create } = await owner({ version });
    await madeThere(server, "antiga", { qrcode: true, number: "5511999990001" });
    await server.world.scan("antiga", {
      phone: "5511999990001",
      profileName: "Ótica Horizonte",
      picture: true,
    });
    await create();
    const { body } = await instances(id);
    expect(body.instances).toMatchObject([
      {
        name: "antiga",
        profileName: "Ótica Horizonte",
        number: "5511999990001",
        status: "open",
        hasPicture: true,
        connectionId: null,
        hook: "unset",
        integration: "WHATSAPP-BAILEYS",
      },
      { name: "loja", connectionId: expect.any(Number), status: "connecting" },
    ]);
    if (version === "2.3.7") expect(body.instances[0]?.createdAt).toMatch(/^20/);
  });

  test("a server that says no empties the list, and says why; the page's words are the specification's @spec 8.12", async () => {
    const { id, server, instances, call } = await owner();
    await call("PATCH", `/api/gateways/${id}`, { apiKey: "errada" });
    const { status, body } = await call<ErrorAnswer>("GET", `/api/gateways/${id}/instances`);
    expect([status, body.error]).toEqual([
      424,
      "Erro ao buscar instâncias. Verifique se a URL e API Key estão corretas.",
    ]);
    expect(body.details).toEqual({
      cause: "gateway_wrong_key",
      reason: "O gateway recusou a chave de API. Confira a chave.",
    });
    await call("PATCH", `/api/gateways/${id}`, { apiKey: server.apiKey });
    expect((await instances(id)).status).toBe(200);
  });

  test("what the list met is what is known of the server, until it answers again", async () => {
    const { id, server, call, instances } = await owner();
    const checked = async () => {
      const { body } = await call<{ gateways: Gateway[] }>("GET", "/api/gateways");
      return body.gateways.find((gateway) => gateway.id === id)?.check;
    };
    expect(await checked()).toMatchObject({ state: "ok", version: "2.3.7" });
    await server.world.goDown();
    expect((await instances(id)).status).toBe(424);
    expect(await checked()).toMatchObject({ state: "unreachable", version: "2.3.7" });
    await server.world.comeBack();
    server.world.license(true);
    expect((await instances(id)).status).toBe(424);
    expect(await checked()).toMatchObject({
      state: "license_required",
      licenseUrl: expect.stringMatching(/^http/),
    });
    server.world.license(false);
    expect((await instances(id)).status).toBe(200);
    expect(await checked()).toMatchObject({ state: "ok", licenseUrl: null });
    server.world.faults.next("fetchInstances", "errorBefore");
    expect((await instances(id)).status).toBe(424);
    expect(await checked()).toMatchObject({ state: "ok" });
  });

  test("26.25 L6 a server that was away is not said to have the version it had before", async () => {
    const { id, server, call, instances } = await owner();
    const versionOf = async () => {
      const { body } = await call<{ gateways: Gateway[] }>("GET", "/api/gateways");
      return body.gateways.find((gateway) => gateway.id === id)?.check?.version;
    };
    await sql`update gateway set version = '2.4.0', check_state = 'license_required' where id = ${id}`.execute(
      db,
    );
    expect((await instances(id)).status).toBe(200);
    expect(await versionOf()).toBe("2.3.7");
    await sql`update gateway set check_state = 'unreachable' where id = ${id}`.execute(db);
    server.world.faults.next("root", "errorBefore");
    expect((await instances(id)).status).toBe(200);
    expect(await versionOf()).toBeNull();
  });

  test("what a server says of people cannot break anything here", async () => {
    const { server, instances, id, path, call } = await owner();
    await madeThere(server, "antiga", { qrcode: true });
    await server.world.scan("antiga", { phone: "5511999990001", profileName: "a\0b\ud800" });
    expect((await call("POST", `${path}/antiga/adopt`)).status).toBe(200);
    expect((await instances(id)).status).toBe(200);
  });

  test("one that vanished there is still shown, as what it is here", async () => {
    const { id, server, create, instances } = await owner();
    await create();
    await callThere(server, "DELETE", "/instance/delete/loja");
    expect((await instances(id)).body.instances).toMatchObject([
      { name: "loja", connectionId: expect.any(Number) },
    ]);
  });
});

describe("adopt", () => {
  test("its webhook becomes ours, the former one is kept and shown @decision 21", async () => {
    const { id, server, path, call } = await owner();
    const events = ["MESSAGES_UPSERT"];
    const webhook = {
      enabled: true,
      url: "https://antigo.br/x",
      headers: { a: "b" },
      byEvents: true,
      events,
    };
    await madeThere(server, "nome com / e ç", { token: "tok-antigo", webhook });
    const at = `${path}/${encodeURIComponent("nome com / e ç")}/adopt`;
    const { status, body } = await call<Instance>("POST", at);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      name: "nome com / e ç",
      hook: "ours",
      formerWebhook: "https://antigo.br/x",
    });
    expect(await webhookOf(server, "nome com / e ç")).toMatchObject({
      url: expect.stringContaining(`${feature.url}/hooks/evolution/`),
      headers: { "x-recado-secret": expect.any(String) },
      webhookByEvents: false,
    });
    expect(JSON.stringify(await webhookOf(server, "nome com / e ç"))).not.toContain('"a":"b"');
    expect(await instanceAccess(db, TEST_SECRETS)(body.connectionId ?? 0)).toMatchObject({
      apiKey: "tok-antigo",
    });
    expect((await call<Instance>("POST", at)).body.connectionId).toBe(body.connectionId);
    expect((await call("POST", `${path}/nenhuma/adopt`)).status).toBe(404);
    expect(id).toBeGreaterThan(0);
  });

  test("what another installation has put there is no address to pass messages on to", async () => {
    const { server, path, call } = await owner();
    const url = "https://outro-recado.br/hooks/evolution/abc";
    await madeThere(server, "antiga", { webhook: { enabled: true, url, events: ["MESSAGES_UPSERT"] } });
    expect((await call<Instance>("POST", `${path}/antiga/adopt`)).body).toMatchObject({
      hook: "ours",
      formerWebhook: null,
    });
  });

  test("an instance belongs to one account, even if others have the server's key", async () => {
    const ana = await owner();
    const bruno = await person();
    await ana.create();
    const gateway = await bruno.register(ana.server);
    const path = `/api/gateways/${gateway.id}/instances`;
    expect(await bruno.call("POST", `${path}/loja/adopt`)).toMatchObject({
      status: 409,
      body: { code: "instance_taken" },
    });
    for (const [method, rest, body] of [
      ["PUT", "/webhook", { url: "https://x.br" }],
      ["GET", "/oddities", undefined],
    ] as const)
      expect((await bruno.call(method, `${path}/loja${rest}`, body)).status).toBe(404);
    for (const [method, rest] of [
      ["GET", ""],
      ["POST", "/loja/adopt"],
      ["DELETE", "/loja"],
      ["GET", "/loja/picture"],
    ] as const)
      expect((await bruno.call(method, `${ana.path}${rest}`)).status).toBe(404);
    expect((await bruno.call("POST", ana.path, newInstance({ instanceName: "x" }))).status).toBe(404);
    expect(ana.server.world.instances()).toEqual(["loja"]);
  });

  test("a webhook that could not be set is said, and set later", async () => {
    const { server, path, call } = await owner();
    await madeThere(server, "antiga", {
      webhook: { url: "https://antigo.br/x", events: ["MESSAGES_UPSERT"] },
    });
    server.world.faults.next("webhookSet", "errorBefore");
    expect((await call<Instance>("POST", `${path}/antiga/adopt`)).body).toMatchObject({
      hook: "failed",
      formerWebhook: "https://antigo.br/x",
    });
    await feature.gateways.setMissingHooks();
    expect((await call<Instance>("POST", `${path}/antiga/adopt`)).body).toMatchObject({
      hook: "ours",
      formerWebhook: "https://antigo.br/x",
    });
  });
});
