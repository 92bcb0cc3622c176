import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { sql } from "kysely";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { startEvolution } from "../../simulators/evolution/evolution.ts";
import { startLocalSimulator } from "../../simulators/whatsapp/local.ts";
import { quietSignal } from "../../simulators/whatsapp/quiet-signal.ts";
import { TOPICS } from "../../src/contract/events.ts";
import { demoPicture } from "../demo/picture.ts";
import { testDatabase } from "../support/database.ts";
import { type Processes, SIGN_UP, startProcesses } from "../support/processes.ts";
import { askHealth, OPERATOR, type ProductServer, startProduct } from "../support/server.ts";
import { unhurried } from "../support/waiting.ts";

const NUMBER = "5511940000001";
const PATIENCE = { timeout: 60_000, interval: 100 };

const { db, url: databaseUrl } = await testDatabase();
const dataFolder = fs.mkdtempSync(path.join(os.tmpdir(), "recado-processes-"));
const simulator = await startLocalSimulator({});
const gateway = await startEvolution({
  timing: { retryMs: 100, retryMaxMs: 1_000, webhookTimeoutMs: 5_000 },
});
let all: Processes;
let first: ProductServer;
let second: ProductServer;
let worker: ProductServer;

beforeAll(async () => {
  quietSignal();
  all = await startProcesses({
    databaseUrl,
    dataFolder,
    parts: ["web", "web", "worker"],
    hooksAt: 1,
    env: {
      ...OPERATOR,
      RECADO_SIMULATOR: simulator.controlUrl,
      RECADO_TIME_SCALE: "0.05",
      RECADO_PRIVATE_HOSTS: "127.0.0.1",
    },
    preload: ["simulators/whatsapp/preload.ts"],
  });
  [first, second, worker] = all.servers as [ProductServer, ProductServer, ProductServer];
  await all.signUp(first);
});
afterAll(async () => {
  await all?.close();
  await simulator.stop();
  await gateway.close();
  fs.rmSync(dataFolder, { recursive: true, force: true });
});

type Connection = {
  id: number;
  deviceId: string;
  state: string;
  qr: string | null;
  pairingCode: string | null;
};

async function connectionAt(server: ProductServer, deviceId: string): Promise<Connection | undefined> {
  const { connections } = await all.at(server)<{ connections: Connection[] }>("GET", "/api/connections");
  return connections.find((one) => one.deviceId === deviceId);
}

async function listen(server: ProductServer): Promise<{ heard: Set<string>; end(): Promise<void> }> {
  const heard = new Set<string>();
  const ending = new AbortController();
  const { body } = await server.fetch("/api/events", { headers: all.headers(), signal: ending.signal });
  const read = async () => {
    for await (const text of (body ?? new ReadableStream()).pipeThrough(new TextDecoderStream()))
      for (const [, topic] of text.matchAll(/"topic":"(\w+)"/g)) heard.add(topic ?? "");
  };
  const done = read().catch(() => undefined);
  return {
    heard,
    async end() {
      ending.abort();
      await done;
    },
  };
}

test("a part alone without a database that others share does not start, and says so", async () => {
  const refused = startProduct({ env: { RECADO_PROCESS: "worker", RECADO_URL: "http://recado.test" } });
  await expect(refused).rejects.toThrow(/DATABASE_URL: falta; .* precisam de um PostgreSQL externo/);
});

test("who works answers for its health alone; who serves owns no lane", async () => {
  const health = async (server: ProductServer) => (await askHealth(server)).json();
  expect(await health(worker)).toMatchObject({ process: "worker", status: "ok" });
  expect(await health(first)).toMatchObject({
    process: "web",
    workers: 1,
    lanes: { owned: 0, connected: 0 },
  });
  for (const place of ["/", "/api/me", "/api/campaigns", "/api/events", "/api/openapi.json"])
    expect((await worker.fetch(place, { headers: all.headers() })).status).toBe(404);
  expect((await worker.fetch("/hooks/evolution/x", { method: "POST" })).status).toBe(404);
  expect(worker.output()).not.toMatch(/Recado em/);
});

test("a login made at one process is known at the other; failed ones count together", async () => {
  expect(await all.at(second)("GET", "/api/me")).toMatchObject({ email: SIGN_UP.email });
  const statuses: number[] = [];
  for (let nth = 0; nth < 6; nth++) {
    const server = nth % 2 === 0 ? first : second;
    const answer = await server.fetch("/api/login", {
      method: "POST",
      headers: { "content-type": "application/json", origin: "http://recado.test" },
      body: JSON.stringify({ email: "outra@exemplo.com.br", password: "errada errada" }),
    });
    statuses.push(answer.status);
  }
  expect(statuses).toEqual([401, 401, 401, 401, 401, 429]);
});

