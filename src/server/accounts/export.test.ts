import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { sql } from "kysely";
import { afterAll, beforeEach, expect, test } from "vitest";
import { accountRow, listRow } from "../../../tests/support/campaign-rows.ts";
import { testDatabase, testLog } from "../../../tests/support/database.ts";
import { testFiles } from "../../../tests/support/file-service.ts";
import { allTables, fillAccount, SECRET, UNOWNED_TABLES } from "../../../tests/support/full-account.ts";
import { systemClock } from "../base/clock.ts";
import { type Owner, ownerOf } from "../db/owner.ts";
import { type DownloadLimits, Downloads } from "../jobs/downloads.ts";
import { FairQueues } from "../jobs/fair-queue.ts";
import { openGuardedFetch } from "../net/guarded-fetch.ts";
import { accountExporter } from "./export.ts";
import { openExportFolder } from "./export-file.ts";
import { EXPORT_PARTS } from "./export-parts.ts";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

/** Without garbage: the process's own size says little about what is held. */
function heldBytes(): number {
  collect();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

const { db, database } = await testDatabase();
const dataFolder = fs.mkdtempSync(path.join(os.tmpdir(), "recado-account-export-"));
afterAll(() => fs.rmSync(dataFolder, { recursive: true, force: true }));
const files = () => fs.readdirSync(path.join(dataFolder, "exports"));

const stored = testFiles(openGuardedFetch({ privateHosts: new Set() }));

function exporterWith({ turnMs, ...limits }: Partial<DownloadLimits> & { turnMs?: number } = {}) {
  const queues = new FairQueues(systemClock);
  const downloads = new Downloads(queues, limits);
  const deps = {
    database,
    clock: systemClock,
    log: testLog,
    queues,
    downloads,
    dataFolder,
    filesOf: (owner: Owner) => stored.filesOf(owner),
  };
  return accountExporter(turnMs === undefined ? deps : { ...deps, turnMs });
}
const exporter = exporterWith();

beforeEach(async () => {
  await sql`truncate account cascade`.execute(db);
});

const LEFT_OUT: Readonly<Record<string, string>> = {
  credential: "the password's hash",
  device_creds: "what signs the device in",
  device_key: "what signs the device in",
  campaign_upload: "the key of an uploaded picture",
  campaign_alias: "how WhatsApp names the people of a campaign; the people are there",
  provider_message: "ids of gateways",
  gateway_address: "how WhatsApp names people; the people are there",
  receipt_inbox: "receipts on their way into the rows that are there",
  known_conversation: "since when a number and a person write to each other; the messages are there",
  number_check: "questions that wait for a few minutes",
  number_incident: "what WhatsApp did to a number; the activity has it",
  cold_message: "when a number began conversations; the deliveries are there",
  outgoing_webhook_message: "copies of own messages, to recognise them by",
  unread_leaving: "events on their way into the rows that are there",
  webhook_event: "events on their way into the rows that are there",
  webhook_state: "events on their way into the rows that are there",
  unrecognized_event: "what gateways posted and cannot be read",
  webhook_relay: "copies of messages on their way to the person's own address",
  rate_limit: "counters of attempts",
  invitation: "with which of the operator's links the account was made",
  limit_reservation: "places that are taken while another server is being asked",
  answer_job: "chats that an assistant is to look at; the chats are there",
  idempotency_key: "hashes, to recognize a repeated request",
  import_draft: "an uploaded file that waits, at most a day",
};

type Line = { type: string } & Record<string, unknown>;

async function exported(account: string, start = exporter): Promise<{ text: string; lines: Line[] }> {
  const text = await (await start(ownerOf(db, account))).text();
  return {
    text,
    lines: text
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as Line),
  };
}

test("every table of an account is in its export, or is left out for a reason", async () => {
  const types = EXPORT_PARTS.map(({ type }) => type);
  expect([...types, ...Object.keys(LEFT_OUT), ...UNOWNED_TABLES].toSorted()).toEqual(
    [...(await allTables(db)).keys()].toSorted(),
  );
});

test("everything of the account, nothing of another's, no secret", async () => {
  const [ana, bruno] = [await accountRow(db), await accountRow(db)];
  await fillAccount(db, ana);
  await fillAccount(db, bruno);
  const { text, lines } = await exported(ana);
  expect(lines[0]).toEqual({ type: "export", version: 1, at: expect.any(String) });
  expect(lines.at(-1)).toEqual({ type: "end" });
  const types = new Set(lines.map(({ type }) => type));
  for (const { type } of EXPORT_PARTS) expect(types).toContain(type);
  const accounts = lines.filter(({ type }) => type === "account");
  expect(accounts).toEqual([expect.objectContaining({ id: ana })]);
  expect(text).not.toContain(bruno);
  for (const form of [SECRET, Buffer.from(SECRET).toString("hex"), Buffer.from(SECRET).toString("base64")])
    expect(text).not.toContain(form);
  const { rows } = await sql<{ hash: string }>`select encode(hash, 'hex') as hash from api_key`.execute(db);
  for (const { hash } of rows) expect(text).not.toContain(hash);
});

test("texts come as they were: line breaks, quotes, backslashes, emoji", async () => {
  const account = await accountRow(db);
  await fillAccount(db, account);
  const { lines } = await exported(account);
  expect(lines.find(({ type }) => type === "chat_message")?.text).toBe('Oi,\n"tudo"\tbem? \\ 👍');
  expect(lines.find(({ type }) => type === "chat")?.push_name).toBe('Bia "B" \\ ção');
  expect(lines.filter(({ type }) => type === "delivery").map(({ status }) => status)).toEqual([
    "sent",
    "sent",
    "pending",
    "pending",
    "pending",
    "error",
  ]);
});

