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
import { makeCampaign } from "../../../tests/support/sending.ts";
import { unhurried, untilWaiting } from "../../../tests/support/waiting.ts";
import type { Connection } from "../../contract/connections.ts";
import type { Instance } from "../../contract/gateways.ts";
import { instanceAccess } from "./access.ts";

const database = await testDatabase();
const { db } = database;
const feature = await gatewaysFeature(database);
const { owner, evolution, seen } = feature;

describe("create", () => {
  test("the instance is made there with our webhook, and is a connection here @spec 3.10,3.11,7.27,7.30,8.13,9.13 @decision 21", async () => {
    const { id, server, path, create, call, instances } = await owner();
    const { status, body } = await create({ webhook: "https://meu.sistema.br/webhook" });
    expect(status).toBe(201);
    expect(body).toMatchObject({
      gatewayId: id,
      name: "loja",
      number: "5511987654321",
      status: "connecting",
      integration: "WHATSAPP-BAILEYS",
      hook: "ours",
      formerWebhook: null,
      cause: null,
      assistant: null,
      oddities: 0,
      relay: { url: "https://meu.sistema.br/webhook", at: null, waiting: 0 },
    });
    expect(await webhookOf(server, "loja")).toMatchObject({
      url: expect.stringMatching(new RegExp(`^${feature.url}/hooks/evolution/[\\w-]{20,}$`)),
      headers: { "x-recado-secret": expect.stringMatching(/^[\w-]{40,}$/) },
      enabled: true,
      webhookByEvents: false,
      webhookBase64: true,
      events: [
        "MESSAGES_UPSERT",
        "MESSAGES_UPDATE",
        "MESSAGES_DELETE",
        "SEND_MESSAGE",
        "CONNECTION_UPDATE",
        "QRCODE_UPDATED",
      ],
    });
    const { body: listed } = await instances(id);
    expect(listed.instances).toEqual([body]);
    const { body: shown } = await call<{ connections: Connection[] }>("GET", "/api/connections");
    expect(shown.connections).toMatchObject([
      { id: body.connectionId, kind: "instance", deviceId: "loja", name: "loja", desired: "connected" },
    ]);
    expect(await instanceAccess(db, TEST_SECRETS)(body.connectionId ?? 0)).toEqual({
      baseUrl: server.url,
      provided: false,
      apiKey: "segredo-da-loja",
      name: "loja",
      integration: "WHATSAPP-BAILEYS",
      number: "5511987654321",
      serverKey: server.apiKey,
    });
    const again = await create<ErrorAnswer>();
    expect(again).toMatchObject({
      status: 424,
      body: {
        error: "Erro ao criar instância. Verifique os dados.",
        details: {
          cause: "instance_name_taken",
          reason: "Já existe uma instância com este nome neste gateway.",
        },
      },
    });
    expect(path).toContain(String(id));
  });

  test("a repeated request with its token returns the existing instance; another one finds its name taken", async () => {
    const { id, server, create, instances } = await owner();
    const { body } = await create();
    const again = await create();
    expect([again.status, again.body.connectionId]).toEqual([201, body.connectionId]);
    for (const other of [
      { token: "outro" },
      { number: "5511987654322" },
      { webhook: "https://meu.sistema.br/webhook" },
    ])
      expect((await create<ErrorAnswer>(other)).body.details?.cause).toBe("instance_name_taken");
    expect((await instances(id)).body.instances).toHaveLength(1);
    expect(server.world.instances()).toEqual(["loja"]);
  });

  test("a name that exists there already is taken, and nothing is stored here", async () => {
    const { id, server, create, instances } = await owner();
    await madeThere(server, "loja");
    const { status, body } = await create<ErrorAnswer>();
    expect([status, body.details?.cause]).toEqual([424, "instance_name_taken"]);
    expect((await instances(id)).body.instances).toMatchObject([{ name: "loja", connectionId: null }]);
  });

  test.each([
    ["N01", "a/b"],
    ["N02", "..%2f.."],
    ["N03", "teste$(reboot)"],
    ["N04", "a?x=1#y"],
    ["N05", "São Paulo"],
    ["N06", "a".repeat(1_000)],
    ["N07", "loja🏪"],
    ["N08", "loja "],
    ["N08", "Sa\u0303o"],
    ["N08", ".."],
    ["N08", "recado-teste-1"],
  ])("%s instance %j is no name for a new one", async (_, instanceName) => {
    const { server, create } = await owner();
    const { status, body } = await create<ErrorAnswer>({ instanceName });
    expect([status, Object.keys(body.fields ?? {})]).toEqual([422, ["instanceName"]]);
    expect(server.world.instances()).toEqual([]);
  });

  test("token and number are required; the number gets its country code @spec 5.8", async () => {
    const { server, create } = await owner();
    const empty = await create<ErrorAnswer>({ instanceName: "", token: " ", number: "" });
    expect(empty.body.fields).toEqual({
      instanceName: "Preencha este campo.",
      token: "Preencha este campo.",
      number: "Preencha este campo.",
    });
    expect((await create<ErrorAnswer>({ number: "12" })).body.fields?.number).toContain("Faltam dígitos");
    for (const webhook of ["nada", "ftp://x.br", "https://a:b@x.br", `https://x.br/${"a".repeat(500)}`])
      expect((await create<ErrorAnswer>({ webhook })).body.fields).toHaveProperty("webhook");
    expect(server.world.instances()).toEqual([]);
    expect((await create({ number: "(31) 98765-4321" })).body.number).toBe("5531987654321");
  });

  test("an answer that got lost is looked for: the instance is there and ours", async () => {
    const { server, create } = await owner();
    server.world.faults.next("create", "acceptThenBadGateway");
    const { status, body } = await create();
    expect([status, body.hook]).toEqual([201, "ours"]);
    server.world.faults.next("create", "badGatewayBefore");
    const refused = await create<ErrorAnswer>({ instanceName: "outra" });
    expect([refused.status, refused.body.details?.cause]).toEqual([424, "gateway_unreachable"]);
  });

  test("names of digits, and names the account has elsewhere, get their server's number for the REST interface", async () => {
    const one = await owner();
    const other = await evolution();
    const second = await one.register(other);
    await one.create();
    await one.create({ instanceName: "5511987654321" });
    await one.call("POST", `/api/gateways/${second.id}/instances`, newInstance());
    const { body } = await one.call<{ devices: object[] }>("GET", "/api/whatsapp/devices");
    expect(body.devices).toMatchObject([
      { deviceId: "loja", kind: "instance", connection_name: "loja" },
      { deviceId: `5511987654321@${one.id}`, kind: "instance" },
      { deviceId: `loja@${second.id}`, kind: "instance" },
    ]);
    const again = await one.call("POST", "/api/whatsapp/connect", { deviceId: `loja@${second.id}` });
    expect(again).toMatchObject({
      status: 200,
      body: { deviceId: `loja@${second.id}`, status: "connecting" },
    });
    const unknown = await one.call("POST", "/api/whatsapp/connect", { deviceId: "lojinha" });
    expect(unknown).toMatchObject({ status: 422, body: { code: "device_number_required" } });
    await one.call("POST", "/api/whatsapp/connect", { deviceId: "5511987654321" });
    for (const deviceId of ["loja", `loja@${second.id}`, `5511987654321@${one.id}`, "5511987654321"])
      expect((await one.call("GET", `/api/whatsapp/status/${encodeURIComponent(deviceId)}`)).status).toBe(
        200,
      );
    const kinds = await sql<{ kind: string }>`
      select kind from connection where account_id = ${one.account}::uuid order by id`.execute(db);
    expect(kinds.rows.map(({ kind }) => kind)).toEqual(["instance", "instance", "instance", "device"]);
  });
});