test("a worker that crashed may not have published its last change: every page of each process refetches", async () => {
  const [here, there] = [await listen(first), await listen(second)];
  await sql`insert into worker (id, kinds, lease_until) values (gen_random_uuid(), '{device}', now() - interval '1 minute')`.execute(
    db,
  );
  for (const { heard } of [here, there])
    await vi.waitFor(() => expect([...heard].toSorted()).toEqual(TOPICS.toSorted()), PATIENCE);
  const workers = async () => (await sql`select id from worker`.execute(db)).rows;
  await vi.waitFor(async () => expect(await workers()).toHaveLength(1), PATIENCE);
  await Promise.all([here.end(), there.end()]);
});

test("a web process that crashed may not have published either: with its successor every page refetches", async () => {
  const here = await listen(first);
  await second.kill9();
  await second.start();
  await vi.waitFor(() => expect([...here.heard].toSorted()).toEqual(TOPICS.toSorted()), PATIENCE);
  await here.end();
});

test("a number is linked and its messages are answered through any process that serves; both hear of it", async () => {
  const [here, there] = [await listen(first), await listen(second)];
  await all.at(first)("POST", "/api/whatsapp/connect", { deviceId: NUMBER, connectionName: "Matriz" });
  const { id } = (await connectionAt(second, NUMBER)) ?? { id: 0 };
  await all.at(second)("POST", `/api/connections/${id}/pairing-code`);
  const shown = await vi.waitFor(async () => {
    const connection = await connectionAt(second, NUMBER);
    if (!connection?.qr || !connection.pairingCode) throw new Error("no codes yet");
    return connection;
  }, PATIENCE);
  await simulator.control.scan({ qr: shown.qr ?? "", phone: NUMBER });
  await vi.waitFor(
    async () => expect((await connectionAt(second, NUMBER))?.state).toBe("connected"),
    PATIENCE,
  );

  const message = { deviceId: NUMBER, number: "5511911110001", message: "Oi!", idempotencyKey: "1" };
  const [one, other] = await Promise.all([
    all.at(first)("POST", "/api/whatsapp/send", message),
    all.at(second)("POST", "/api/whatsapp/send", {
      ...message,
      number: "5511911110002",
      idempotencyKey: "2",
    }),
  ]);
  expect([one, other]).toMatchObject([{ success: true }, { success: true }]);

  await simulator.control.write({ from: "5511911110001", to: NUMBER, text: "Que horas abre?" });
  for (const { heard } of [here, there])
    await vi.waitFor(
      () => expect([...heard]).toEqual(expect.arrayContaining(["connections", "chats"])),
      PATIENCE,
    );
  await Promise.all([here.end(), there.end()]);
});

test("a picture and a list uploaded here, the campaign made there: the worker reads both and sends", async () => {
  const image = await all.at(first)<{ id: number }>("POST", "/api/attachments", await demoPicture("sale"));
  const csv = `nome;telefone\n${Array.from({ length: 8 }, (_, i) => `Pessoa ${i};1191112000${i}`).join("\n")}`;
  const { id: importId } = await all.at(second)<{ id: number }>(
    "POST",
    "/api/contact-imports?name=Clientes&fileName=clientes.csv",
    new TextEncoder().encode(csv),
  );
  const listId = await vi.waitFor(async () => {
    const report = await all.at(first)<{ state: string; listId: number }>(
      "GET",
      `/api/contact-imports/${importId}`,
    );
    expect(report.state).toBe("done");
    return report.listId;
  }, PATIENCE);
  const { id } = await all.at(second)<{ id: number }>("POST", "/api/campaigns", {
    name: "Natal",
    text: "Oi, {nome}!",
    listId,
    connectionId: null,
    attachmentId: image.id,
    intervalS: 0,
    intent: "create",
  });
  await vi.waitFor(async () => {
    const { rows } = await sql<{ status: string }>`select status from campaign where id = ${id}`.execute(db);
    expect(rows[0]?.status).toBe("ended");
  }, PATIENCE);
  const { messages } = await simulator.control.messages({ from: NUMBER, limit: 100 });
  expect(messages.filter(({ image: picture }) => picture !== null)).toHaveLength(8);
});

test("an event of an instance pending elsewhere is repeated; one of an unknown instance is refused", async () => {
  await sql`insert into pending_instance (hook_id, until)
    values ('being-made', now() + interval '1 minute'), ('given-up', now() - interval '1 second')`.execute(
    db,
  );
  const answerOf = async (hookId: string) =>
    (await second.fetch(`/hooks/evolution/${hookId}`, { method: "POST", body: "{}" })).status;
  expect([await answerOf("being-made"), await answerOf("given-up"), await answerOf("nobodys")]).toEqual([
    503, 401, 401,
  ]);
  await sql`delete from pending_instance`.execute(db);
});

