import { sql } from "kysely";
import { expect, onTestFinished, test, vi } from "vitest";
import { agentLab, OPERATOR_KEY } from "../support/agent-lab.ts";
import { testDatabase } from "../support/database.ts";
import { holdLane, keepHeld } from "../support/held-lanes.ts";
import { startProduct } from "../support/server.ts";

const database = await testDatabase();
const { db } = database;
const { mistral, arrange, settled } = await agentLab(database, { works: false });
const STEPS = ["answer_begun", "answer_thought", "answer_stored"];

test("F1 F43 a server killed at every step of an answer, and started again each time, answers once", async () => {
  const { write, outbox, trace, connectionId } = await arrange();
  // Keeps any process from connecting it to WhatsApp: another owner holds its lane.
  await sql`update connection set desired = 'disconnected' where id = ${connectionId}`.execute(db);
  await holdLane(db, connectionId);
  onTestFinished(keepHeld(db));
  const env: Record<string, string> = {
    RECADO_MISTRAL_KEY: OPERATOR_KEY,
    RECADO_MISTRAL_URL: mistral.url,
    RECADO_PRIVATE_HOSTS: mistral.host,
    RECADO_TIME_SCALE: "0.02",
    RECADO_WA_VERSION: "2.3000.1",
    RECADO_TEST_FAILPOINT: STEPS[0] ?? "",
  };
  const product = await startProduct({
    databaseUrl: database.url,
    env,
    preload: ["tests/faults/failpoint-preload.ts"],
  });
  onTestFinished(() => product.close());
  const dead = () =>
    vi.waitFor(() => expect(product.fetch("/api/health")).rejects.toThrow(), { timeout: 60_000 });

  await write("5511987654321", "Oi");
  const seen: unknown[] = [];
  for (const step of [...STEPS.slice(1), ""]) {
    await dead();
    seen.push([await trace(), (await outbox()).length]);
    // A job whose owner is silent for ten seconds counts as abandoned.
    await sql`update answer_job set taken_until = now() where taken_until is not null`.execute(db);
    env.RECADO_TEST_FAILPOINT = step;
    const started = product.start();
    // It claims the job at once and may crash before the start has been seen as healthy.
    await (step === "" ? started : started.catch(() => undefined));
  }
  await settled();
  expect(seen).toEqual([
    [["thinking"], 0],
    [["thinking"], 0],
    [["sent"], 1],
  ]);
  expect([await trace(), (await outbox()).map(({ text }) => text)]).toEqual([
    ["sent"],
    ["Atendente: Oi (1)"],
  ]);
  expect(mistral.completions()).toHaveLength(2);
}, 240_000);