describe("delete", () => {
  test("it is deleted there, and its connection goes; its campaigns pause @spec 7.29", async () => {
    const { account, server, path, create, call } = await owner();
    const { body } = await create();
    const campaign = await makeCampaign(db, account, { status: "sending", connectionId: body.connectionId });
    expect(await call("DELETE", `${path}/loja`)).toMatchObject({ status: 200, body: { success: true } });
    expect(server.world.instances()).toEqual([]);
    expect((await call<{ connections: [] }>("GET", "/api/connections")).body.connections).toEqual([]);
    const { rows } =
      await sql`select status, pause_reason as cause from campaign where id = ${campaign}`.execute(db);
    expect(rows).toEqual([{ status: "paused", cause: "connection_removed" }]);
    expect((await call("DELETE", `${path}/loja`)).status).toBe(404);
  });

  test("26.24 a server that ends the session, stops there and answers 400 is asked once more, and the instance is gone", async () => {
    const { server, path, create, call } = await owner();
    await create();
    await server.world.scan("loja");
    server.world.faults.next("delete", "halfDone");
    expect(await call("DELETE", `${path}/loja`)).toMatchObject({ status: 200, body: { success: true } });
    expect(server.world.instances()).toEqual([]);
    expect((await call<{ connections: [] }>("GET", "/api/connections")).body.connections).toEqual([]);
  });

  test("26.24 one that is there after the second try is not said to be gone, in words that a person can read", async () => {
    const { server, path, create, call } = await owner();
    await create();
    await server.world.scan("loja");
    server.world.faults.next("delete", "halfDone", { times: 2 });
    const answer = await call<ErrorAnswer>("DELETE", `${path}/loja`);
    expect(answer).toMatchObject({
      status: 424,
      body: { details: { reason: "O gateway respondeu com o erro 400: Bad Request" } },
    });
    expect(server.world.instances()).toEqual(["loja"]);
    expect((await call<{ connections: [] }>("GET", "/api/connections")).body.connections).toHaveLength(1);
  });

  test("one that is not used here goes too; where the server fails nothing changes @spec 8.15", async () => {
    const { server, path, call } = await owner();
    await madeThere(server, "antiga");
    server.world.faults.next("delete", "errorBefore", { times: 2 });
    expect(await call<ErrorAnswer>("DELETE", `${path}/antiga`)).toMatchObject({
      status: 424,
      body: { error: "Erro ao excluir instância. Tente novamente.", details: { cause: "gateway_failed" } },
    });
    expect((await call("DELETE", `${path}/antiga`)).status).toBe(200);
    expect(server.world.instances()).toEqual([]);
  });

  test("a forgotten server takes its connections with it, and leaves the instances there as they are", async () => {
    const { account, id, server, path, create, call } = await owner();
    const { body } = await create();
    await madeThere(server, "antiga");
    await call("POST", `${path}/antiga/adopt`);
    await sql`update instance set hook_state = 'taken' where name = 'antiga'`.execute(db);
    const campaign = await makeCampaign(db, account, { status: "sending", connectionId: body.connectionId });
    expect((await call("DELETE", `/api/gateways/${id}`)).status).toBe(200);
    expect(server.world.instances()).toEqual(["loja", "antiga"]);
    expect((await call<{ connections: [] }>("GET", "/api/connections")).body.connections).toEqual([]);
    const { rows } =
      await sql`select status, pause_reason as cause from campaign where id = ${campaign}`.execute(db);
    expect(rows).toEqual([{ status: "paused", cause: "connection_removed" }]);
    await expect.poll(async () => (await webhookOf(server, "loja")).enabled).toBe(false);
    expect((await webhookOf(server, "antiga")).enabled).toBe(true);
    expect(await instanceAccess(db, TEST_SECRETS)(body.connectionId ?? 0)).toBeNull();
  });
});