test("an instance made here, whose events arrive there, is connected; the worker takes them in", async () => {
  const { id } = await all.at(first)<{ id: number }>("POST", "/api/gateways", {
    name: "",
    url: gateway.url,
    apiKey: gateway.apiKey,
  });
  await all.at(first)("POST", `/api/gateways/${id}/instances`, {
    instanceName: "loja",
    token: "chave-da-instancia",
    number: "5511940000002",
    webhook: "",
  });
  await vi.waitFor(async () => expect((await connectionAt(second, "loja"))?.qr).toBeTruthy(), PATIENCE);
  await gateway.world.scan("loja", { phone: "5511940000002" });
  await vi.waitFor(
    async () => expect((await connectionAt(first, "loja"))?.state).toBe("connected"),
    PATIENCE,
  );
  const answers = gateway.world.webhooks.map(({ status }) => status);
  expect(answers.length).toBeGreaterThan(0);
  expect(answers).not.toContain(401);
  const { rows } = await sql<{ at: Date | null }>`select event_at as at from instance`.execute(db);
  expect(rows).toHaveLength(1);
  await vi.waitFor(async () => {
    const left = await sql<{ n: number }>`select ((select count(*) from webhook_event)
      + (select count(*) from webhook_state) + (select count(*) from pending_instance))::int as n`.execute(
      db,
    );
    expect(left.rows[0]?.n).toBe(0);
  }, PATIENCE);
});

test("people who opted out without a worker get nothing, even before the next worker reads their events", async () => {
  const [leaver, other] = ["5511911130001", "5511911130002"];
  const at = all.at(first);
  const { listId } = await at<{ listId: number }>("POST", "/api/contacts", { name: "Ana", phone: leaver });
  await at("POST", "/api/contacts", { name: "Bia", phone: other, listId });
  const idle = async () => (await at<{ idle: boolean }>("GET", "/api/installation")).idle;
  expect(await idle()).toBe(false);
  await worker.stop();
  await vi.waitFor(async () => expect(await idle()).toBe(true), PATIENCE);
  gateway.world.reply("loja", leaver, "SAIR");
  await vi.waitFor(
    async () => expect((await sql`select from webhook_event`.execute(db)).rows).toHaveLength(1),
    PATIENCE,
  );
  const { id } = await at<{ id: number }>("POST", "/api/campaigns", {
    name: "Verão",
    text: "Oi de verão!",
    listId,
    connectionId: (await connectionAt(first, "loja"))?.id,
    intervalS: 0,
    intent: "create",
  });
  const status = async () =>
    (await sql<{ status: string }>`select status from campaign where id = ${id}`.execute(db)).rows[0]?.status;
  const reached = () =>
    gateway.world.accepted.filter(({ text }) => text === "Oi de verão!").map(({ phone }) => phone);
  await unhurried(db, async (tx) => {
    await sql`select from webhook_event for update`.execute(tx);
    await worker.start();
    await vi.waitFor(async () => expect(await status()).toBe("sending"), PATIENCE);
    for (const nth of [1, 2])
      expect(
        await at("POST", "/api/whatsapp/send", {
          deviceId: "loja",
          number: "5511911130003",
          message: `Resposta ${nth}`,
        }),
      ).toMatchObject({ success: true });
    expect(reached()).toEqual([]);
    const waits = { status: "paused", cause: "connection", connectionCause: "catching_up" };
    await vi.waitFor(
      async () => expect(await at("GET", `/api/campaigns/${id}`)).toMatchObject(waits),
      PATIENCE,
    );
  });
  await vi.waitFor(async () => expect(await status()).toBe("ended"), PATIENCE);
  expect(reached()).toEqual([other]);
  await vi.waitFor(
    async () => expect(await connectionAt(first, "loja")).toMatchObject({ state: "connected", cause: null }),
    PATIENCE,
  );
});

test("«Desconectar» at a process that owns no socket ends the session on the phone", async () => {
  expect(await all.at(second)("DELETE", `/api/whatsapp/session/${NUMBER}`)).toEqual({
    success: true,
    status: "disconnected",
  });
  const linked = async () =>
    (await simulator.control.accounts({})).accounts.find(({ phone }) => phone === NUMBER)?.devices;
  await expect.poll(linked).toEqual([]);
});

test("an account deleted here is taken away by the worker", async () => {
  await all.at(first)("POST", "/api/settings/account/delete", { password: SIGN_UP.password });
  await vi.waitFor(async () => {
    const { rows } = await sql<{ n: number }>`select count(*)::int as n from account`.execute(db);
    expect(rows[0]?.n).toBe(0);
  }, PATIENCE);
});
