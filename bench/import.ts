import { execFile } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { pipeline } from "node:stream/promises";
import { setTimeout as pause } from "node:timers/promises";
import { promisify } from "node:util";
import { sql } from "kysely";
import pino from "pino";
import { type Database, openDatabase } from "../src/server/db/client.ts";
import { startProduct } from "../tests/support/server.ts";
import { writeContactFile } from "./import-file.ts";
import { columnsOf, nameOf, READY, readyFile } from "./import-ready.ts";
import { type BenchPostgres, benchPostgres } from "./postgres.ts";
import { AS_STARTED, residentMB } from "./product.ts";
import { signUp } from "./sign-up.ts";
import { type Bench, median, quantile, type Workload } from "./workload.ts";

const ROWS = 1_000_000;
const run = promisify(execFile);

export const importWorkload: Workload = {
  name: "import",
  async run(bench) {
    const postgres = await benchPostgres();
    const database = openDatabase(postgres.url, { log: pino({ level: "warn" }), max: 2 });
    try {
      const file = path.join(postgres.folder, "contatos.csv");
      bench.say(`import: writing ${bench.n ?? ROWS} rows`);
      await writeContactFile(file, bench.n ?? ROWS);
      await ratio(bench, postgres, database, file);
      await throughTheProduct(bench, postgres, file);
    } finally {
      await database.close();
      await postgres.stop();
    }
  },
};

async function ratio(
  bench: Bench,
  { url, folder }: BenchPostgres,
  database: Database,
  file: string,
): Promise<void> {
  const account = await accountRow(database);
  const child = async (variant: string, source: string, listId = 0) => {
    await empty(database);
    const args = [
      ...AS_STARTED.flags,
      path.join(import.meta.dirname, "import-child.ts"),
      variant,
      url,
      account,
      source,
      folder,
      String(listId),
    ];
    const env = { ...process.env, ...AS_STARTED.env };
    const { stdout } = await run(process.execPath, args, { env });
    return JSON.parse(stdout) as Record<string, number>;
  };

  const { rows = 0 } = await child("ours", file);
  const listId = await keepReady(database, folder);
  const ratios: number[] = [];
  const limits: number[] = [];
  const peaks: number[] = [];
  for (let round = 0; round < bench.rounds; round++) {
    const limit = await child("limit", file, listId);
    const ours = await child("ours", file);
    for (const [variant, figures] of Object.entries({ limit, ours })) {
      bench.note({
        workload: "import",
        variant,
        figures: { ...figures, rows, rowsPerS: rows / (figures.seconds ?? 0) },
      });
    }
    const ratio = (limit.seconds ?? 0) / (ours.seconds ?? 0);
    bench.note({ workload: "import", variant: "ours / limit", figures: { ratio } });
    ratios.push(ratio);
    limits.push(limit.seconds ?? 0);
    peaks.push(ours.peakMB ?? 0);
  }
  bench.goal({ name: "import/copy", measured: median(ratios), bound: 0.6, kind: "atLeast", limits });
  bench.goal({ name: "import-peak-MB", measured: Math.max(...peaks), bound: 300, kind: "atMost" });
}

async function accountRow(database: Database): Promise<string> {
  const { rows } = await sql<{
    id: string;
  }>`insert into account (name, email, terms_version, terms_accepted_at)
    values ('bench', 'bench@exemplo.com.br', 'v1', now()) returning id`.execute(database.db);
  return rows[0]?.id ?? "";
}

async function empty(database: Database): Promise<void> {
  await database.query(
    "truncate person, membership, account_people, contact_list, contact_import restart identity cascade",
  );
  await database.query("checkpoint");
}

async function keepReady(database: Database, folder: string): Promise<number> {
  for (const table of READY) {
    const order = table.startsWith("person") ? "id" : "seq";
    await database.session((session) =>
      pipeline(
        session.copyOut(
          `copy (select ${columnsOf(table)} from ${nameOf(table)} order by ${order}) to stdout`,
        ),
        fs.createWriteStream(readyFile(folder, table)),
      ),
    );
  }
  const { rows } = await database.query<{ id: number }>("select id from contact_list");
  return rows[0]?.id ?? 0;
}

async function throughTheProduct(bench: Bench, { url }: BenchPostgres, file: string): Promise<void> {
  const product = await startProduct({ databaseUrl: url, ...AS_STARTED });
  try {
    const cookie = await signUp(product.url);
    const headers = { cookie, origin: product.url };
    const idleMB = residentMB(product.pid(), "VmRSS");
    const start = performance.now();
    const answer = await product.fetch("/api/contact-imports?name=bench", {
      method: "POST",
      headers: { ...headers, "content-type": "text/csv" },
      body: await fs.openAsBlob(file),
    });
    const { id } = (await answer.json()) as { id: number };
    const uploadS = (performance.now() - start) / 1000;
    const waits: number[] = [];
    let state = "waiting";
    while (state === "waiting" || state === "running") {
      const asked = performance.now();
      const report = await product.fetch(`/api/contact-imports/${id}`, { headers });
      state = ((await report.json()) as { state: string }).state;
      waits.push(performance.now() - asked);
      await pause(20);
    }
    if (state !== "done") throw new Error(`the import ended ${state}`);
    const figures = {
      uploadS,
      seconds: (performance.now() - start) / 1000 - uploadS,
      idleMB,
      peakMB: residentMB(product.pid(), "VmHWM"),
      pageP50ms: median(waits),
      pageP99ms: quantile(waits, 0.99),
      pageMaxMs: Math.max(...waits),
    };
    bench.note({ workload: "import", variant: "product", figures });
    bench.goal({ name: "import-product-peak-MB", measured: figures.peakMB, bound: 300, kind: "atMost" });
    bench.goal({ name: "import-page-p99-ms", measured: figures.pageP99ms, bound: 100, kind: "atMost" });
  } finally {
    await product.close();
  }
}
