import fs from "node:fs";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { sql } from "kysely";
import { afterAll, expect, test } from "vitest";
import { startLocalSimulator } from "../../simulators/whatsapp/local.ts";
import { quietSignal } from "../../simulators/whatsapp/quiet-signal.ts";
import { DELIVERY } from "../../src/domain/delivery.ts";
import { openDatabase } from "../../src/server/db/client.ts";
import { embeddedUrl } from "../../src/server/postgres/embedded-postgres.ts";
import { makeList, openInstallation, until } from "../faults/installation.ts";
import { DEVICE, linkDevice, PHONES } from "../faults/world.ts";
import { runProgram, temporaryFolder } from "../support/backup.ts";
import { testLog } from "../support/database.ts";
import { askHealth, OPERATOR, type ProductServer, startProduct } from "../support/server.ts";

const PRELOAD = ["simulators/whatsapp/preload.ts"];
const PEOPLE = 16;
const closes: (() => Promise<unknown>)[] = [];
afterAll(async () => {
  for (const close of closes.reverse()) await close();
});

async function signIn(product: ProductServer) {
  const headers = { "content-type": "application/json", origin: product.url };
  const login = await product.fetch("/api/login", {
    method: "POST",
    headers,
    body: JSON.stringify({ email: "marina@exemplo.com.br", password: "girassol no quintal" }),
  });
  const cookie = login.headers.getSetCookie()[0]?.split(";")[0] ?? "";
  return async (method: string, place: string) => {
    const response = await product.fetch(place, { method, headers: { ...headers, cookie } });
    const text = await response.text();
    return { status: response.status, body: text === "" ? null : JSON.parse(text) };
  };
}

test("F46 F26 a copy restored during a campaign stays offline until released, then finishes what a person continues", async () => {
  quietSignal();
  const simulator = await startLocalSimulator({});
  closes.push(() => simulator.stop());
  const env = { ...OPERATOR, RECADO_SIMULATOR: simulator.controlUrl, RECADO_TIME_SCALE: "0.05" };
  const original = await openInstallation(env, PRELOAD);
  closes.push(original.close);
  await linkDevice({ ...original, control: simulator.control });
  const { listId } = await makeList(original, { index: 0, people: PEOPLE, base: PHONES });
  const { id } = await original.call<{ id: number }>("POST", "/api/campaigns", {
    name: "Natal",
    text: "Boas festas, {nome}!",
    listId,
    connectionId: null,
    // Long enough for a copy in the middle, however slow the machine.
    intervalS: 3,
    intent: "create",
  });
  const ledger = async (db = original.database.db) => {
    const { rows } = await sql<{
      counters: number[];
      rows: number[];
      status: string;
      cause: string | null;
      sent: number;
    }>`
      select status, pause_reason as cause, sent_count + delivered_count + read_count as sent,
        array[pending_count, sending_count, waiting_count, skipped_count, uncertain_count, error_count, accepted_count, sent_count, delivered_count, read_count] as counters,
        (select array_agg((select count(*)::int from delivery d where d.campaign_id = c.id and d.status = s) order by s)
          from generate_series(0, 9) s) as rows
      from campaign c where id = ${id}`.execute(db);
    return rows[0] ?? expect.unreachable();
  };
  await until("the first messages", async () => (await ledger()).sent >= 2);

  const folder = temporaryFolder();
  const file = path.join(folder, "copia.recado");
  const passphrase = { RECADO_BACKUP_PASSPHRASE: "três girassóis no quintal" };
  const made = await runProgram("backup", [file], {
    RECADO_DATA: original.product.dataFolder,
    ...passphrase,
  });
  expect(made).toMatchObject({ code: 0, errors: "" });
  const then = (await ledger()).sent;
  await until("one more", async () => (await ledger()).sent > then);
  const last = await ledger();
  expect(last.status).toBe("sending");
  await original.product.stop();
  const seen = (await simulator.control.stats({})).messages;

  const data = path.join(folder, "copia");
  const restored = await runProgram("restore", [file], { RECADO_DATA: data, ...passphrase });
  expect(restored).toMatchObject({ code: 0, errors: "" });
  const copy = await startProduct({ dataFolder: data, env, preload: PRELOAD });
  closes.push(copy.stop);
  await expect.poll(() => copy.output()).toMatch(/Atenção: Os dados vieram de uma cópia/);
  const call = await signIn(copy);
  expect((await call("GET", "/api/installation")).body).toMatchObject({
    restored: { madeAt: expect.stringMatching(/^\d{4}-/), restoredAt: expect.stringMatching(/^\d{4}-/) },
  });
  expect((await call("GET", `/api/campaigns/${id}`)).body).toMatchObject({
    status: "paused",
    cause: "restored",
  });
  expect((await call("POST", `/api/campaigns/${id}/resume`)).body).toMatchObject({ code: "restored_held" });
  expect((await call("GET", `/api/whatsapp/status/${DEVICE}`)).body).toMatchObject({
    status: "disconnected",
    cause: "restored",
  });
  await pause(4_000);
  expect(await (await askHealth(copy)).json()).toMatchObject({ lanes: { owned: 0, connected: 0 } });
  expect((await simulator.control.stats({})).messages).toBe(seen);

  const released = await runProgram("restore", ["--release"], { RECADO_DATA: data });
  expect(released).toMatchObject({ code: 0, output: expect.stringMatching(/Liberado/) });
  expect((await call("GET", "/api/installation")).body).toMatchObject({ restored: null });
  await until("the number is back without a new code", async () => {
    const { body } = await call("GET", `/api/whatsapp/status/${DEVICE}`);
    return body.status === "connected";
  });
  expect((await simulator.control.stats({})).messages).toBe(seen);
  const rows = openDatabase(embeddedUrl(path.join(data, "run"), "recado"), { log: testLog, max: 2 });
  closes.push(rows.close);
  await sql`update campaign set interval_seconds = 0 where id = ${id}`.execute(rows.db);
  expect((await call("POST", `/api/campaigns/${id}/resume`)).status).toBeLessThan(300);
  await until("the end of the campaign", async () => (await ledger(rows.db)).status === "ended", 120_000);
  const ended = await ledger(rows.db);
  expect(ended.counters).toEqual(ended.rows);
  const doubtful = ended.rows[DELIVERY.uncertain] ?? 0;
  expect([ended.sent + doubtful, doubtful <= 1]).toEqual([PEOPLE, true]);
  expect(fs.existsSync(path.join(data, "secret.key"))).toBe(true);
}, 240_000);
