import fs from "node:fs";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { pipeline } from "node:stream/promises";
import { sql } from "kysely";
import pino from "pino";
import { systemClock } from "../src/server/base/clock.ts";
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

const figures = variant === "limit" ? await limit() : await ours();
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

async function ours() {
  const spool = openSpool(folder);
  const queues = new FairQueues(systemClock);
  const changes = { mark: () => undefined };
  const importer = contactImporter({
    database,
    spool,
    changes,
    clock: systemClock,
    queues,
    log,
    secrets: createSecrets(newSecretKey()),
    alone: true,
  });
  const body = fs.createReadStream(file);
  const start = performance.now();
  const owner = ownerOf(database.db, account);
  const id = await acceptFile(importIntake(spool, queues), owner, { name: "ours" }, body);
  const uploadS = (performance.now() - start) / 1000;
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
  return { seconds: Number(done.seconds), uploadS, analyzeS, rows: done.imported };
}