test("two hundred thousand rows pass through in pieces; who reads nothing makes nothing pile up", async () => {
  const account = await accountRow(db);
  await listRow(db, account, 200_000);
  const answer = await exporter(ownerOf(db, account));
  await expect(exporter(ownerOf(db, account))).rejects.toThrow("export_running");
  const reader = answer.body?.getReader();
  await reader?.read();
  const start = heldBytes();
  await new Promise((resolve) => setTimeout(resolve, 300));
  let bytes = 0;
  let pieces = 0;
  let most = heldBytes();
  for (;;) {
    const piece = await reader?.read();
    if (!piece || piece.done) break;
    bytes += piece.value.byteLength;
    if (++pieces % 20 === 0) most = Math.max(most, heldBytes());
  }
  expect(bytes).toBeGreaterThan(200_000 * 60);
  expect(most - start).toBeLessThan(bytes / 2);
  await (await free(exporter, account)).body?.cancel();
});

const snapshots = async () => {
  const { rows } = await sql<{ n: number }>`select count(*)::int as n from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid() and xact_start is not null`.execute(db);
  return rows[0]?.n;
};

test("27.3 F8 readers who take nothing hold no snapshot, and no place that another account waits for", async () => {
  const accounts = await Promise.all(Array.from({ length: 4 }, () => accountRow(db)));
  for (const account of accounts) await listRow(db, account, 50_000);
  const [mine = "", ...theirs] = accounts;
  const slow = await Promise.all(theirs.map((account) => exporter(ownerOf(db, account))));
  await expect.poll(snapshots).toBe(0);
  expect((await exported(mine)).lines.at(-1)).toEqual({ type: "end" });
  await sql`insert into opt_out (account_id, phone, source)
    select id, 5511987654321, 'manual' from account`.execute(db);
  const texts = await Promise.all(slow.map((answer) => answer.text()));
  for (const text of texts) {
    expect(text.endsWith('{"type":"end"}\n')).toBe(true);
    expect(text).not.toContain('"type":"opt_out"');
  }
});

test("27.5 an account that takes long is copied in several snapshots, says so, and lacks nothing", async () => {
  const account = await accountRow(db);
  await fillAccount(db, account);
  for (let list = 0; list < 3; list++) await listRow(db, account, 100);
  const whole = await exported(account);
  const parts = await exported(account, exporterWith({ turnMs: 0 }));
  const rows = ({ lines }: { lines: Line[] }) =>
    lines
      .slice(1)
      .filter(({ type }) => type !== "moment")
      .map((line) => JSON.stringify(line))
      .toSorted();
  expect(rows(parts)).toEqual(rows(whole));
  expect(whole.lines.filter(({ type }) => type === "moment")).toEqual([]);
  expect(parts.lines.filter(({ type }) => type === "moment").length).toBeGreaterThan(EXPORT_PARTS.length);
  expect(parts.lines[0]).toEqual({ type: "export", version: 1, at: expect.any(String) });
});

test("27.3 no export file stays after reading, abandonment, an error or a killed process", async () => {
  const account = await accountRow(db);
  await listRow(db, account, 50_000);
  expect(files()).toEqual([]);
  const left = await exporter(ownerOf(db, account));
  expect(files()).toEqual([]);
  await left.body?.cancel();
  await (await free(exporter, account)).text();
  expect(files()).toEqual([]);
  fs.writeFileSync(path.join(dataFolder, "exports", "left-behind"), "x");
  openExportFolder(dataFolder);
  expect(files()).toEqual([]);
});

test("27.3 a reader who has not got all of it in time is ended", async () => {
  const account = await accountRow(db);
  await listRow(db, account, 50_000);
  const reader = (await exporterWith({ longestMs: 1 })(ownerOf(db, account))).body?.getReader();
  const all = async () => {
    while (!(await reader?.read())?.done);
  };
  await expect(all()).rejects.toThrow("takes too long");
});

test("of an account that is being deleted by then no file comes that looks whole", async () => {
  const account = await accountRow(db);
  await fillAccount(db, account);
  await sql`update account set removed_at = now() where id = ${account}`.execute(db);
  await sql`delete from person where account_id = ${account}`.execute(db);
  await expect(exported(account)).rejects.toThrow();
});

test("a reader that leaves gives its place back", async () => {
  const account = await accountRow(db);
  await listRow(db, account, 50_000);
  const left = await exporter(ownerOf(db, account));
  await left.body?.cancel();
  const next = await free(exporter, account);
  expect((await next.text()).endsWith('{"type":"end"}\n')).toBe(true);
});

test("a reader that stands still is cut off, and its place is free", async () => {
  const account = await accountRow(db);
  await listRow(db, account, 50_000);
  const impatient = exporterWith({ stallMs: 50 });
  const still = await impatient(ownerOf(db, account));
  const next = await free(impatient, account);
  await expect(still.text()).rejects.toThrow();
  await next.body?.cancel().catch(() => undefined);
});

async function begin(start: typeof exporter, account: string): Promise<Response | "busy"> {
  try {
    return await start(ownerOf(db, account));
  } catch {
    return "busy";
  }
}

async function free(start: typeof exporter, account: string): Promise<Response> {
  for (let tries = 0; tries < 2_400; tries++) {
    const answer = await begin(start, account);
    if (answer !== "busy") return answer;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  throw new Error("the export before does not end");
}
