import type { Kysely, RawBuilder } from "kysely";

/** Runs a text under its name on a connection of a pool. */
type RunNamed = <Row>(name: string, text: string, values: unknown[]) => Promise<{ rows: Row[] }>;

const pools = new WeakMap<Kysely<unknown>, RunNamed>();
const names = new Map<string, string>();
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
export async function executeKept<Row>(query: RawBuilder<Row>, db: Kysely<unknown>): Promise<Row[]> {
  const run = pools.get(db);
  const { sql: text, parameters } = query.compile(db);
  const name = run && keptName(text);
  if (!run || name === undefined) return (await query.execute(db)).rows;
  return (await run<Row>(name, text, [...parameters])).rows;
}

/** The name under which connections keep a text's plan; none once there are too many. */
export function keptName(text: string): string | undefined {
  const name = names.get(text) ?? (names.size < MOST ? `kept_${names.size + 1}` : undefined);
  if (name !== undefined) names.set(text, name);
  return name;
}
