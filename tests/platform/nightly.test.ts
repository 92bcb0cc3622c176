import { sql } from "kysely";
import { pino } from "pino";
import { afterAll, expect, test } from "vitest";
import { openJobs } from "../../src/server/jobs/boss.ts";
import { accountRow, imageRow } from "../support/campaign-rows.ts";
import { type ComposedApp, composeApp } from "../support/compose-app.ts";
import { testDatabase, testLog } from "../support/database.ts";
import { fillAccount } from "../support/full-account.ts";

const { db, database } = await testDatabase();
const logged: { msg: string }[] = [];
const log = pino({ level: "error" }, { write: (line: string) => void logged.push(JSON.parse(line)) });
let composed: ComposedApp | null = null;
const start = async () => {
  composed = await composeApp({ database, log });
};
const stop = async () => {
  await composed?.close();
  composed = null;
};
afterAll(stop);

async function kept(account: string): Promise<Record<string, number>> {
  const of = (connected: string) =>
    sql`${sql.table(connected)} where connection_id in (select id from connection where account_id = ${account})`;
  const own = (table: string) => sql`${sql.table(table)} where account_id = ${account}`;
  const places = {
    session: own("session"),
    verification: sql`verification where value = ${account}`,
    mail: own("mail"),
    // The start pauses the campaign, whose number cannot be opened, and notes it.
    audit_event: sql`audit_event where kind = 'signed_in' and account_id = ${account}`,
    image: own("attachment"),
    contact_import_row: sql`contact_import_row where import_id in (select id from contact_import where account_id = ${account})`,
    received_file: sql`received_file where state = 'here' and account_id = ${account}`,
    webhook_relay: of("webhook_relay"),
    outgoing_webhook_message: of("outgoing_webhook_message"),
  };
  const counted = Object.entries(places).map(
    ([name, place]) => sql`select ${name}::text as name, count(*)::int as n from ${place}`,
  );
  const { rows } = await sql<{ name: string; n: number }>`${sql.join(counted, sql` union all `)}`.execute(db);
  return Object.fromEntries(rows.map(({ name, n }) => [name, n]));
}

async function account(
  days: Record<"mail" | "event" | "image" | "report" | "received" | "relay" | "echo" | "over", number>,
) {
  const id = await accountRow(db);
  await fillAccount(db, id);
  const unused = await imageRow(db, id);
  await sql`insert into verification (identifier, value, expires_at) values
    (${`password-reset:${id}`}, ${id}, now() - ${days.over} * interval '1 day')`.execute(db);
  const connections = sql`connection_id in (select id from connection where account_id = ${id})`;
  const aged = [
    sql`update session set expires_at = now() - ${days.over} * interval '1 day' where account_id = ${id}`,
    sql`update mail set sent_at = now() - ${days.mail} * interval '1 day' where account_id = ${id}`,
    sql`update audit_event set at = now() - ${days.event} * interval '1 day' where account_id = ${id}`,
    sql`update attachment set created_at = now() - ${days.image} * interval '1 day' where id = ${unused}`,
    sql`update contact_import set finished_at = now() - ${days.report} * interval '1 day' where account_id = ${id}`,
    sql`update received_file set at = now() - ${days.received} * interval '1 day' where account_id = ${id}`,
    sql`update webhook_relay set created_at = now() - ${days.relay} * interval '1 day' where ${connections}`,
    sql`update outgoing_webhook_message set received_at = now() - ${days.echo} * interval '1 day' where ${connections}`,
  ];
  for (const statement of aged) await statement.execute(db);
  return id;
}

test("nightly jobs delete what has expired, keep the rest, and report wrong counters", async () => {
  await start();
  await stop();
  const old = await account({
    mail: 91,
    event: 366,
    image: 8,
    report: 31,
    received: 91,
    relay: 8,
    echo: 3,
    over: 1,
  });
  const young = await account({
    mail: 89,
    event: 364,
    image: 6,
    report: 29,
    received: 89,
    relay: 6,
    echo: 1,
    over: -1,
  });
  const before = await kept(young);
  expect(Object.values(before)).not.toContain(0);
  await sql`update campaign set sent_count = sent_count + 1 where account_id = ${young}`.execute(db);

  // Their hour passes while the product is down: they run at the next start.
  const jobs = await openJobs(database, testLog, 1);
  const { rows: hours } = await sql<{ name: string }>`select name from pgboss.schedule`.execute(db);
  for (const { name } of hours) await jobs.runNow(name);
  await jobs.stop();
  await start();

  const nothing = { ...Object.fromEntries(Object.keys(before).map((name) => [name, 0])), image: 1 };
  await expect.poll(() => kept(old)).toEqual(nothing);
  await expect.poll(() => logged.map(({ msg }) => msg)).toContain("counters differ from their rows");
  expect(await kept(young)).toEqual(before);
});
