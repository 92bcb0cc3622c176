import fs from "node:fs";
import path from "node:path";
import { sql } from "kysely";
import { afterAll, expect, test } from "vitest";
import { startLocalSimulator } from "../../simulators/whatsapp/local.ts";
import { quietSignal } from "../../simulators/whatsapp/quiet-signal.ts";
import { openDatabase } from "../../src/server/db/client.ts";
import { embeddedUrl } from "../../src/server/postgres/embedded-postgres.ts";
import { makeList, openInstallation, until } from "../faults/installation.ts";
import { DEVICE, linkDevice, PHONES } from "../faults/world.ts";
import { runProgram } from "../support/backup.ts";
import { testLog } from "../support/database.ts";

const PEOPLE = 6;
const closes: (() => Promise<unknown>)[] = [];
afterAll(async () => {
  for (const close of closes.reverse()) await close();
});

test("an installation that lost its secret key restarts, keeps its campaign, and finishes it after a new pairing", async () => {
  quietSignal();
  const simulator = await startLocalSimulator({});
  closes.push(() => simulator.stop());
  const env = { RECADO_SIMULATOR: simulator.controlUrl, RECADO_TIME_SCALE: "0.05" };
  const installation = await openInstallation(env, ["simulators/whatsapp/preload.ts"]);
  closes.push(installation.close);
  const { product, call } = installation;
  await linkDevice({ ...installation, control: simulator.control });
  const { listId } = await makeList(installation, { index: 0, people: PEOPLE, base: PHONES });
  const { id } = await call<{ id: number }>("POST", "/api/campaigns", {
    name: "Natal",
    text: "Boas festas!",
    listId,
    connectionId: null,
    intent: "create",
    // Long enough for the server to stop in the middle, however slow the machine.
    intervalS: 600,
  });
  const campaign = () =>
    call<{ status: string; counts: Record<string, number> }>("GET", `/api/campaigns/${id}`);
  const messages = async () => (await simulator.control.stats({})).messages;
  await until("the first message", async () => (await messages()) >= 1);

  const data = { RECADO_DATA: product.dataFolder };
  expect(await runProgram("lost-key", [], data)).toMatchObject({
    code: 0,
    output: expect.stringMatching(/nada se perdeu/),
  });
  await product.stop();
  const sent = await messages();
  fs.rmSync(path.join(product.dataFolder, "secret.key"));
  await expect(product.restart()).rejects.toThrow();
  expect(product.output()).toMatch(/A chave secreta não é a deste banco.*npm run lost-key/s);

  const looked = await runProgram("lost-key", [], data);
  expect(looked).toMatchObject({
    code: 0,
    output: expect.stringMatching(/sessões do WhatsApp: 1 .*--confirm/s),
  });
  await expect(product.restart()).rejects.toThrow();
  expect(await runProgram("lost-key", ["--confirm"], data)).toMatchObject({ code: 0, errors: "" });
  await product.restart();

  await expect(campaign()).rejects.toThrow(/401/);
  await call("POST", "/api/login", { email: "marina@exemplo.com.br", password: "girassol no quintal" });
  expect(await call("GET", `/api/whatsapp/status/${DEVICE}`)).toMatchObject({
    status: "disconnected",
    cause: "key_lost",
  });
  expect(await campaign()).toMatchObject({
    status: "paused",
    cause: "connection",
    connectionCause: "key_lost",
  });
  const rows = openDatabase(embeddedUrl(path.join(product.dataFolder, "run"), "recado"), {
    log: testLog,
    max: 2,
  });
  closes.push(rows.close);
  await sql`update campaign set interval_seconds = 0 where id = ${id}`.execute(rows.db);
  expect(await messages()).toBe(sent);
  await linkDevice({ ...installation, control: simulator.control });
  await until("the end of the campaign", async () => (await campaign()).status === "completed", 120_000);
  const reached = await sql<{ status: number; n: number }>`
    select status, count(*)::int as n from delivery where campaign_id = ${id} group by 1`.execute(rows.db);
  const doubts = reached.rows.find(({ status }) => status === 4)?.n ?? 0;
  expect([reached.rows.reduce((all, { n }) => all + n, 0), doubts <= 1]).toEqual([PEOPLE, true]);
  expect((await messages()) + doubts).toBeGreaterThanOrEqual(PEOPLE);
  expect(await messages()).toBeLessThanOrEqual(PEOPLE);
}, 480_000);
