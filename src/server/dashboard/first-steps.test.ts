import { sql } from "kysely";
import { beforeEach, expect, test } from "vitest";
import { testApi } from "../../../tests/support/api.ts";
import { accountRow, campaignRow, connectionRow, listRow } from "../../../tests/support/campaign-rows.ts";
import { testDatabase } from "../../../tests/support/database.ts";
import type { FirstSteps } from "../../contract/dashboard.ts";
import { DELIVERY } from "../../domain/delivery.ts";
import { AppError } from "../../domain/errors.ts";
import { mountDashboard } from "./routes.ts";
import { dashboardService } from "./service.ts";

const { db } = await testDatabase();
const unused = () => {
  throw new AppError("internal");
};
const api = testApi(db, (app) =>
  mountDashboard(
    app,
    dashboardService({
      clock: { now: () => new Date() },
      campaigns: { get: unused, recent: unused, countOne: unused },
    }),
  ),
);

let account = "";
beforeEach(async () => {
  account = await accountRow(db);
});

async function done(of = account): Promise<string[]> {
  const { status, body } = await api(of)<FirstSteps>("GET", "/api/dashboard/first-steps");
  expect(status).toBe(200);
  return Object.entries(body).flatMap(([step, isDone]) => (isDone ? [step] : []));
}

async function message(connectionId: number, origin: string, status: number): Promise<void> {
  await sql`insert into outbox (account_id, connection_id, phone, text, message_id, body_hash, status, origin)
    values (${account}::uuid, ${connectionId}, 5511987654321, 'Olá', gen_random_uuid()::text, '', ${status}, ${origin})`.execute(
    db,
  );
}

test("a new account has done nothing, whatever others have", async () => {
  const other = await accountRow(db);
  await connectionRow(db, other);
  await listRow(db, other);
  await campaignRow(db, other, { people: { sent: 1 } });
  expect(await done()).toEqual([]);
  expect(await done(other)).toEqual(["connect", "contacts", "campaign"]);
});

test("a number counts once it is linked: not while its code waits, but while it only reconnects", async () => {
  const id = await connectionRow(db, account, "pending");
  const is = async (state: string, pairing: string | null, desired = "connected") => {
    await sql`update connection set state = ${state}, pairing = ${pairing}, desired = ${desired} where id = ${id}`.execute(
      db,
    );
    return done();
  };
  expect(await is("pending", null)).toEqual([]);
  expect(await is("connecting", null)).toEqual([]);
  expect(await is("connected", "p1")).toEqual(["connect"]);
  expect(await is("connecting", "p1")).toEqual(["connect"]);
  expect(await is("disconnected", "p1")).toEqual([]);
  expect(await is("connected", "p1", "removed")).toEqual([]);
});

test("contacts count once a list has a person", async () => {
  await listRow(db, account, 0);
  expect(await done()).toEqual([]);
  await listRow(db, account, 1);
  expect(await done()).toEqual(["contacts"]);
});

test("a test counts once WhatsApp took it; other messages are none, and a test stands for the number too", async () => {
  const connectionId = await connectionRow(db, account, "disconnected");
  for (const origin of ["api", "chat", "agent", "opt_out"]) await message(connectionId, origin, 8);
  for (const status of [0, 1, 2, 3, 4, 5, 6]) await message(connectionId, "test", status);
  expect(await done()).toEqual([]);
  await message(connectionId, "test", DELIVERY.sent);
  expect(await done()).toEqual(["connect", "test"]);
});

test("a campaign counts once it is more than a draft, and then stands for its contacts", async () => {
  await campaignRow(db, account, { status: "draft" });
  expect(await done()).toEqual([]);
  await campaignRow(db, account, { status: "scheduled", scheduledAt: new Date("2026-11-27T11:00:00Z") });
  expect(await done()).toEqual(["contacts", "campaign"]);
});

test("the question finds its rows by indexes, however many there are", async () => {
  const connectionId = await connectionRow(db, account);
  await sql`insert into outbox (account_id, connection_id, phone, text, message_id, body_hash, status, origin)
    select ${account}::uuid, ${connectionId}, 5511987654321, 'Olá', 'N' || n, '', 6, 'api' from generate_series(1, 20000) n`.execute(
    db,
  );
  await sql`analyze outbox`.execute(db);
  const { rows } = await sql<{ "QUERY PLAN": string }>`explain (analyze, costs off, timing off, buffers off)
    select exists (select 1 from outbox where account_id = ${account}::uuid and origin = 'test' and status >= 7)`.execute(
    db,
  );
  const plan = rows.map((row) => row["QUERY PLAN"]).join("\n");
  expect(plan).toMatch(/Index.* on outbox|Index Scan using outbox_account_id_idx/);
  expect(plan).not.toMatch(/Seq Scan on outbox|Rows Removed by Filter/);
});