test("a server is forgotten also while an event is read of an instance of it that is being removed", async () => {
  const { id, create, call } = await owner();
  const { body } = await create();
  await sql`update connection set desired = 'removed' where id = ${body.connectionId}`.execute(db);
  const setStamp = (stamp: string) =>
    sql`update instance set state_stamp = ${stamp} where connection_id = ${body.connectionId}`;
  let forgotten: ReturnType<typeof call> | undefined;
  await unhurried(db, async (reading) => {
    await setStamp("2026-11-01T00:00:00Z").execute(reading);
    forgotten = call("DELETE", `/api/gateways/${id}`);
    await untilWaiting(db);
    await setStamp("2026-11-01T00:00:01Z").execute(reading);
  });
  expect((await forgotten)?.status).toBe(200);
});

describe("the person's own webhook", () => {
  test("is kept and shown; empty ends it, and empty from the start is an error with the specification's words", async () => {
    const { path, create, call } = await owner();
    await create();
    const put = (url: string) => call<Instance & ErrorAnswer>("PUT", `${path}/loja/webhook`, { url });
    expect(await put("  ")).toMatchObject({
      status: 422,
      body: { error: "Por favor, informe a URL do webhook" },
    });
    expect((await put("nada")).body.fields).toEqual({
      url: "Use um endereço completo, como https://exemplo.com.br/webhook.",
    });
    expect((await put("https://meu.br/w")).body).toMatchObject({
      hook: "ours",
      relay: { url: "https://meu.br/w" },
    });
    expect((await put("")).body.relay).toBeNull();
  });

  test("26.11 an address that is never called is refused when it is saved, and nothing is stored", async () => {
    const { account, path, create, call } = await owner();
    await create();
    const put = async (url: string) =>
      (await call<Instance & ErrorAnswer>("PUT", `${path}/loja/webhook`, { url })).body.fields?.url;
    const internal = "Este endereço é interno da rede do servidor, e o administrador não o permite.";
    for (const url of ["http://169.254.169.254/x", "http://10.0.0.5/", "http://localhost/", "https://[::1]/"])
      expect(await put(url), url).toBe(internal);
    expect(await put("https://meu.br:9200/_bulk")).toContain("use http ou https nas portas");
    const { rows } = await sql<{ relay_url: string | null }>`
      select relay_url from instance join connection c on c.id = connection_id
      where c.account_id = ${account}`.execute(db);
    expect(rows).toEqual([{ relay_url: null }]);
    const made = await create({ instanceName: "outra", webhook: "http://192.168.0.1/" });
    expect(made).toMatchObject({ status: 422, body: { fields: { webhook: internal } } });
  });

  test("the account's activity says where messages go from then on, by the host alone, and when that ended", async () => {
    const { account, path, create, call } = await owner();
    await create({ webhook: "https://meu.br/w?token=segredo" });
    for (const url of ["https://outro.br/x/segredo", "https://outro.br/x/segredo", ""])
      await call("PUT", `${path}/loja/webhook`, { url });
    const { rows } = await sql<{ kind: string; details: unknown }>`
      select kind, details from audit_event where account_id = ${account} and subject = 'loja' order by id`.execute(
      db,
    );
    expect(rows).toEqual([
      { kind: "instance_created", details: null },
      { kind: "relay_set", details: { host: "meu.br" } },
      { kind: "relay_set", details: { host: "outro.br" } },
      { kind: "relay_ended", details: null },
    ]);
  });

  test("one whose end the server did not hear of can be ended once more", async () => {
    const { server, path, create, call } = await owner();
    await create({ webhook: "https://meu.br/w" });
    await sql`update instance set hook_state = 'failed' where name = 'loja'`.execute(db);
    const put = (url: string) => call<Instance & ErrorAnswer>("PUT", `${path}/loja/webhook`, { url });
    server.world.faults.next("webhookSet", "errorBefore");
    expect((await put("")).status).toBe(424);
    expect(await put("")).toMatchObject({ status: 200, body: { relay: null, hook: "ours" } });
  });

  test("an address that took our place gets the messages from us once the person enters it", async () => {
    const { server, path, create, call } = await owner();
    await create();
    const url = "https://n8n.br/w";
    await callThere(server, "POST", "/webhook/set/loja", { webhook: { enabled: true, url, events: [] } });
    expect((await webhookOf(server, "loja")).url).toBe(url);
    await sql`update instance set hook_state = 'taken', former_webhook = ${url} where name = 'loja'`.execute(
      db,
    );
    const { body } = await call<Instance>("PUT", `${path}/loja/webhook`, { url });
    expect(body).toMatchObject({ hook: "ours", relay: { url } });
    expect((await webhookOf(server, "loja")).url).toContain("/hooks/evolution/");
  });

  test("where the server cannot reach us, the specification's call is made literally, and ours once it can @spec 7.30,8.16,9.12 @decision 21", async () => {
    const elsewhere = await gatewaysFeature(database, { webhookUrl: "http://127.0.0.1:9", timeScale: 0.1 });
    const ana = await elsewhere.person();
    const server = await evolution();
    const { id } = await ana.register(server);
    await ana.call("POST", `/api/gateways/${id}/instances`, newInstance());
    const put = (url: string) =>
      ana.call<Instance & ErrorAnswer>("PUT", `/api/gateways/${id}/instances/loja/webhook`, { url });
    expect((await put("https://meu.br/w")).body).toMatchObject({ hook: "literal" });
    const literal = await webhookOf(server, "loja");
    expect(literal).toMatchObject({
      enabled: true,
      url: "https://meu.br/w",
      webhookByEvents: false,
      webhookBase64: true,
      events: ["MESSAGES_UPSERT"],
    });
    expect(literal.headers).toEqual({});
    server.world.faults.next("webhookSet", "errorBefore");
    expect(await put("https://meu.br/x")).toMatchObject({
      status: 424,
      body: { error: "Erro ao configurar webhook", details: { cause: "gateway_failed" } },
    });
    await server.world.goDown();
    expect((await put("https://meu.br/y")).body.error).toBe("Erro ao configurar webhook. Tente novamente.");
    await server.world.comeBack();
    const test = await fetch(`${feature.url}/api/gateways/${id}/test`, {
      method: "POST",
      headers: { "x-account": ana.id },
    });
    expect(test.status).toBe(200);
    expect((await webhookOf(server, "loja")).url).toContain(`${feature.url}/hooks/evolution/`);
  });

  test("27.8 an address that the gateway itself would call is judged by what its name resolves to", async () => {
    const elsewhere = await gatewaysFeature(database, { webhookUrl: "http://127.0.0.1:9", timeScale: 0.1 });
    const ana = await elsewhere.person();
    const server = await evolution();
    const { id } = await ana.register(server);
    const path = `/api/gateways/${id}/instances`;
    await ana.call("POST", path, newInstance());
    const refused = {
      "https://x.interno/_bulk": /interno da rede/,
      "https://x.nada/": /não foi encontrado/,
    };
    for (const [url, words] of Object.entries(refused)) {
      const put = await ana.call<ErrorAnswer>("PUT", `${path}/loja/webhook`, { url });
      expect(put).toMatchObject({ status: 422, body: { fields: { url: expect.stringMatching(words) } } });
      const made = newInstance({ instanceName: "outra", token: "outro", webhook: url });
      expect(await ana.call("POST", path, made)).toMatchObject({ status: 422 });
    }
    expect(server.world.instances()).toEqual(["loja"]);
    expect((await webhookOf(server, "loja")).url).toContain("/hooks/evolution/");

    await sql`update instance set relay_url = 'https://x.interno/', hook_state = 'unset' where name = 'loja'
      and gateway_id = ${id}`.execute(db);
    await elsewhere.gateways.setMissingHooks();
    expect((await webhookOf(server, "loja")).url).toContain("/hooks/evolution/");
  });
});

