import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { sql } from "kysely";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { startLocalSimulator } from "../../simulators/whatsapp/local.ts";
import { quietSignal } from "../../simulators/whatsapp/quiet-signal.ts";
import { noteBackup } from "../../src/server/backup/last-backup.ts";
import { statusLines } from "../../src/server/commands/status.ts";
import { writeRestoreLock } from "../../src/server/db/restore-lock.ts";
import { testDatabase } from "../support/database.ts";
import { type Processes, SIGN_UP, startProcesses } from "../support/processes.ts";
import type { ProductServer } from "../support/server.ts";

const NUMBER = "5511940000001";
const PEOPLE = ["5511911112001", "5511911112002"];
const CANARY = "canário no texto";
const TOKEN = "ficha-do-operador-1234";
const PATIENCE = { timeout: 60_000, interval: 100 };

const { database, db, url: databaseUrl } = await testDatabase();
const dataFolder = fs.mkdtempSync(path.join(os.tmpdir(), "recado-figures-"));
const simulator = await startLocalSimulator({});
let all: Processes;
let web: ProductServer;
let worker: ProductServer;

beforeAll(async () => {
  quietSignal();
  all = await startProcesses({
    databaseUrl,
    dataFolder,
    parts: ["web", "worker"],
    env: {
      RECADO_SIMULATOR: simulator.controlUrl,
      RECADO_TIME_SCALE: "0.05",
      RECADO_METRICS_TOKEN: TOKEN,
      RECADO_TRUST_PROXY: "1",
      LOG_LEVEL: "trace",
    },
    preload: ["simulators/whatsapp/preload.ts"],
  });
  [web, worker] = all.servers as [ProductServer, ProductServer];
  await all.signUp(web);
});
afterAll(async () => {
  await all?.close();
  await simulator.stop();
  fs.rmSync(dataFolder, { recursive: true, force: true });
});

type Line = Record<string, unknown>;

const linesOf = (server: ProductServer): Line[] =>
  server
    .output()
    .split("\n")
    .slice(0, -1)
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line) as Line);

async function scrape(server: ProductServer): Promise<Map<string, number>> {
  const answer = await server.fetch("/metrics", { headers: { authorization: `Bearer ${TOKEN}` } });
  expect(answer.status).toBe(200);
  expect(answer.headers.get("content-type")).toMatch(/^text\/plain; version=0\.0\.4/);
  const lines = (await answer.text()).split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  return new Map(
    lines.map((line) => {
      const at = line.lastIndexOf(" ");
      return [line.slice(0, at), Number(line.slice(at + 1))];
    }),
  );
}

test("a campaign's way from the form to the phones leaves no text, phone, password or key in any log", async () => {
  const call = all.at(web);
  const { key } = await call<{ key: string }>("POST", "/api/settings/api-keys", { name: "Loja" });
  await call("POST", "/api/whatsapp/connect", { deviceId: NUMBER, connectionName: "Matriz" });
  const qr = await vi.waitFor(async () => {
    const { connections } = await call<{ connections: { qr: string | null }[] }>("GET", "/api/connections");
    if (!connections[0]?.qr) throw new Error("no code yet");
    return connections[0].qr;
  }, PATIENCE);
  await simulator.control.scan({ qr, phone: NUMBER });
  const { id: importId } = await call<{ id: number }>("POST", "/api/contact-imports/json", {
    name: "Clientes",
    contacts: PEOPLE.map((phone) => ({ name: "Ana", phone })),
  });
  const listId = await vi.waitFor(async () => {
    const report = await call<{ state: string; listId: number }>("GET", `/api/contact-imports/${importId}`);
    expect(report.state).toBe("done");
    return report.listId;
  }, PATIENCE);
  await vi.waitFor(async () => {
    const { rows } = await sql<{ state: string }>`select state from connection`.execute(db);
    expect(rows[0]?.state).toBe("connected");
  }, PATIENCE);
  const { id } = await call<{ id: number }>("POST", "/api/campaigns", {
    name: "Natal",
    text: `${CANARY}, {nome}!`,
    listId,
    connectionId: null,
    attachmentId: null,
    intervalS: 0,
    intent: "create",
  });
  await vi.waitFor(async () => {
    const { rows } = await sql<{ status: string }>`select status from campaign where id = ${id}`.execute(db);
    expect(rows[0]?.status).toBe("ended");
  }, PATIENCE);
  await simulator.control.write({ from: PEOPLE[0] ?? "", to: NUMBER, text: `${CANARY}?` });
  await vi.waitFor(async () => {
    const { rows } = await sql<{ n: number }>`select count(*)::int as n from chat_message`.execute(db);
    expect(rows[0]?.n).toBe(1);
  }, PATIENCE);
  const { rows: noted } = await sql<{ kind: string; actor: string; subject: string }>`
    select kind, actor, subject from audit_event where kind like 'c%' order by id`.execute(db);
  expect(noted).toEqual([
    { kind: "connection_linked", actor: "system", subject: "Matriz" },
    { kind: "campaign_started", actor: "session", subject: "Natal" },
  ]);
  await call("POST", "/api/login", { email: SIGN_UP.email, password: SIGN_UP.password });

  for (const server of [web, worker]) {
    const lines = linesOf(server);
    expect(lines.length).toBeGreaterThan(0);
    const text = server.output();
    for (const canary of [CANARY, ...PEOPLE, SIGN_UP.password, key, TOKEN, all.headers().cookie ?? "none"])
      expect(text.includes(canary), canary).toBe(false);
  }
  expect(worker.output()).not.toContain(NUMBER);
  expect(linesOf(worker).some(({ connectionId }) => connectionId === 1)).toBe(true);
});

