import fs from "node:fs";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { pipeline } from "node:stream/promises";
import { sql } from "kysely";
import pino from "pino";
import { systemClock } from "../src/server/base/clock.ts";
import { createDraft, startDraft } from "../src/server/contacts/import-drafts.ts";
import { contactImporter } from "../src/server/contacts/importer.ts";
import { acceptFile, importIntake } from "../src/server/contacts/imports.ts";
import { openSpool } from "../src/server/contacts/spool.ts";
import { openDatabase } from "../src/server/db/client.ts";
import { ownerOf } from "../src/server/db/owner.ts";
import { createSecrets, newSecretKey } from "../src/server/db/secrets.ts";
import { FairQueues } from "../src/server/jobs/fair-queue.ts";
import { READY, readyFile } from "./import-ready.ts";

/** One run per process, for its own peak memory. */
const [variant, url = "", account = "", file = "", folder = "", listId = ""] = process.argv.slice(2);
const log = pino({ level: "warn" }, pino.destination({ dest: 2, sync: true }));
const database = openDatabase(url, { log });
const delay = monitorEventLoopDelay({ resolution: 1 });

const VARIANTS: Readonly<Record<string, () => Promise<Record<string, number>>>> = {
  limit,
  ours,
  mapped,
  byHand,
};
const figures = await VARIANTS[variant ?? ""]?.();
const { user, system } = process.cpuUsage();
process.stdout.write(
  `${JSON.stringify({
    ...figures,
    cpuS: (user + system) / 1e6,
    peakMB: process.resourceUsage().maxRSS / 1024,
    lagP99ms: delay.percentile(99) / 1e6,
    lagMaxMs: delay.max / 1e6,
  })}\n`,
);
await database.close();

async function limit() {
  await sql`insert into contact_list (id, account_id, name) overriding system value
    values (${Number(listId)}, ${account}::uuid, 'limit')`.execute(database.db);
  const start = performance.now();
  await database.session((session) =>
    session.db.transaction().execute(async () => {
      for (const table of READY) {
        const into = session.copyIn(`copy ${table} from stdin`);
        await pipeline(fs.createReadStream(readyFile(folder, table), { highWaterMark: 256 * 1024 }), into);
      }
    }),
  );
  return { seconds: (performance.now() - start) / 1000 };
}

function openImporter() {
  const spool = openSpool(folder);
  const queues = new FairQueues(systemClock);
  const importer = contactImporter({
    database,
    spool,
    changes: { mark: () => undefined },
    clock: systemClock,
    queues,
    log,
    secrets: createSecrets(newSecretKey()),
    alone: true,
  });
  return { importer, intake: importIntake(spool, queues) };
}

async function ours() {
  const { importer, intake } = openImporter();
  const start = performance.now();
  const owner = ownerOf(database.db, account);
  const id = await acceptFile(intake, owner, { name: "ours" }, fs.createReadStream(file));
  const uploadS = (performance.now() - start) / 1000;
  return { uploadS, ...(await imported(importer, id)) };
}

/** In the steps of the page: what was understood, its columns, the start. */
async function mapped() {
  const { importer, intake } = openImporter();
  const owner = ownerOf(database.db, account);
  const start = performance.now();
  const draft = await createDraft(intake, owner, { json: "false" }, fs.createReadStream(file));
  const draftS = (performance.now() - start) / 1000;
  const { encoding, separator, headerRow, everyCell, columns } = draft;
  const id = await startDraft(intake, owner, draft.id, {
    encoding,
    separator,
    headerRow,
    everyCell,
    columns: columns.map(({ mapping }) => mapping),
    listName: "mapped",
    listIds: [],
    known: "update",
  });
  return { draftS, ...(await imported(importer, id)) };
}

async function imported(importer: ReturnType<typeof contactImporter>, id: number) {
  delay.enable();
  await importer.tick();
  delay.disable();
  const ended = Date.now();
  // Measured until the owner sees the list; ANALYZE comes after.
  const { rows } = await sql<{ state: string; imported: number; seconds: string; ended: Date }>`
    select state, imported, extract(epoch from finished_at - created_at) as seconds, finished_at as ended
    from contact_import where id = ${id}`.execute(database.db);
  const [done] = rows;
  if (done?.state !== "done") throw new Error(`the import ended ${done?.state}`);
  const analyzeS = (ended - done.ended.getTime()) / 1000;
  return { seconds: Number(done.seconds), analyzeS, rows: done.imported };
}

/** The statement of an import's batches, once for all rows of a table that stands ready. */
async function byHand() {
  const start = performance.now();
  const { rows } = await sql<{ placed: number }>`
    with list as (
      insert into contact_list (account_id, name) values (${account}::uuid, 'by hand') returning id),
    put as (
      insert into person (account_id, phone, name, fields, origin)
      select ${account}::uuid, phone, name, fields, 'file' from ready
      on conflict (account_id, phone) do update set name = coalesce(nullif(excluded.name, ''), person.name),
        fields = person.fields || excluded.fields, updated_at = now()
        where (excluded.name <> '' and person.name <> excluded.name) or not person.fields @> excluded.fields
      returning id, phone),
    placed as (
      insert into membership (list_id, seq, person_id)
      select list.id, r.seq, put.id from list, put join ready r on r.phone = put.phone returning 1)
    select count(*)::int as placed from placed`.execute(database.db);
  return { seconds: (performance.now() - start) / 1000, rows: rows[0]?.placed ?? 0 };
}