test("we fetch and re-encode the picture; without one it is missing", async () => {
  const { server, path, create, call } = await owner();
  await create();
  expect((await call("GET", `${path}/loja/picture`)).status).toBe(404);
  await madeThere(server, "antiga", { qrcode: true });
  await server.world.scan("antiga", { phone: "5511999990001", picture: true });
  const { status, headers } = await call("GET", `${path}/antiga/picture`);
  expect([status, headers.get("content-type")]).toEqual([200, expect.stringMatching(/^image\/(png|jpeg)$/)]);
  expect(headers.get("cache-control")).toContain("private");
});

test("what came and could not be read is counted, and listed newest first", async () => {
  const { path, create, call, instances, id } = await owner();
  const { body } = await create();
  await sql`insert into unrecognized_event (connection_id, reason, event, body)
    values (${body.connectionId}, 'malformed', null, '{'), (${body.connectionId}, 'unknown_event', 'x.y', '{}')`.execute(
    db,
  );
  const { body: listed } = await call<{ oddities: object[] }>("GET", `${path}/loja/oddities`);
  expect(listed.oddities).toMatchObject([{ reason: "unknown_event", event: "x.y" }, { reason: "malformed" }]);
  expect((await instances(id)).body.instances).toMatchObject([{ oddities: 2 }]);
});

test("tokens and secrets of instances are in no answer and no log line @spec 3.3,3.10 @decision 3", async () => {
  const { server, path, create, call, instances, id } = await owner();
  await create({ token: "canario-do-token-91f2" });
  await instances(id);
  const { headers } = (await webhookOf(server, "loja")) as { headers: Record<string, string> };
  server.world.faults.next("fetchInstances", "errorBefore");
  await call("PUT", `${path}/loja/webhook`, { url: "https://meu.br/w" });
  await call("DELETE", `${path}/loja`);
  const all = seen.join("\n");
  expect(all).not.toContain("canario-do-token-91f2");
  expect(all).not.toContain(headers["x-recado-secret"]);
});