test("a request's id is the proxy's where well-formed, else ours; it is answered and on the request's lines", async () => {
  const ask = async (given?: string) =>
    (await web.fetch("/api/terms", { headers: given ? { "x-request-id": given } : {} })).headers.get(
      "x-request-id",
    );
  expect(await ask("0af7651916cd43dd8448eb211c80319c")).toBe("0af7651916cd43dd8448eb211c80319c");
  for (const given of [undefined, "curto", "x".repeat(65), "com espaço dentro", '"},{"forged":"'])
    expect(await ask(given)).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
  const line = () => linesOf(web).find(({ requestId }) => requestId === "0af7651916cd43dd8448eb211c80319c");
  await expect.poll(line).toMatchObject({ msg: "answered", route: "GET /api/terms", status: 200 });
  const hook = await web.fetch("/hooks/evolution/x", {
    method: "POST",
    headers: { "x-request-id": "abcdef-0123" },
  });
  expect([hook.status, hook.headers.get("x-request-id")]).toEqual([401, "abcdef-0123"]);
});

test("an error of ours quotes the id of its log line", async () => {
  await sql`alter table opt_out rename to opt_out_away`.execute(db);
  try {
    const answer = await web.fetch("/api/opt-outs", { headers: all.headers() });
    const requestId = answer.headers.get("x-request-id");
    expect(answer.status).toBe(500);
    expect(await answer.json()).toEqual({
      code: "internal",
      error: `Algo deu errado do nosso lado. Tente novamente e, se continuar, informe o código ${requestId}.`,
      details: { requestId },
    });
    const line = () => linesOf(web).find((one) => one.requestId === requestId && one.level === 50);
    await expect.poll(line).toMatchObject({ msg: "unforeseen error while answering" });
  } finally {
    await sql`alter table opt_out_away rename to opt_out`.execute(db);
  }
});

test("metrics need the token, exist in each process, and count sent messages", async () => {
  for (const authorization of ["", "Bearer errada", `Basic ${TOKEN}`, `Bearer ${TOKEN}x`]) {
    const answer = await web.fetch("/metrics", { headers: authorization ? { authorization } : {} });
    expect(answer.status, authorization).toBe(401);
    expect(await answer.text()).not.toContain("recado_");
  }
  const served = await scrape(web);
  expect(served.get('recado_http_seconds_count{route="POST /api/campaigns",status="2xx"}')).toBe(1);
  expect(served.get('recado_http_seconds_count{route="POST /hooks/evolution/",status="4xx"}')).toBe(1);
  expect(served.get('recado_database_faults_total{class="42"}')).toBeGreaterThan(0);
  expect(served.get("recado_workers")).toBe(1);
  expect(served.get("recado_lanes_owned")).toBe(0);
  const worked = await scrape(worker);
  expect(worked.get('recado_send_seconds_count{kind="device",outcome="sent"}')).toBe(2);
  expect(worked.get("recado_lanes_connected")).toBe(1);
  expect(worked.get('recado_connections{state="connected"}')).toBe(1);
  expect(worked.get("recado_database_up")).toBe(1);
  for (const name of ["recado_webhooks_waiting", "recado_webhooks_oldest_seconds", "recado_mail_waiting"])
    expect(worked.get(name), name).toBe(0);
  expect([...worked.keys()].some((name) => name.startsWith('recado_jobs{queue="'))).toBe(true);
  for (const name of ["nodejs_eventloop_lag_p99_seconds", "process_resident_memory_bytes"])
    expect(worked.get(name), name).toBeGreaterThan(0);
  expect(worked.get('recado_database_connections{pool="work"}')).toBeGreaterThan(0);
  expect(served.get('recado_database_connections{pool="pages"}')).toBeGreaterThan(0);
});

test("alive is not ready: a proxy asks no process that has no database", async () => {
  const alive = await worker.fetch("/api/health/live");
  expect([alive.status, await alive.json()]).toEqual([200, { status: "alive" }]);
  const ready = await web.fetch("/api/health/ready");
  expect([ready.status, await ready.json()]).toEqual([200, { status: "ready" }]);
});

test("the operator's status, beside the running server, names what it finds", async () => {
  const lines = await statusLines({ database, kind: "external", dataFolder });
  expect(lines).toEqual(
    expect.arrayContaining([
      "Processos que trabalham: 1",
      "Conexões: 1 conectada",
      "Campanhas: nenhuma em curso",
      "Webhooks à espera: 0",
      "Última cópia: nenhuma feita daqui",
      "Retida: não",
    ]),
  );
  await sql`insert into webhook_event (connection_id, account_id, key, body, received_at)
    values (99, gen_random_uuid(), 'k', '{}', now() - interval '90 seconds')`.execute(db);
  noteBackup(dataFolder, { madeAt: "2026-11-20T10:00:00Z", bytes: 12_345_678 });
  await db.transaction().execute((tx) => writeRestoreLock(tx, "2026-11-19T10:00:00Z"));
  const later = await statusLines({ database, kind: "external", dataFolder });
  expect(later).toContain("Última cópia: 2026-11-20T10:00:00Z, 12,3 MB");
  expect(later.at(-1)).toMatch(
    /^Retida: sim, restaurada em .* de uma cópia de 2026-11-19T10:00:00Z; libere com /,
  );
});
