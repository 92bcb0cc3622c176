import { execFile } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { pipeline } from "node:stream/promises";
import { promisify } from "node:util";
import { sql } from "kysely";
import pino from "pino";
import { type Database, openDatabase } from "../src/server/db/client.ts";
import { FIELDS, writeContactFile, writeWorkbook } from "./import-file.ts";
import { type BenchPostgres, benchPostgres } from "./postgres.ts";
import { AS_STARTED } from "./product.ts";
import { type Bench, median, type Workload } from "./workload.ts";

const ROWS = 1_000_000;
const KINDS = ["text", "text", "number", "date", "boolean"];
const run = promisify(execFile);

/** Rows with five fields into an account with as many people, half of them the same. */
export const importKnownWorkload: Workload = {
  name: "import-known",
  async run(bench) {
    const postgres = await benchPostgres();
    try {
      const { account, file } = await prepare(postgres, bench);
      await ratio(bench, postgres, account, file);
      await workbook(bench, postgres, account);
    } finally {
      await postgres.stop();
    }
  },
};

async function ratio(bench: Bench, postgres: BenchPostgres, account: string, file: string): Promise<void> {
  const ratios: number[] = [];
  const limits: number[] = [];
  const peaks: number[] = [];
  const measure = async (variant: string) => {
    const url = await postgres.copyOf(postgres.url);
    const figures = await child(postgres, variant, url, account, file);
    await postgres.drop(url);
    bench.note({ workload: "import-known", variant, figures });
    return { seconds: Number.NaN, peakMB: Number.NaN, ...figures };
  };
  for (let round = 0; round < bench.rounds; round++) {
    const limit = await measure("byHand");
    const ours = await measure("mapped");
    const ratio = limit.seconds / ours.seconds;
    bench.note({ workload: "import-known", variant: "ours / by hand", figures: { ratio } });
    ratios.push(ratio);
    limits.push(limit.seconds);
    peaks.push(ours.peakMB);
  }
  bench.goal({ name: "import-known/by-hand", measured: median(ratios), bound: 0.7, kind: "atLeast", limits });
  bench.goal({ name: "import-known-peak-MB", measured: Math.max(...peaks), bound: 300, kind: "atMost" });
}

async function workbook(bench: Bench, postgres: BenchPostgres, account: string): Promise<void> {
  const file = path.join(postgres.folder, "file.xlsx");
  writeWorkbook(file, Math.ceil((bench.n ?? ROWS) / 5));
  const figures = await child(postgres, "mapped", postgres.url, account, file);
  bench.note({ workload: "import-known", variant: "workbook", figures });
  const measured = figures.peakMB ?? Number.NaN;
  bench.goal({ name: "import-workbook-peak-MB", measured, bound: 300, kind: "atMost" });
}

async function child(
  { folder }: BenchPostgres,
  variant: string,
  url: string,
  account: string,
  file: string,
): Promise<Record<string, number>> {
  const program = path.join(import.meta.dirname, "import-child.ts");
  const args = [...AS_STARTED.flags, program, variant, url, account, file, folder];
  const { stdout } = await run(process.execPath, args, { env: { ...process.env, ...AS_STARTED.env } });
  return JSON.parse(stdout) as Record<string, number>;
}

/** The account, its people, and the file's rows in a table. */
async function prepare(postgres: BenchPostgres, bench: Bench): Promise<{ account: string; file: string }> {
  const n = bench.n ?? ROWS;
  const known = path.join(postgres.folder, "known.csv");
  const file = path.join(postgres.folder, "file.csv");
  bench.say(`import-known: writing ${n} rows twice`);
  await writeContactFile(known, n, { fields: true });
  await writeContactFile(file, n, { fields: true, from: Math.floor(n / 2) });
  const account = await on(postgres.url, accountWithFields);
  await child(postgres, "mapped", postgres.url, account, known);
  const copy = await postgres.copyOf(postgres.url);
  await child(postgres, "mapped", copy, account, file);
  const ready = path.join(postgres.folder, "ready.tsv");
  const placed = `select m.seq, p.phone, p.name, p.fields from membership m join person p on p.id = m.person_id
    where m.list_id = (select max(id) from contact_list) order by m.seq`;
  await on(copy, (database) =>
    database.session((session) =>
      pipeline(session.copyOut(`copy (${placed}) to stdout`), fs.createWriteStream(ready)),
    ),
  );
  await postgres.drop(copy);
  await on(postgres.url, async (database) => {
    await database.query("create table ready (seq int, phone bigint, name text, fields jsonb)");
    await database.session((session) =>
      pipeline(fs.createReadStream(ready), session.copyIn("copy ready from stdin")),
    );
    await database.query("vacuum analyze");
  });
  return { account, file };
}

async function on<Answer>(url: string, work: (database: Database) => Promise<Answer>): Promise<Answer> {
  const database = openDatabase(url, { log: pino({ level: "warn" }), max: 1 });
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}

async function accountWithFields({ db }: Database): Promise<string> {
  const { rows } = await sql<{
    id: string;
  }>`insert into account (name, email, terms_version, terms_accepted_at)
    values ('bench', 'bench@exemplo.com.br', 'v1', now()) returning id`.execute(db);
  const [account] = rows;
  if (!account) throw new Error("no account");
  await sql`insert into contact_field (account_id, key, label, kind, seq)
    select ${account.id}::uuid, key, key, kind, nth
    from unnest(${[...FIELDS]}::text[], ${KINDS}::text[]) with ordinality t(key, kind, nth)`.execute(db);
  return account.id;
}
