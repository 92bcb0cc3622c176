import type { Kysely, RawBuilder } from "kysely";

type RunNamed = <Row>(name: string, text: string, values: unknown[]) => Promise<{ rows: Row[] }>;

const pools = new WeakMap<Kysely<unknown>, RunNamed>();
const names = new Map<string, string | null>();
/** Texts that vary by input must not pile up in every connection. */
const MOST = 200;

export function keepPlans(db: Kysely<unknown>, run: RunNamed): void {
  pools.set(db, run);
}

/**
 * For frequent screen queries that take longer to plan than to run; unprepared inside a transaction. Inputs
 * must be parameters: each text has its own plan.
 */
export async function executePrepared<Row>(query: RawBuilder<Row>, db: Kysely<unknown>): Promise<Row[]> {
  const run = pools.get(db);
  const { sql: text, parameters } = query.compile(db);
  const name = run && preparedName(text);
  if (!run || name === undefined) return (await query.execute(db)).rows;
  return (await run<Row>(name, text, [...parameters])).rows;
}

/** Undefined beyond the limit. */
export function preparedName(text: string): string | undefined {
  const known = names.get(text);
  if (known !== undefined) return known ?? undefined;
  if (names.size >= MOST) return undefined;
  const name = `kept_${names.size + 1}`;
  names.set(text, name);
  return name;
}

export function forgetPrepared(text: string): void {
  names.set(text, null);
}
