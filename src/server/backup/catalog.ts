import { sql } from "kysely";
import { StartError } from "../base/start-error.ts";
import type { Db } from "../db/client.ts";
import { readMigrations } from "../db/migrate.ts";

export type Table = { name: string; columns: string[] };

export type Sequence = { table: string; column: string; value: string; called: boolean };

export const MIGRATIONS_TABLE = "schema_migration";

function ourNames(): ReadonlySet<string> {
  const made = readMigrations().flatMap(({ text }) => [
    ...text.matchAll(/^(?:create table|alter table \w+ rename to) (\w+)/gm),
  ]);
  return new Set([MIGRATIONS_TABLE, ...made.map(([, name = ""]) => name)]);
}

export async function readTables(db: Db): Promise<{ tables: Table[]; foreign: string[] }> {
  const { rows } = await sql<Table>`
    select c.relname as name, array_agg(a.attname::text order by a.attnum) as columns
    from pg_class c join pg_attribute a on a.attrelid = c.oid
    where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p')
      and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
    group by c.relname order by c.relname collate "C"`.execute(db);
  const ours = ourNames();
  const foreign = rows.filter(({ name }) => !ours.has(name)).map(({ name }) => name);
  const references = await readReferences(db);
  return {
    tables: inOrder(
      rows.filter(({ name }) => ours.has(name)),
      references,
    ),
    foreign,
  };
}

type Reference = { from: string; to: string };

async function readReferences(db: Db): Promise<Reference[]> {
  const { rows } = await sql<Reference>`
    select f.relname as "from", t.relname as "to" from pg_constraint k
    join pg_class f on f.oid = k.conrelid join pg_class t on t.oid = k.confrelid
    where k.contype = 'f' and k.conrelid <> k.confrelid and f.relnamespace = current_schema()::regnamespace`.execute(
    db,
  );
  return rows;
}

/** A referenced row must be loaded first. */
function inOrder(tables: readonly Table[], references: readonly Reference[]): Table[] {
  const ordered: Table[] = [];
  const placed = new Set<string>();
  const waiting = new Map(tables.map((table) => [table.name, table]));
  while (waiting.size > 0) {
    const ready = [...waiting.values()].filter(({ name }) =>
      references.every(({ from, to }) => from !== name || placed.has(to) || !waiting.has(to)),
    );
    if (ready.length === 0)
      throw new Error(`tables refer to each other in a circle: ${[...waiting.keys()].join(", ")}`);
    for (const table of ready) {
      waiting.delete(table.name);
      placed.add(table.name);
      ordered.push(table);
    }
  }
  return ordered;
}

/** Sequences ignore the snapshot: read after the rows, they are never behind them. */
export async function readSequences(db: Db): Promise<Sequence[]> {
  const { rows } = await sql<{ table: string; column: string; sequence: string }>`
    select c.relname as "table", a.attname as "column",
      pg_get_serial_sequence(quote_ident(c.relname), a.attname) as sequence
    from pg_class c join pg_attribute a on a.attrelid = c.oid
    where c.relnamespace = current_schema()::regnamespace and c.relkind = 'r' and a.attidentity <> ''
    order by 1, 2`.execute(db);
  const ours = ourNames();
  const sequences: Sequence[] = [];
  for (const { table, column, sequence } of rows.filter((row) => ours.has(row.table))) {
    const state = await sql<{ value: string; called: boolean }>`
      select last_value::text as value, is_called as called from ${sql.raw(sequence)}`.execute(db);
    if (state.rows[0]) sequences.push({ table, column, ...state.rows[0] });
  }
  return sequences;
}

export async function setSequence(tx: Db, { table, column, value, called }: Sequence): Promise<void> {
  await sql`select setval(pg_get_serial_sequence(quote_ident(${table}), ${column}), ${value}::bigint, ${called})`.execute(
    tx,
  );
}

const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`;

export const copyText = ({ name, columns }: Table, way: "from stdin" | "to stdout") =>
  `copy ${quoted(name)} (${columns.map(quoted).join(", ")}) ${way}`;

/** The text form depends on these; both ends must use the same. */
export async function fixTextForm(tx: Db): Promise<void> {
  await sql
    .raw(
      "set local datestyle = 'ISO'; set local intervalstyle = 'postgres'; set local timezone = 'UTC'; " +
        "set local bytea_output = 'hex'; set local extra_float_digits = 1; set local client_encoding = 'UTF8'",
    )
    .execute(tx);
}

/** Throws a StartError if one of our tables exists. Other tables are allowed. */
export async function refuseFilled(db: Db, where: string): Promise<void> {
  const { tables } = await readTables(db);
  if (tables.length === 0) return;
  throw new StartError(
    "Esta instalação não está vazia, e uma cópia só é restaurada em uma instalação vazia: nada foi alterado. " +
      `${where} Restaure antes da primeira partida (npm start).`,
  );
}
