import type { Kysely, RawBuilder } from "kysely";

/** Runs a text under its name on a connection of a pool. */
type RunNamed = <Row>(name: string, text: string, values: unknown[]) => Promise<{ rows: Row[] }>;

const pools = new WeakMap<Kysely<unknown>, RunNamed>();
/** Null: not kept any more. */
const names = new Map<string, string | null>();
/** Texts that differ by what a caller asked for must not pile up in every connection of the database. */
const MOST = 200;

/** Says where the kept statements of a pool's `db` run. */
export function keepPlans(db: Kysely<unknown>, run: RunNamed): void {
  pools.set(db, run);
}

/**
 * Runs a statement that screens ask all the time and that takes longer to plan than to run: each connection of the pool keeps its plan.
 * Inside a transaction it runs like any other. What a caller asks for has to be among its values: each text is a plan of its own.
 */
export async function executePrepared<Row>(query: RawBuilder<Row>, db: Kysely<unknown>): Promise<Row[]> {
  const run = pools.get(db);
  const { sql: text, parameters } = query.compile(db);
  const name = run && preparedName(text);
  if (!run || name === undefined) return (await query.execute(db)).rows;
  return (await run<Row>(name, text, [...parameters])).rows;
}

/** The name under which connections keep a text's plan; none once there are too many. */
export function preparedName(text: string): string | undefined {
  const known = names.get(text);
  if (known !== undefined) return known ?? undefined;
  if (names.size >= MOST) return undefined;
  const name = `kept_${names.size + 1}`;
  names.set(text, name);
  return name;
}

/** Keeps no plans of this text from now on. */
export function forgetPrepared(text: string): void {
  names.set(text, null);
}
